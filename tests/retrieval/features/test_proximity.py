"""Phrases and windows against Table 5, its subsets and Indri's windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.text_features import phrases, smoothed, windows
from oracles.texts import Case, cases, indexed
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features import Dirichlet, OrderedPhrases, UnorderedWindows, parse_feature
from rankmax.retrieval.queries.query import Query

mus = st.floats(0.01, 1e5)


@settings(max_examples=30)
@given(cases(), mus)
def test_ordered_phrases_are_their_definition(case: Case, mu: float) -> None:
    case.check(OrderedPhrases(mu, fields=case.fields), lambda c, query, d: smoothed(c, phrases(query), d, mu))


@settings(max_examples=30)
@given(cases(), mus, st.integers(1, 9), st.booleans())
def test_unordered_windows_are_their_definition(case: Case, mu: float, width: int, per_term: bool) -> None:
    case.check(
        UnorderedWindows(mu, width, per_term, fields=case.fields),
        lambda c, query, d: smoothed(c, windows(query, width, per_term), d, mu),
    )


def test_the_order_of_terms_matters_to_phrases_alone() -> None:
    index = indexed([{"text": "white house rose garden"}, {"text": "white rose house garden"}])
    query, both = Query(index, "white house rose garden"), np.arange(2)
    same, ordered, other = (feature().values(query, both) for feature in (Dirichlet, OrderedPhrases, UnorderedWindows))
    assert same[0] == same[1]
    assert ordered[0] > ordered[1]
    assert other[0] == other[1]


@pytest.mark.parametrize(("n_terms", "n_phrases", "n_windows"), [(1, 0, 0), (2, 1, 1), (8, 28, 247), (9, 36, 247)])
def test_long_queries_are_looked_for_in_part(n_terms: int, n_phrases: int, n_windows: int) -> None:
    words = [f"w{number}" for number in range(n_terms)]
    query = Query(indexed([{"text": " ".join(words)}]), " ".join(words))
    assert len(OrderedPhrases().expressions(query)) == n_phrases
    assert len(UnorderedWindows().expressions(query)) == n_windows


def test_the_bound_can_be_moved_and_cuts_the_largest_and_widest() -> None:
    query = Query(indexed([{"text": "a b c d"}]), "w x y z")
    pairs = [expression.terms for expression, _ in UnorderedWindows(most=4).expressions(query)]  # type: ignore[attr-defined]
    assert pairs == [("w", "x"), ("x", "y"), ("y", "z"), ("w", "y")]
    assert len(OrderedPhrases(most=2).expressions(query)) == 2


def test_a_query_of_200_terms_has_finite_values() -> None:
    words = [f"w{number}" for number in range(200)]
    index = indexed([{"text": " ".join(words)}, {"text": "w1 w0"}, {"text": ""}])
    for feature in (OrderedPhrases(), UnorderedWindows()):
        assert np.isfinite(feature.values(Query(index, " ".join(words)), np.arange(3))).all()


@pytest.mark.parametrize("text", ["", "the of", "absent", "absent missing"])
def test_a_query_without_phrases_says_nothing(text: str) -> None:
    index = indexed([{"text": "wing flow"}, {"text": "flow"}])
    for feature in (OrderedPhrases(), UnorderedWindows()):
        assert feature.values(Query(index, text), np.arange(2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("unordered(width=0)", "unordered: width=0 must be a whole number of at least 1"),
        ("unordered(most=0)", "unordered: most=0 must be"),
        ("ordered(most=-3)", "ordered: most=-3 must be"),
        ("ordered(mu=0)", "ordered: mu=0 must be a number above 0"),
        ("ordered(width=8)", "ordered has no parameter 'width'"),
    ],
)
def test_parameters_outside_their_range_are_named(name: str, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        parse_feature(name)


def test_widths_are_whole() -> None:
    with pytest.raises(InvalidParameterError, match="whole number"):
        UnorderedWindows(width=2.5)  # type: ignore[arg-type]


def test_names_lead_back() -> None:
    for one in (OrderedPhrases(mu=10, most=5), UnorderedWindows(width=4, per_term=True, fields=("title",))):
        assert parse_feature(one.name) == one
