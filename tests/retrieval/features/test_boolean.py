"""Boolean and occurrence scores against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.errors import UnknownNameError
from rankmax.retrieval.features import Boolean, Coordination, Occurrences
from rankmax.retrieval.queries.query import Query


@settings(max_examples=40)
@given(cases(), st.sampled_from(["all", "any"]))
def test_boolean_is_its_definition(case: Case, match: str) -> None:
    case.check(Boolean(match, fields=case.fields), lambda *args: oracle.boolean(*args, match))  # type: ignore[arg-type]


@settings(max_examples=25)
@given(cases())
def test_coordination_is_its_definition(case: Case) -> None:
    case.check(Coordination(fields=case.fields), oracle.coordination)


@settings(max_examples=25)
@given(cases())
def test_occurrences_are_their_definition(case: Case) -> None:
    case.check(Occurrences(fields=case.fields), oracle.occurrences)


def test_terms_may_stand_in_different_fields() -> None:
    index = indexed([{"title": "wing", "text": "flow"}, {"title": "wing wing", "text": "lift"}])
    query = Query(index, "flow wing")
    assert Boolean().values(query, np.arange(2)).tolist() == [1, 0]
    assert Boolean(fields=("title",)).values(query, np.arange(2)).tolist() == [0, 0]
    assert Boolean(match="any", fields=("text",)).values(query, np.arange(2)).tolist() == [1, 0]


def test_a_match_that_is_not_known_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown value of match: 'some'\. Known: all, any"):
        Boolean(match="some")  # type: ignore[arg-type]
