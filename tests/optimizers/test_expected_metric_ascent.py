"""Ascent on the expected metric, against the exact expectation along each coordinate."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.step_function import StepFunction
from rankmax.metrics import AP
from rankmax.optimizers.ascent import Ascent, Progress
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.spaces import Euclidean


@pytest.fixture(scope="module")
def objective() -> LinearObjective:
    return LinearObjective(planted_linear(30, 10, 3, noise=1.0, seed=4).data, AP())


def _maximize(
    objective: LinearObjective, optimizer: ExpectedMetricAscent, seen: list[Progress] | None = None
) -> Ascent:
    return optimizer.maximize(
        objective,
        Euclidean(),
        start=np.ones(3),
        rng=np.random.default_rng(0),
        callback=None if seen is None else seen.append,
    )


def test_each_weight_moves_to_the_highest_expectation(objective: LinearObjective) -> None:
    ascent = _maximize(objective, ExpectedMetricAscent(sigma=0.5, n_cycles=1))
    point = objective.at(np.ones(3))
    spread = objective.score_spread(point.weights)
    for axis, feature_spread in zip(np.eye(3), objective.feature_spread, strict=True):
        reach = 8 * spread / feature_spread
        function = objective.step_function(point, axis)
        near = np.abs(function.breakpoints) < 2 * reach  # steps further away have no effect within reach
        start = function.values[: near.size][near][0]
        values = np.append(start, function.values[1:][near])
        bounded = StepFunction(function.breakpoints[near], values, -reach, reach)
        point = objective.at(point.weights + bounded.smoothed(0.5 * spread / feature_spread).best()[0] * axis)
    np.testing.assert_allclose(ascent.weights, point.weights, rtol=0.02)


def test_history_has_the_end_of_each_cycle(objective: LinearObjective) -> None:
    seen: list[Progress] = []
    ascent = _maximize(objective, ExpectedMetricAscent(n_cycles=3), seen)
    assert tuple(seen) == ascent.history
    assert [progress.n_lines for progress in seen] == [0, 3, 6, 9]
    assert all(progress.value == objective.at(progress.weights).value for progress in seen)
    np.testing.assert_array_equal(ascent.weights, seen[-1].weights)


def test_units_of_features_and_weights_do_not_matter(objective: LinearObjective) -> None:
    data = objective.data
    other = LinearObjective(
        RankingDataset.from_arrays(
            data.features * [1.0, 1024.0, 0.25], data.grades, qid=data.judgments.query_of_document
        ),
        AP(),
    )
    here = _maximize(objective, ExpectedMetricAscent())
    there = ExpectedMetricAscent().maximize(
        other, Euclidean(), start=8.0 / np.array([1.0, 1024.0, 0.25]), rng=np.random.default_rng(0)
    )
    np.testing.assert_allclose(there.weights * [1.0, 1024.0, 0.25], 8.0 * here.weights, rtol=1e-9)


@pytest.mark.parametrize("wrong", [{"sigma": 0.0}, {"sigma": np.inf}, {"n_cycles": 0}, {"tolerance": -1.0}])
def test_parameters_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidParameterError):
        ExpectedMetricAscent(**wrong)  # type: ignore[arg-type]
