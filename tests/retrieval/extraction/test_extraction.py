"""Features of candidates as a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.texts import indexed
from rankmax.data.runs import Qrels
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels
from rankmax.retrieval.extraction import extraction
from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25, Column, Feature, feature_set, parse_feature
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, read_documents
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query

TEXTS = [{"text": "flow past a wing"}, {"text": "wing of a wing"}, {"text": "heat"}, {"text": "heat flow"}]
TOPICS = {"q1": "wing", "q2": "heat flow", "q3": "lift"}
GRADES = {"q2": {"d3": 2, "d1": 0, "x": 1}, "q1": {"d0": 1}, "q4": {"d0": 1}}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    documents = [Document(f"d{n}", text) for n, text in enumerate(TEXTS)]
    return build_index(documents, tmp_path_factory.mktemp("extraction") / "index")


class Constant:
    """A user's own class."""

    def __init__(self, value: Any, name: str = "constant") -> None:
        self.value = value
        self.name = name

    def values(self, query: Query, documents: NDArray[Any]) -> Any:
        return self.value(documents) if callable(self.value) else np.full(len(documents), self.value)


def test_judged_documents_with_their_grades(index: Index) -> None:
    qrels = Qrels.from_dict(GRADES)
    features: list[Feature] = [parse_feature("occurrences"), Constant(True)]
    data = extract(index, TOPICS, listed_candidates(index, qrels), features, qrels=qrels)
    assert data.query_ids == ("q2", "q1")  # those of the judgments, in their order, that have a text
    assert data.document_ids is not None
    assert data.document_ids.to_list() == ["d1", "d3", "d0"]
    assert data.grades.tolist() == [0, 2, 1]
    assert data.features.tolist() == [[0, 1], [2, 1], [1, 1]]
    assert data.features.dtype == np.float64
    assert data.feature_names == ("occurrences", "constant")
    # x is not in the index: judged, but nothing can rank it
    assert np.diff(data.judgments.unretrieved_offsets).tolist() == [1, 0]


def test_candidates_that_nobody_judged_have_no_grade(index: Index) -> None:
    qrels = Qrels.from_dict({"q1": {"d1": 1, "d2": 1}})
    data = extract(index, TOPICS, top_candidates(index, TOPICS, [BM25()], 9), [BM25()], qrels=qrels)
    assert data.query_ids == ("q1",)
    np.testing.assert_array_equal(data.grades, [np.nan, 1])
    assert data.judgments.unretrieved_levels.size == 1  # d2 was judged, but does not match


def test_without_judgments_nothing_is_judged(index: Index) -> None:
    data = extract(index, TOPICS, top_candidates(index, TOPICS, [BM25()], 9), [BM25()])
    assert data.query_ids == ("q1", "q2")
    assert np.isnan(data.grades).all()


def test_values_are_those_of_each_feature(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared_data / "text" / "cranfield"
    index = build_index(read_documents(folder / "docs.jsonl.gz"), tmp_path / "index")
    topics, qrels = read_topics(folder / "queries.tsv.gz"), read_qrels(folder / "qrels.trec.gz")
    few = dict(list(topics.items())[:20])
    features = [*feature_set("bag-of-words", index, ["title"]), *feature_set("proximity", index)]
    candidates = listed_candidates(index, qrels) | top_candidates(index, few, [BM25()], 50)
    seen: list[int] = []
    data = extract(index, few, candidates, features, qrels=qrels, progress=seen.append)
    assert seen == list(range(1, data.n_queries + 1))
    assert data.document_ids is not None
    for q, query_id in enumerate(data.query_ids):
        rows = slice(*data.query_offsets[q : q + 2])
        query, documents = Query(index, topics[query_id]), index.find(data.document_ids[rows])
        for j, feature in enumerate(features):
            np.testing.assert_array_equal(data.features[rows, j], feature.values(query, documents))

    # The same bits from several processes, which take over at any query.
    moments = iter([0.0, *[1.0] * 5, *[9.0] * 99])
    monkeypatch.setattr(extraction, "monotonic", lambda: next(moments))
    again = extract(index, few, candidates, features, qrels=qrels, n_jobs=2)
    np.testing.assert_array_equal(again.features, data.features)
    np.testing.assert_array_equal(again.grades, data.grades)


def test_errors_of_another_process_are_told(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "_SECONDS_HERE", 0.0)
    candidates = top_candidates(index, TOPICS, [BM25()], 9)
    with pytest.raises(UnknownNameError, match="unknown column 'pagerank'"):
        extract(index, TOPICS, candidates, [Column("pagerank")], n_jobs=2)


def test_a_feature_that_cannot_travel_is_named(index: Index) -> None:
    candidates = top_candidates(index, TOPICS, [BM25()], 9)
    with pytest.raises(IncompatibleError, match=r"cannot be sent to another process .* or use n_jobs=1"):
        extract(index, TOPICS, candidates, [Constant(lambda documents: documents * 1.0)], n_jobs=2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.inf, "constant is not finite for document 'd0' of query 'q1': inf"),
        (lambda documents: documents[:1], r"constant gave int64 of shape \(1,\) for query 'q1'; expected one number"),
        ("much", "constant gave <U4"),
    ],
)
def test_values_that_are_no_numbers_are_named(index: Index, value: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        extract(index, TOPICS, top_candidates(index, TOPICS, [BM25()], 9), [Constant(value)])


def test_names_must_differ(index: Index) -> None:
    candidates = top_candidates(index, TOPICS, [BM25()], 9)
    with pytest.raises(InvalidDataError, match="repeated: bm25"):
        extract(index, TOPICS, candidates, [BM25(), Constant(1.0, "bm25")])


def test_nothing_in_common_is_an_error_that_shows_ids(index: Index) -> None:
    qrels = Qrels.from_dict({"307": {"d0": 1}})
    with pytest.raises(InvalidDataError, match=r"topics: q1, q2, q3; candidates: 307; qrels: 307"):
        extract(index, TOPICS, listed_candidates(index, qrels), [BM25()], qrels=qrels)


@pytest.mark.parametrize(("features", "n_jobs"), [([], 1), ([BM25()], 0)])
def test_no_features_and_no_processes_are_refused(index: Index, features: list[Feature], n_jobs: int) -> None:
    with pytest.raises(InvalidParameterError):
        extract(index, TOPICS, top_candidates(index, TOPICS, [BM25()], 9), features, n_jobs=n_jobs)


def test_a_query_of_stop_words_has_values_for_judged_documents() -> None:
    qrels = Qrels.from_dict({"q1": {"d0": 1, "d1": 0}})
    stopped = indexed([{"text": "the wing"}, {"text": "the"}])  # whose analyzer leaves out "the"
    features = [*feature_set("proximity", stopped), *feature_set("gey", stopped)]
    data = extract(stopped, {"q1": "the of"}, listed_candidates(stopped, qrels), features, qrels=qrels)
    assert np.count_nonzero(data.features) == 0
