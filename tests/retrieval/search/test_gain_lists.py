from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.retrieval.features import BM25, Dirichlet, ExpressionSum
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.gain_lists import GainLists

TEXTS = ["flow past a wing", "a wing and a wing", "heat", "heat flow", ""]


class Counted(BM25):
    calls = 0

    def gain(self, frequencies, lengths, sought):
        Counted.calls += 1
        return super().gain(frequencies, lengths, sought)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return build_index([Document(f"d{n}", {"text": text}) for n, text in enumerate(TEXTS)], tmp_path / "index")


@pytest.fixture(autouse=True)
def start_counting() -> None:
    Counted.calls = 0


def test_gains_are_computed_once(index: Index) -> None:
    lists = GainLists(index, Counted(), memory=10_000)
    for text in ("wing flow", "flow heat", "heat wing wing"):
        lists.of(Query(index, text))
    assert Counted.calls == 3


def test_lists_are_dropped_when_memory_is_used_up(index: Index) -> None:
    lists = GainLists(index, Counted(), memory=16 * 4)  # four postings; every term here has two
    held = [lists.of(Query(index, text)) for text in ("wing flow", "flow heat", "wing flow")]
    assert Counted.calls == 2 + 2 + 2
    assert max(len(one.gains) for one in held) == 4


def test_a_query_that_needs_more_than_the_memory_gets_it(index: Index) -> None:
    lists = GainLists(index, Dirichlet(), memory=0)
    query, documents = Query(index, "wing flow heat"), np.arange(len(TEXTS))
    np.testing.assert_array_equal(lists.values(query, documents), Dirichlet().values(query, documents))


def test_what_is_more_than_a_sum_is_not_held() -> None:
    class Doubled(BM25):
        def values(self, query, documents):
            return 2 * super().values(query, documents)

    class Fewer(BM25):
        def sought(self, query):
            return super().sought(query)[:1]

    assert GainLists.can_hold(BM25())
    assert not GainLists.can_hold(Doubled())
    assert not GainLists.can_hold(Fewer())
    assert not GainLists.can_hold(ExpressionSum)
