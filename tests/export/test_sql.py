from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from oracles.engines import sql_scores
from oracles.exported import Problem, check_same_order, expected_gain_problems, linear_problems
from rankmax.data.normalise import MinMax, Normalisation, Percentile, Sum, Unchanged, ZScore, normalisation_names
from rankmax.errors import IncompatibleError
from rankmax.export.named import export_model
from rankmax.models import LinearModel

OF_LISTS = [
    Normalisation.named(name)
    for name in normalisation_names()
    if name == "l2" or name.startswith(("retrieved", "opensearch", "reciprocal"))
]


@settings(max_examples=25)
@given(linear_problems([Unchanged(), MinMax(), ZScore(), Percentile(), Sum()]))
def test_ranks_features_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "sql", sql_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems(OF_LISTS, missing=True))
def test_ranks_lists_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "sql", sql_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems([Unchanged(), Sum()], indicators=["{}>12.5", "percentile({})>0.4", "z-score({})>0"]))
def test_binned_features(problem: Problem) -> None:
    check_same_order(problem, "sql", sql_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(expected_gain_problems([Unchanged(), MinMax()]))
def test_expected_gains(problem: Problem) -> None:
    check_same_order(problem, "sql", sql_scores, tolerance=1e-12)


@pytest.mark.parametrize("name", normalisation_names())
def test_scores_are_those_of_the_model(name: str) -> None:
    model = LinearModel([0.5, 2.0], ("bm25", "e5"), Normalisation.named(name))
    problem = Problem(model, {"bm25": [3, 7, 0, 4], "e5": [0.5, 0.0, 0.25, 0.125]})  # integers divide as numbers do
    np.testing.assert_allclose(sql_scores(export_model(model, "sql").text, problem.columns), problem.scores)


def test_logits_far_apart_neither_overflow_nor_underflow() -> None:
    from rankmax.models.expected_gain import ExpectedGainModel

    model = ExpectedGainModel([0, 1], [0, 1], [[0.0], [5000.0]], [0.0, 0.0], ("bm25",))
    assert sql_scores(export_model(model, "sql").text, {"bm25": [1.0, -1.0, 0.0]}) == [1.0, 0.0, 0.5]


def test_a_feature_called_query_is_refused() -> None:
    with pytest.raises(IncompatibleError, match="called query or document"):
        export_model(LinearModel([1.0], ("Query",)), "sql")
