from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.optimizers.faces import Box
from rankmax.optimizers.survey import Survey, survey
from rankmax.spaces import Euclidean, Simplex


def noisy(n_features: int, metric: str = "AP") -> LinearObjective:
    return LinearObjective(planted_linear(15, 10, n_features, noise=1.0, seed=3).data, parse_metric(metric))


def cells_of(found: Survey, points: np.ndarray) -> np.ndarray:
    """Return the number of the closed cell that holds each point."""
    shares = np.einsum("cij,pj->cpi", np.linalg.inv(found.vertices.transpose(0, 2, 1)), points)
    number: np.ndarray = np.argmax(shares.min(axis=2), axis=0)
    return number


@pytest.mark.parametrize("metric", ["AP", "nDCG@3", "RR"])
@pytest.mark.parametrize("n_features", [2, 3, 4])
def test_sampled_weights_are_where_they_are_proven_to_be(metric: str, n_features: int) -> None:
    objective = noisy(n_features, metric)
    points = np.random.default_rng(0).dirichlet(np.ones(n_features), 500)
    values = objective.values(points)
    level = float(np.quantile(values, 0.7)) - 1e-6  # between values, which are rounded
    found = survey(objective, level, depth=9)
    cell = cells_of(found, points)
    assert (values[found.is_above[cell]] >= level).all()
    assert (values[found.is_below[cell]] < level).all()
    assert found.shares.sum() == pytest.approx(1)
    assert 0 <= found.at_least <= found.at_most <= 1
    reaching = (values >= level).mean()
    assert found.at_least - 0.1 <= reaching <= found.at_most + 0.1  # of 500 samples


def test_deeper_is_closer() -> None:
    objective = noisy(3)
    level = objective.at(np.full(3, 1 / 3)).value
    rests = [found.at_most - found.at_least for found in (survey(objective, level, depth=d) for d in (4, 8, 14))]
    assert rests[0] > rests[1] > rests[2]
    assert rests[2] < 0.1
    hasty = survey(objective, level, work=1)
    assert (hasty.at_least, hasty.at_most) == (0, 1)


def test_two_weights_agree_with_the_step_function() -> None:
    objective = noisy(2)
    level = 0.5 * (objective.at([0.5, 0.5]).value + objective.at([1.0, 0.0]).value)
    steps = objective.step_function(objective.at([0.5, 0.5]), np.array([1.0, -1.0]), low=-0.5, high=0.5)
    exact = np.diff(steps.edges)[steps.values >= level].sum()
    found = survey(objective, level)
    assert found.at_least <= exact <= found.at_most <= found.at_least + 1e-3


def test_other_spaces_have_shares_too() -> None:
    objective = noisy(3)
    level = objective.at(np.full(3, 1 / 3)).value
    simplex, anywhere = (survey(objective, level, space, depth=8) for space in (Simplex(), Euclidean()))
    assert anywhere.vertices.shape[1:] == (3, 3)
    assert anywhere.at_least >= simplex.at_least / 8  # one of eight octants
    box = survey(objective, level, Box((1.0, 0.0, 0.0), (1.0, 2.0, 1.0)), depth=8)
    assert box.shares.sum() == pytest.approx(1)
    sides = survey(objective, 0.0, Box((0.0, 0.0, 0.0), (1.0, 2.0, 1.0)))
    assert (sides.at_least, sides.at_most) == (1, 1)


def test_one_feature_is_above_or_below() -> None:
    objective = noisy(1)
    value = objective.at([1.0]).value
    assert survey(objective, value - 0.01).at_least == 1
    assert survey(objective, value + 0.01).at_most == 0
