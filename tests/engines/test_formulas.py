from __future__ import annotations

import re
from collections.abc import Callable

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from oracles.engines import python_scores, sql_scores
from oracles.exported import Problem, check_same_order, expected_gain_problems, linear_problems, varying_problems
from rankmax.engines.formulas import identifiers, number, weighted_sum
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import (
    MinMax,
    Normalization,
    Percentile,
    Sum,
    Unchanged,
    ZScore,
)
from rankmax.preprocessing.registry import normalization_names

OF_LISTS = [
    Normalization.named(name)
    for name in normalization_names()
    if name == "l2" or name.startswith(("retrieved", "elasticsearch", "opensearch", "reciprocal", "milvus"))
]
OF_FEATURES = [Unchanged(), MinMax(), ZScore(), Percentile(), Sum()]
BINNED = ["{}>12.5", "percentile({})>0.4", "z-score({})>0"]
SCORERS: dict[str, Callable[..., list[float]]] = {"python": python_scores, "sql": sql_scores}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_every_bit(value: float) -> None:
    assert float(number(value)) == value
    assert re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?", number(value))


@given(st.lists(st.text(), unique=True))
def test_identifiers_are_distinct_whatever_the_case(names: list[str]) -> None:
    found = identifiers(names, "f_")
    assert list(found) == names
    assert len({identifier.casefold() for identifier in found.values()}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_]+", identifier) for identifier in found.values())


@given(st.lists(st.floats(-1e6, 1e6)), st.floats(-1e6, 1e6))
def test_sums_are_sums(weights: list[float], constant: float) -> None:
    text = weighted_sum([(weight, "x") for weight in weights], constant)
    assert eval(text, {"x": 1.0}) == pytest.approx(constant + sum(weights), abs=1e-6)


@pytest.mark.parametrize("target", SCORERS)
@pytest.mark.parametrize(
    "problems",
    [
        pytest.param(linear_problems(OF_FEATURES), id="features"),
        pytest.param(linear_problems(OF_LISTS, missing=True), id="lists"),
        pytest.param(linear_problems([Unchanged(), Sum()], indicators=BINNED), id="binned features"),
        pytest.param(expected_gain_problems([Unchanged(), MinMax()]), id="expected gains"),
        pytest.param(varying_problems([Unchanged(), *OF_LISTS]), id="weights by query"),
    ],
)
def test_ranks_as_the_model_does(target: str, problems: st.SearchStrategy[Problem]) -> None:
    @settings(max_examples=25)
    @given(problem=problems)
    def check(problem: Problem) -> None:
        check_same_order(problem, target, SCORERS[target], tolerance=1e-12)

    check()


@pytest.mark.parametrize("target", SCORERS)
@pytest.mark.parametrize("name", normalization_names())
def test_scores_are_those_of_the_model(name: str, target: str) -> None:
    model = LinearModel([0.5, 2.0], ("bm25", "e5"), Normalization.named(name))
    problem = Problem(model, {"bm25": [3, 7, 0, 4], "e5": [0.5, 0.0, 0.25, 0.125]})  # integers divide as numbers do
    np.testing.assert_allclose(SCORERS[target](export_model(model, target).text, problem.columns), problem.scores)
