"""TF-IDF against its definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features import TFIDF


@settings(max_examples=30)
@given(cases(), st.floats(0, 3), st.floats(0, 1), st.floats(0, 9))
def test_tfidf_is_its_definition(case: Case, k1: float, b: float, k3: float) -> None:
    case.check(TFIDF(k1, b, k3, fields=case.fields), lambda *args: oracle.tfidf(*args, k1, b, k3))


@pytest.mark.parametrize("parameters", [{"k1": -1}, {"b": 2}, {"k3": -1}])
def test_parameters_outside_their_range_are_named(parameters: dict[str, float]) -> None:
    with pytest.raises(InvalidParameterError, match=f"tfidf: {next(iter(parameters))}=.* must be a number"):
        TFIDF(**parameters)
