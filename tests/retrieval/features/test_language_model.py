"""Query likelihood against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles.retrieval as oracle
from oracles.texts import Case, cases, indexed
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features import Dirichlet, JelinekMercer
from rankmax.retrieval.query import Query


@settings(max_examples=30)
@given(cases(), st.floats(0.01, 1e6))
def test_dirichlet_is_its_definition(case: Case, mu: float) -> None:
    case.check(Dirichlet(mu, fields=case.fields), lambda *args: oracle.dirichlet(*args, mu))


@settings(max_examples=30)
@given(cases(), st.floats(0.001, 1))
def test_jelinek_mercer_is_its_definition(case: Case, background: float) -> None:
    case.check(JelinekMercer(background, fields=case.fields), lambda *args: oracle.jelinek_mercer(*args, background))


@pytest.mark.parametrize("function", [Dirichlet(), JelinekMercer()])
def test_terms_of_no_document_change_nothing(function: Dirichlet | JelinekMercer) -> None:
    index = indexed([{"text": "wing flow"}, {"text": "heat"}])
    with_it, without = (function.values(Query(index, text), np.arange(2)) for text in ("wing zzz", "wing"))
    np.testing.assert_array_equal(with_it, without)


@pytest.mark.parametrize("mu", [0, -1, float("nan"), float("inf"), True, "many"])
def test_mu_is_a_number_above_0(mu: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"dirichlet: mu=.* must be a number above 0"):
        Dirichlet(mu=mu)


@pytest.mark.parametrize("background", [0, 1.1])
def test_background_is_above_0_and_at_most_1(background: float) -> None:
    with pytest.raises(InvalidParameterError, match="must be a number above 0 and at most 1"):
        JelinekMercer(background=background)
