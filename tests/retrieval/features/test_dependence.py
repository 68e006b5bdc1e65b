"""Dependence models against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features import Dirichlet, FullDependence, SequentialDependence
from rankmax.retrieval.queries.query import Query

weights = st.tuples(*[st.floats(0, 2)] * 3)


@settings(max_examples=30)
@given(cases(), st.floats(1, 5000), weights, st.integers(1, 5))
def test_sequential_dependence_is_its_definition(
    case: Case, mu: float, weights: tuple[float, float, float], width: int
) -> None:
    case.check(
        SequentialDependence(mu, *weights, width, fields=case.fields),
        lambda *args: oracle.sequential_dependence(*args, mu, weights, width),
    )


@settings(max_examples=30)
@given(cases(), st.floats(1, 5000), weights, st.integers(1, 5))
def test_full_dependence_is_its_definition(
    case: Case, mu: float, weights: tuple[float, float, float], width: int
) -> None:
    case.check(
        FullDependence(mu, *weights, width, fields=case.fields),
        lambda *args: oracle.full_dependence(*args, mu, weights, width),
    )


@pytest.mark.parametrize("model", [SequentialDependence, FullDependence])
def test_one_term_alone_is_query_likelihood(model: type[SequentialDependence | FullDependence]) -> None:
    index = indexed([{"text": "wing flow wing"}, {"text": "flow"}, {"title": "wing", "text": "lift of a wing"}])
    query = Query(index, "wing")
    expected = 0.85 * Dirichlet().values(query, np.arange(3))
    np.testing.assert_allclose(model().values(query, np.arange(3)), expected)


def test_a_query_of_200_terms_looks_for_a_bounded_number_of_expressions() -> None:
    words = [f"w{number}" for number in range(200)]
    index = indexed([{"text": " ".join(words)}, {"text": " ".join(reversed(words))}])
    query = Query(index, " ".join(words))
    assert len(FullDependence().expressions(query)) == 200 + 2 * 247
    assert len(SequentialDependence().expressions(query)) == 200 + 2 * 199
    in_order, reverse = FullDependence().values(query, np.arange(2))
    assert in_order > reverse


@pytest.mark.parametrize("parameters", [{"terms": -1}, {"ordered": "x"}, {"width": 0}, {"width": 2.5}])
def test_parameters_outside_their_range_are_named(parameters: dict[str, int]) -> None:
    with pytest.raises(InvalidParameterError, match=f"sdm: {next(iter(parameters))}=.* must be a"):
        SequentialDependence(**parameters)
