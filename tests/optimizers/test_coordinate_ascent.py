from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Budget
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex


@given(seed=st.integers(0, 1000), shuffled=st.booleans(), space=st.sampled_from([Euclidean(), Simplex()]))
def test_never_below_its_start_and_inside_its_space(seed: int, shuffled: bool, space) -> None:
    objective = LinearObjective(planted_linear(4, 8, 3, noise=1.0, seed=seed).data, AP())
    rng = np.random.default_rng(seed)
    start = space.sample(3, rng)
    ascent = CoordinateAscent(shuffled=shuffled).maximize(objective, space, start=start, rng=rng)
    assert ascent.value >= objective.at(start).value
    assert ascent.value == objective.at(ascent.weights).value
    assert space.contains(ascent.weights)
    assert ascent.stopped_by == "converged"


def test_finds_a_planted_optimum() -> None:
    problem = planted_linear(60, 15, 4, seed=3)
    objective = LinearObjective(problem.data, nDCG() @ 10)
    ascent = CoordinateAscent().maximize(objective, Euclidean(), start=np.ones(4), rng=np.random.default_rng(0))
    assert objective.at(problem.weights).value == pytest.approx(1.0)
    assert ascent.value > 0.99


def test_two_weights_are_searched_completely() -> None:
    """With two features all directions are one line (up to scale), so one line per sign finds the global maximum."""
    problem = planted_linear(10, 8, 2, noise=0.5, seed=5)
    objective = LinearObjective(problem.data, AP())
    ascent = CoordinateAscent().maximize(objective, Simplex(), start=[0.5, 0.5], rng=np.random.default_rng(0))
    grid = [objective.at([1 - x, x]).value for x in np.linspace(0, 1, 2001)]
    assert ascent.value >= max(grid)


def test_history_rises_and_callback_sees_it() -> None:
    seen = []
    objective = LinearObjective(planted_linear(20, 10, 5, noise=0.5, seed=1).data, AP())
    ascent = CoordinateAscent().maximize(
        objective, Euclidean(), start=np.ones(5), rng=np.random.default_rng(0), callback=seen.append
    )
    assert tuple(seen) == ascent.history
    values = [progress.value for progress in ascent.history]
    assert values == sorted(values)
    assert values[-1] == ascent.value
    assert values[0] == objective.at(np.ones(5)).value


@pytest.mark.parametrize(("budget", "reason"), [(Budget(lines=3), "lines"), (Budget(seconds=1e-9), "seconds")])
def test_budget(budget: Budget, reason: str) -> None:
    objective = LinearObjective(planted_linear(20, 10, 5, noise=0.5, seed=1).data, AP())
    ascent = CoordinateAscent(budget=budget).maximize(
        objective, Euclidean(), start=np.ones(5), rng=np.random.default_rng(0)
    )
    assert ascent.stopped_by == reason
    assert ascent.n_lines <= 3


def test_an_interrupt_at_the_start_returns_the_start() -> None:
    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    objective = LinearObjective(planted_linear(20, 10, 5, noise=0.5, seed=1).data, AP())
    ascent = CoordinateAscent().maximize(
        objective, Euclidean(), start=np.ones(5), rng=np.random.default_rng(0), callback=interrupt
    )
    assert (ascent.stopped_by, ascent.value) == ("interrupted", objective.at(np.ones(5)).value)


def test_an_interrupt_returns_the_best_so_far() -> None:
    def interrupt(progress: object) -> None:
        if progress.n_lines:  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    objective = LinearObjective(planted_linear(20, 10, 5, noise=0.5, seed=1).data, AP())
    ascent = CoordinateAscent().maximize(
        objective, Euclidean(), start=np.ones(5), rng=np.random.default_rng(0), callback=interrupt
    )
    assert ascent.stopped_by == "interrupted"
    assert ascent.value > objective.at(np.ones(5)).value


@pytest.mark.parametrize("space", [Euclidean(), Simplex(), AugmentedSimplex()], ids=lambda space: space.name)
@pytest.mark.parametrize("threshold", [0.0, 0.02, 0.1, 1.0])
def test_a_weight_leaves_zero_only_for_enough(space, threshold: float) -> None:
    objective = LinearObjective(space.prepare(planted_linear(20, 10, 6, noise=0.3, seed=1).data), AP())
    ascent = CoordinateAscent(min_entry_gain=threshold).maximize(
        objective, space, start=space.embed([1.0, 0, 0, 0, 0, 0]), rng=np.random.default_rng(0)
    )
    entered = 0
    for before, after in pairwise(ascent.history):
        if ((space.restore(before.weights) == 0) & (space.restore(after.weights) != 0)).any():
            entered += 1
            assert after.value - before.value > threshold
    assert (entered == 0) == (threshold == 1.0)
    here = objective.at(ascent.weights)
    for j in np.flatnonzero(space.restore(here.weights) == 0):
        line = space.line(here.weights, np.eye(objective.n_features)[j])
        best = objective.line_search(here, line.direction, low=line.low, high=line.high)
        assert best.value - here.value <= max(threshold, CoordinateAscent().tolerance)


def test_other_weights_move_for_any_gain() -> None:
    objective = LinearObjective(planted_linear(20, 10, 6, noise=0.3, seed=1).data, AP())
    ascents = [
        CoordinateAscent(min_entry_gain=threshold).maximize(
            objective, Euclidean(), start=np.ones(6), rng=np.random.default_rng(0)
        )
        for threshold in (0.0, 1.0)
    ]
    assert np.array_equal(ascents[0].weights, ascents[1].weights)


@pytest.mark.parametrize("parameters", [{"min_entry_gain": -0.1}, {"min_entry_gain": np.nan}, {"tolerance": -1.0}])
def test_bad_parameters_are_refused(parameters) -> None:
    with pytest.raises(InvalidParameterError):
        CoordinateAscent(**parameters)
