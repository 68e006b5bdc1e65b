from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.search import best_documents
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.preprocessing.feature_normalization import MinMax, ZScore
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25, Dirichlet, ExpressionSum, JelinekMercer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Ordered, Query
from rankmax.retrieval.search.collection_search import Searcher, search
from rankmax.retrieval.search.weighted_sum import WeightedSum

WORDS = ["wing", "flow", "heat", "lift", "shock", "plate", "layer", "drag"]


@dataclass(frozen=True)
class Canceling(ExpressionSum):
    """Gains that are zero, cancel, and tie."""

    symbol: ClassVar[str] = "canceling"

    def gain(self, frequencies, lengths, sought):
        return np.where(sought.document_frequency % 2, 1.0, -1.0) * (frequencies % 3 - 1.0)


@dataclass(frozen=True)
class Pairs(ExpressionSum):
    """Looks for neighbors, so that documents with a term may have nothing of what is looked for."""

    symbol: ClassVar[str] = "pairs"

    def expressions(self, query):
        return [(Ordered(pair), 1.0) for pair in zip(query.terms, query.terms[1:], strict=False)]

    def gain(self, frequencies, lengths, sought):
        return np.sqrt(frequencies)

    def base(self, lengths, sought):
        return -np.log1p(lengths) * len(sought)


@dataclass(frozen=True)
class Number:
    """Known of a document, whatever the query."""

    name: str = "number"

    def values(self, query, documents):
        return np.asarray(documents % 5, np.float64)


RANKERS = [
    BM25(),
    BM25(fields=("title",)),
    Dirichlet(mu=10),
    JelinekMercer(fields=("text",)),
    Canceling(),
    Pairs(),
    Number(),
    WeightedSum((BM25(), Number()), (1.0, -0.5)),
    WeightedSum((BM25(fields=("title",)), Dirichlet(fields=("text",)), Pairs()), (1.0, 0.25, 2.0), MinMax()),
    WeightedSum((Canceling(), Dirichlet()), (1.0, 1.0), ZScore()),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, len(WORDS) + 1)

    def words(n: int) -> str:
        return " ".join(rng.choice(WORDS, n, p=shares / shares.sum()))

    documents = [Document(f"d{n}", {"title": words(n % 3), "text": words(n % 11)}) for n in range(300)]
    return build_index(documents, tmp_path_factory.mktemp("search") / "index")


@pytest.fixture(scope="module")
def searchers(index: Index) -> list[Searcher]:
    """Searchers that serve all examples, with so little memory that they forget in between."""
    return [Searcher(index, ranker, memory=4000) for ranker in RANKERS]


@given(
    number=st.integers(0, len(RANKERS) - 1),
    words=st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=6),
    k=st.sampled_from([1, 2, 3, 10, 50, 1000]),
    exclude=st.none() | st.integers(0, 299),
)
def test_it_is_sorting_all_documents(index, searchers, number, words, k, exclude) -> None:
    query = Query(index, " ".join(words))
    hits = searchers[number].search(query, k, exclude=exclude)
    documents, scores = best_documents(query, RANKERS[number], k, exclude=exclude)
    np.testing.assert_array_equal(hits.documents, documents)
    np.testing.assert_array_equal(hits.scores, scores)
    alone = search(query, RANKERS[number], k, exclude=exclude)
    np.testing.assert_array_equal(alone.documents, documents)


def test_real_text(shared_data: Path, tmp_path: Path) -> None:
    from rankmax.formats.topics import read_topics
    from rankmax.retrieval.index.document_files import read_documents

    folder = shared_data / "text" / "cranfield"
    analyzer = Analyzer(stop="english", stemmer="porter2")
    index = build_index(read_documents(folder / "docs.jsonl.gz"), tmp_path / "index", analyzer=analyzer)
    rankers = [BM25(), Dirichlet()]
    searchers = [Searcher(index, ranker) for ranker in rankers]
    for text in list(read_topics(folder / "queries.tsv.gz").values())[:20]:
        for ranker, searcher in zip(rankers, searchers, strict=True):
            query = Query(index, text)
            hits = searcher.search(query, 200)
            found = query.documents()
            values = ranker.values(query, found)
            order = np.argsort(-values, kind="stable")[:200]
            np.testing.assert_array_equal(hits.documents, found[order])
            np.testing.assert_array_equal(hits.scores, values[order])


def test_a_query_without_terms_finds_nothing(index: Index) -> None:
    for ranker in RANKERS:
        assert len(search(Query(index, "..."), ranker, 10)) == 0


def test_a_long_query_is_fine(index: Index) -> None:
    query = Query(index, " ".join(WORDS * 25))
    hits = search(query, BM25(), 1000)
    np.testing.assert_array_equal(hits.documents, best_documents(query, BM25(), 1000)[0])


def test_it_refuses_what_makes_no_sense(index: Index, tmp_path: Path) -> None:
    query = Query(index, "wing")
    with pytest.raises(InvalidParameterError, match="k must be at least 1, not 0"):
        search(query, BM25(), 0)
    with pytest.raises(InvalidParameterError, match=f"exclude is 1000; .* 0 to {index.n_documents - 1}"):
        search(query, WeightedSum((BM25(),), (1.0,)), 10, exclude=1000)
    with pytest.raises(UnknownNameError, match="unknown field 'body'"):
        search(query, BM25(fields=("body",)), 10)
    other = build_index([Document("d1", {"text": "wing"})], tmp_path / "other")
    with pytest.raises(InvalidParameterError, match="another index"):
        Searcher(other, BM25()).search(query, 10)


def test_values_that_are_not_finite_name_their_feature(index: Index) -> None:
    @dataclass(frozen=True)
    class Broken(Number):
        def values(self, query, documents):
            return np.where(documents == 7, np.nan, 1.0)

    @dataclass(frozen=True)
    class Infinite(Canceling):
        def gain(self, frequencies, lengths, sought):
            return frequencies * np.inf

    query = Query(index, "wing flow")
    with pytest.raises(InvalidDataError, match="number: the value of document 'd7' is not finite"):
        search(query, Broken(), 10)
    with pytest.raises(InvalidDataError, match=r"canceling: the gain of Term\(term='wing'\) is not finite"):
        search(query, Infinite(), 10)
