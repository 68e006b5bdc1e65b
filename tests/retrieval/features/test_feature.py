"""What all sums over expressions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from oracles.texts import indexed
from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.features import ExpressionSum, registered_features
from rankmax.retrieval.features.feature import Sought
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query

SUMS = [kind for kind in registered_features() if issubclass(kind, ExpressionSum)]


@dataclass(frozen=True)
class Statistics(ExpressionSum):
    """Every number that a gain may use, each in decimal places of its own."""

    symbol: ClassVar[str] = "statistics"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        common = sought.document_frequency + 10 * sought.collection_frequency + 100 * sought.n_documents
        return common + 1000 * sought.n_occurrences + 100_000 * frequencies + 1e6 * lengths


@pytest.fixture(scope="module")
def index() -> Index:
    return indexed([{"title": "wing", "text": "wing flow the flow"}, {"text": "heat"}, {"text": "a wing"}, {}])


def test_gains_see_the_statistics_of_their_scope(index: Index) -> None:
    query = Query(index, "flow")
    assert Statistics().values(query, np.arange(4)).tolist() == [4206421, 0, 0, 0]
    assert Statistics(fields=("title",)).values(query, np.arange(4)).tolist() == [0, 0, 0, 0]
    assert Statistics(fields=("text",)).values(Query(index, "wing"), np.array([2])).tolist() == [1105422]


def test_weights_are_times_in_the_query(index: Index) -> None:
    once, twice = (Statistics().values(Query(index, text), np.arange(4)) for text in ("wing", "wing WING"))
    np.testing.assert_array_equal(2 * once, twice)


@pytest.mark.parametrize("kind", SUMS, ids=lambda kind: kind.symbol)
@pytest.mark.parametrize("text", ["", "the of", "?!"])
def test_a_query_without_terms_tells_no_documents_apart(index: Index, kind: type[ExpressionSum], text: str) -> None:
    values = kind().values(Query(index, text), np.array([2, 0, 3]))
    assert values.tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", SUMS, ids=lambda kind: kind.symbol)
def test_terms_that_no_document_has_give_finite_values(index: Index, kind: type[ExpressionSum]) -> None:
    values = kind().values(Query(index, "absent wing missing"), np.arange(4))
    assert np.isfinite(values).all()
    assert kind().values(Query(index, "absent missing"), np.arange(4)).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("kind", SUMS, ids=lambda kind: kind.symbol)
def test_no_documents_have_no_values(index: Index, kind: type[ExpressionSum]) -> None:
    assert kind().values(Query(index, "wing flow"), np.zeros(0, np.int64)).shape == (0,)


@pytest.mark.parametrize("kind", SUMS, ids=lambda kind: kind.symbol)
def test_a_query_of_200_terms_has_values(index: Index, kind: type[ExpressionSum]) -> None:
    words = ["wing", "flow", "heat", *(f"w{number}" for number in range(197))]
    assert np.isfinite(kind().values(Query(index, " ".join(words)), np.arange(4))).all()


def test_an_empty_index_has_no_values() -> None:
    query = Query(indexed([]), "wing")
    for kind in SUMS:
        assert kind().values(query, np.zeros(0, np.int64)).shape == (0,)


def test_fields_may_be_a_list_or_one_name() -> None:
    assert Statistics(fields=["title"]) == Statistics(fields="title") == Statistics(fields=("title",))  # type: ignore[arg-type]


def test_a_field_named_twice_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="statistics: a field is named twice: a, a"):
        Statistics(fields=("a", "a"))


def test_a_field_that_the_index_lacks_is_an_error(index: Index) -> None:
    with pytest.raises(UnknownNameError, match="unknown field 'body'"):
        Statistics(fields=("body",)).values(Query(index, "wing"), np.arange(4))
