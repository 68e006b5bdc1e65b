from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.data.runs import Run
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.formats.topics import read_topics
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, read_documents
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.collection_search import search
from rankmax.retrieval.search.weighted_sum import WeightedSum
from rankmax.workflows.searching.topic_search import load_ranker, model_ranker, search_topics

TEXTS = {"d1": "flow past a wing", "d2": "the wing and the wing", "d3": "heat", "d4": "heat flow", "d5": ""}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    documents = (Document(i, {"title": i, "text": text}) for i, text in TEXTS.items())
    return build_index(documents, tmp_path / "index", analyzer=Analyzer(stop="english"))


def same(one: Run, other: Run) -> bool:
    return one.to_dict() == other.to_dict() and list(one.document_ids) == list(other.document_ids)


def test_every_topic_is_ranked_as_it_is_alone(index: Index) -> None:
    topics = {"q1": "wing flow", "q2": "heat", "q3": "flow heat wing"}
    done: list[int] = []
    run = search_topics(index, topics, BM25(), 3, progress=done.append, tag="bm25")
    assert (run.query_ids, run.tag, done) == (("q1", "q2", "q3"), "bm25", [1, 2, 3])
    for number, text in enumerate(topics.values()):
        hits = search(Query(index, text), BM25(), 3)
        here = slice(*run.query_offsets[number : number + 2])
        assert list(run.document_ids[here]) == [index.ids[int(d)] for d in hits.documents]
        np.testing.assert_array_equal(run.scores[here], hits.scores)


def test_threads_change_nothing(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "text" / "cranfield"
    analyzer = Analyzer(stop="english", stemmer="porter2")
    index = build_index(read_documents(folder / "docs.jsonl.gz"), tmp_path / "index", analyzer=analyzer)
    topics = dict(list(read_topics(folder / "queries.tsv.gz").items())[:40])
    ranker = WeightedSum((BM25(), Dirichlet()), (1.0, 0.5), MinMax())
    alone = search_topics(index, topics, ranker, 100)
    assert alone.n_documents == 4000
    assert same(alone, search_topics(index, topics, ranker, 100, n_jobs=3))


def test_a_document_may_be_left_out(index: Index) -> None:
    run = search_topics(index, {"q1": "wing", "q2": "wing"}, BM25(), excluded={"q1": "d2", "q2": "unheard-of"})
    assert {query: list(found) for query, found in run.to_dict().items()} == {"q1": ["d1"], "q2": ["d2", "d1"]}


def test_topics_without_a_result_are_named(index: Index) -> None:
    with pytest.warns(UserWarning, match="no document was found for q1, q3: only stop words, or no document has any"):
        run = search_topics(index, {"q1": "the and", "q2": "wing", "q3": "unheard"}, BM25())
    assert [len(found) for found in run.to_dict().values()] == [0, 2, 0]
    with pytest.warns(UserWarning, match="q8, q9 and 2 more: "):
        search_topics(index, {f"q{n}": "the" for n in range(12)}, BM25(), n_jobs=2)


def test_a_model_ranks_the_whole_collection(index: Index, tmp_path: Path) -> None:
    model = LinearModel(np.array([2.0, 0.0, -1.0]), ("bm25:text", "clicks", "dirichlet(mu=10)"), MinMax())
    model.save(tmp_path / "model.json")
    ranker = load_ranker(tmp_path / "model.json")
    assert ranker == WeightedSum((BM25(fields=("text",)), Dirichlet(mu=10)), (2.0, -1.0), MinMax())
    assert search_topics(index, {"q1": "wing flow"}, ranker).n_documents == 3


def test_a_model_of_other_features_is_refused() -> None:
    with pytest.raises(IncompatibleError, match="feature 'clicks' cannot be computed from an index: unknown feature"):
        model_ranker(LinearModel(np.array([1.0, 1.0]), ("bm25", "clicks")))
    with pytest.raises(IncompatibleError, match="every weight of the model is 0"):
        model_ranker(LinearModel(np.array([0.0]), ("bm25",)))


def test_what_is_no_model_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown feature 'bm52'; did you mean 'bm25'"):
        load_ranker("bm52")
    with pytest.raises(DataFormatError, match=r"model\.json: no such file"):
        load_ranker(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("topics", "options", "error"),
    [
        ({"q 1": "wing"}, {}, InvalidDataError),
        ({"q1": "wing"}, {"tag": "two words"}, InvalidDataError),
        ({"q1": "wing"}, {"n_jobs": 0}, InvalidParameterError),
        ({"q1": "wing"}, {"depth": 0}, InvalidParameterError),
    ],
)
def test_bad_arguments_are_refused(index: Index, topics, options, error) -> None:
    with pytest.raises(error):
        search_topics(index, topics, BM25(), **options)


def test_an_error_in_a_thread_reaches_the_caller(index: Index) -> None:
    with pytest.raises(UnknownNameError, match="unknown field 'body'"):
        search_topics(index, {"q1": "wing", "q2": "flow"}, BM25(fields=("body",)), n_jobs=2)
