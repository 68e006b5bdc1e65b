from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, RR, nDCG
from rankmax.optimizers.optimizer import AscentState, Budget
from rankmax.optimizers.steepest_ascent import SteepestAscent, _gradient
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex


def ascend(optimizer, objective, space, start):
    return optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(0))


def test_finds_a_planted_optimum() -> None:
    problem = planted_linear(60, 15, 4, seed=3)
    objective = LinearObjective(problem.data, nDCG() @ 10)
    assert ascend(SteepestAscent(), objective, Euclidean(), np.ones(4)).value > 0.98


@pytest.mark.parametrize("seed", range(5))
def test_two_weights_are_searched_completely(seed: int) -> None:
    """On the simplex of two features every direction is the same line; its best is known by a fine scan."""
    objective = LinearObjective(planted_linear(40, 8, 2, noise=0.5, seed=seed).data, AP())
    ascent = ascend(SteepestAscent(step=0.1), objective, Simplex(), [0.5, 0.5])
    shares = np.linspace(0, 1, 2001)
    assert ascent.value >= objective.values(np.column_stack([1 - shares, shares])).max()


def test_the_gradient_is_made_of_central_differences() -> None:
    objective = LinearObjective(planted_linear(30, 10, 3, noise=0.5, seed=1).data, AP())
    w, h = np.array([0.5, -1.0, 2.0]), 0.2
    expected = [(objective.at(w + h * e).value - objective.at(w - h * e).value) / (2 * h) for e in np.eye(3)]
    gradient = _gradient(AscentState(objective, Euclidean(), w, Budget(), None), h)
    assert gradient == pytest.approx(expected)
    assert gradient.any()


def test_a_weight_at_the_edge_of_the_space_can_only_rise() -> None:
    """The difference is one-sided there, and a harmful feature, which can sink no lower, stays where it is."""
    objective = LinearObjective(planted_linear(30, 10, 3, seed=1).data, AP())
    for j, e in enumerate(np.eye(3)):
        w = Simplex().project(1 - e)
        state = AscentState(objective, Simplex(), w, Budget(), None)
        one_sided = (objective.at(w + 0.1 * e).value - objective.at(w).value) / 0.1
        assert one_sided != 0
        assert _gradient(state, 0.1)[j] == pytest.approx(max(one_sided, 0.0))


def test_the_scale_of_the_weights_does_not_matter() -> None:
    objective = LinearObjective(planted_linear(20, 10, 4, noise=0.5, seed=2).data, AP())
    small, large = (ascend(SteepestAscent(), objective, Euclidean(), c * np.ones(4)) for c in (1.0, 1024.0))
    assert large.weights == pytest.approx(1024.0 * small.weights)
    assert large.value == small.value


@pytest.mark.parametrize("space", [Euclidean(), Simplex(), AugmentedSimplex()])
def test_a_flat_neighborhood_ends_the_ascent(space) -> None:
    """No swap is within reach of the step, so there is no direction to go."""
    data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
    objective = LinearObjective(space.prepare(data), RR())
    ascent = ascend(SteepestAscent(step=1e-6), objective, space, space.embed([1.0, 0.1]))
    assert (ascent.n_lines, ascent.value, ascent.stopped_by) == (0, 0.5, "converged")


@pytest.mark.parametrize(("budget", "n_evaluations"), [({"seconds": 1e-9}, 0), ({"evaluations": 7}, 6)])
def test_differences_are_within_the_budget_too(budget, n_evaluations: int) -> None:
    """Three weights cost six evaluations a gradient; where the seventh is not enough for another, none is begun."""
    objective = LinearObjective(planted_linear(5, 5, 3, noise=1.0, seed=1).data, AP())
    ascent = ascend(SteepestAscent(budget=Budget(**budget)), objective, Euclidean(), np.ones(3))
    assert ascent.stopped_by == next(iter(budget))
    assert ascent.n_evaluations == n_evaluations


@pytest.mark.parametrize("parameters", [{"step": 0.0}, {"step": np.nan}, {"step": np.inf}, {"tolerance": -1.0}])
def test_bad_parameters_are_refused(parameters) -> None:
    with pytest.raises(InvalidParameterError):
        SteepestAscent(**parameters)
