import pytest

from rankmax.data.runs import Qrels
from rankmax.datasets import TextCollection
from rankmax.retrieval.index.document_files import Document


def test_statistics():
    documents = (
        Document("d1", {"title": "wing", "text": "flutter of wings"}),
        Document("d2"),
        Document("d3", {"text": "x y"}),
    )
    qrels = Qrels.from_dict({"q1": {"d2": 2, "d3": 1, "d1": 0}, "q2": {"d1": 2}})
    collection = TextCollection("tiny", documents, {"q1": "swept wings", "q2": "flutter"}, qrels, {})
    assert collection.statistics == pytest.approx(
        {
            "documents": 3,
            "words per document": 2.0,
            "queries": 2,
            "words per query": 1.5,
            "relevant per query": 1.5,
            "of them grade 2": 2 / 3,
        }
    )
    lines = str(collection).splitlines()
    assert lines[0] == "tiny"
    assert [line.split()[-1] for line in lines[1:]] == ["3", "2.0", "2", "1.5", "1.5", "67%"]
    assert len({len(line) for line in lines[1:]}) == 1
