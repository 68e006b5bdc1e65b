from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers import ascent_state
from rankmax.optimizers.grid_search import GridSearch
from rankmax.optimizers.optimizer import Budget
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex


def ascend(optimizer, objective, space, start=None):
    start = space.start(objective.n_features) if start is None else start
    return optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(0))


def enumerated(n_steps: int, n_features: int) -> list[tuple[int, ...]]:
    """Return all points of the grid in units of the step: every tuple tried."""
    return [k for k in product(range(n_steps + 1), repeat=n_features) if sum(k) == n_steps]


@pytest.mark.parametrize(("n_steps", "n_features"), [(10, 3), (20, 5), (100, 2), (3, 46), (49, 7)])
def test_the_count_is_known_beforehand(n_steps: int, n_features: int) -> None:
    assert GridSearch(step=1 / n_steps).n_points(n_features) == math.comb(n_steps + n_features - 1, n_features - 1)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n_steps=st.integers(1, 5))
def test_finds_the_best_point_of_the_grid(seed: int, n_steps: int) -> None:
    objective = LinearObjective(planted_linear(4, 8, 3, noise=1.0, seed=seed).data, nDCG() @ 5)
    start = Simplex().start(3)
    ascent = ascend(GridSearch(step=1 / n_steps), objective, Simplex())
    values = [objective.at(np.array(k) / n_steps).value for k in enumerated(n_steps, 3)]
    assert ascent.value == max([objective.at(start).value, *values])
    assert ascent.n_lines == 0


def test_a_finer_grid_comes_near_the_global_maximum() -> None:
    """Of two weights, whose maximum one exact line finds."""
    objective = LinearObjective(planted_linear(10, 8, 2, noise=0.5, seed=5).data, AP())
    start = objective.at([0.5, 0.5])
    line = Simplex().line(start.weights, [1.0, -1.0])
    best = objective.line_search(start, line.direction, low=line.low, high=line.high)
    values = [ascend(GridSearch(step=1 / k), objective, Simplex()).value for k in (1, 10, 100, 1000)]
    assert values == sorted(values)
    assert max(values) == best.value


@pytest.mark.parametrize("scores_in_a_block", [1, 100, 10**6])
def test_blocks_do_not_matter(scores_in_a_block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    objective = LinearObjective(planted_linear(5, 8, 3, noise=1.0, seed=3).data, AP())
    expected = ascend(GridSearch(step=0.1), objective, Simplex())
    monkeypatch.setattr(ascent_state, "_SCORES_IN_A_BLOCK", scores_in_a_block)
    ascent = ascend(GridSearch(step=0.1), objective, Simplex())
    assert ascent.value == expected.value
    assert np.array_equal(ascent.weights, expected.weights)


def test_the_center_of_the_augmented_simplex_is_left_out() -> None:
    """It ranks nothing, so documents would be in the order of the data, which here is the best."""
    data = RankingDataset.from_arrays([[1.0, 1.0], [0.0, 2.0], [2.0, 0.0]], [1, 0, 0], qid=[7, 7, 7])
    space = AugmentedSimplex()
    objective = LinearObjective(space.prepare(data), AP())
    assert objective.at([1 / 3, 1 / 3, 1 / 3]).value == 1.0
    ascent = ascend(GridSearch(step=1 / 3), objective, space, start=[1.0, 0.0, 0.0])
    assert space.contains(ascent.weights)
    allowed = [k for k in enumerated(3, 3) if k != (1, 1, 1)]
    assert ascent.value == max(objective.at(np.array(k) / 3).value for k in allowed)


def test_too_many_points_are_refused_with_alternatives() -> None:
    objective = LinearObjective(planted_linear(3, 4, 6, seed=1).data, AP())
    with pytest.raises(InvalidParameterError) as refusal:
        ascend(GridSearch(step=0.05, max_points=1000), objective, Simplex())
    finest = max(k for k in range(1, 20) if math.comb(k + 5, 5) <= 1000)
    message = str(refusal.value)
    assert "step 1/20 over 6 features has 53,130 points, more than max_points = 1,000" in message
    assert f"step=1/{finest} with {math.comb(finest + 5, 5):,} points" in message
    assert "CoordinateAscent" in message


def test_where_no_step_is_coarse_enough_none_is_named() -> None:
    objective = LinearObjective(planted_linear(3, 4, 6, seed=1).data, AP())
    with pytest.raises(InvalidParameterError, match="max_points = 5; use CoordinateAscent"):
        ascend(GridSearch(step=0.05, max_points=5), objective, Simplex())


def test_a_grid_of_exactly_the_most_points_is_evaluated() -> None:
    objective = LinearObjective(planted_linear(3, 4, 3, seed=1).data, AP())
    ascend(GridSearch(step=0.25, max_points=15), objective, Simplex())
    with pytest.raises(InvalidParameterError):
        ascend(GridSearch(step=0.25, max_points=14), objective, Simplex())


def test_a_space_without_end_is_refused() -> None:
    objective = LinearObjective(planted_linear(3, 4, 3, seed=1).data, AP())
    with pytest.raises(IncompatibleError, match="euclidean space is infinite; choose the space simplex"):
        ascend(GridSearch(), objective, Euclidean())


def test_time_is_checked_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ascent_state, "_SCORES_IN_A_BLOCK", 1)
    objective = LinearObjective(planted_linear(5, 8, 3, seed=3).data, AP())
    ascent = ascend(GridSearch(step=0.1, budget=Budget(seconds=1e-9)), objective, Simplex())
    assert ascent.stopped_by == "seconds"
    assert len(ascent.history) == 1


@pytest.mark.parametrize("points_in_a_block", [1, 5, 100])
@pytest.mark.parametrize("budget", [1, 13, 65, 66])
def test_as_many_whole_blocks_as_the_budget_allows_are_evaluated(budget, points_in_a_block, monkeypatch) -> None:
    """Of the 66 points of the grid, in order."""
    monkeypatch.setattr(ascent_state, "_SCORES_IN_A_BLOCK", 40 * points_in_a_block)
    n_affordable = 66 if budget == 66 else budget // points_in_a_block * points_in_a_block
    objective = LinearObjective(planted_linear(5, 8, 3, noise=1.0, seed=3).data, AP())
    ascent = ascend(GridSearch(step=0.1, budget=Budget(evaluations=budget)), objective, Simplex())
    first = np.reshape(enumerated(10, 3)[:n_affordable], (-1, 3)) / 10
    assert ascent.n_evaluations == n_affordable
    assert ascent.stopped_by == ("converged" if n_affordable == 66 else "evaluations")
    assert ascent.value == max([objective.at(Simplex().start(3)).value, *objective.values(first)])


@pytest.mark.parametrize(
    "parameters",
    [
        {"step": 0.3},
        {"step": 0.0},
        {"step": -0.1},
        {"step": 2.0},
        {"step": np.nan},
        {"step": 1e-300},
        {"max_points": 0},
    ],
)
def test_bad_parameters_are_refused(parameters) -> None:
    with pytest.raises(InvalidParameterError):
        GridSearch(**parameters)


def test_no_features_have_no_grid() -> None:
    with pytest.raises(InvalidParameterError):
        GridSearch().n_points(0)
