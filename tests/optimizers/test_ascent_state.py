from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers import ascent_state as module
from rankmax.optimizers.ascent import Budget
from rankmax.optimizers.ascent_state import AscentState, Point, StoppedError
from rankmax.spaces import Euclidean, Simplex


@pytest.fixture(scope="module")
def objective() -> LinearObjective:
    return LinearObjective(planted_linear(10, 8, 3, noise=0.5, seed=1).data, AP())


def state_at(objective, start, *, space=None, **budget):
    state = AscentState(objective, space or Euclidean(), start, Budget(**budget))
    state.begin()
    return state


def test_a_jump_goes_down_and_the_best_stays(objective) -> None:
    state = state_at(objective, np.ones(3))
    state.along(np.array([0.0, 1.0, 0.0]))
    top = state.best
    gain = state.jump(-top.weights)
    assert gain < 0
    assert state.point.value == objective.at(-top.weights).value == pytest.approx(top.value + gain)
    assert state.best is top
    ascent = state.result("converged")
    assert (ascent.value, ascent.history[-1].value) == (top.value, top.value)
    assert np.array_equal(ascent.weights, top.weights)


def test_lines_are_searched_from_where_a_jump_ends(objective) -> None:
    state = state_at(objective, np.ones(3))
    low = np.array([-1.0, -2.0, -3.0])
    state.jump(low)
    axis = np.array([1.0, 0.0, 0.0])
    gain = state.along(axis)
    expected = objective.line_search(objective.at(low), axis)
    assert gain == expected.value - objective.at(low).value > 0
    assert np.array_equal(state.point.weights, expected.weights)


def test_below_the_best_nothing_enters_the_history(objective) -> None:
    state = state_at(objective, np.ones(3))
    while sum(state.along(axis) for axis in np.eye(3)):
        pass
    n_entries = len(state.result("").history)
    state.jump([-1.0, -2.0, -3.0])
    assert state.along(np.array([1.0, 0.0, 0.0])) > 0
    assert state.point.value < state.best.value
    assert len(state.result("").history) == n_entries


def test_a_jump_ends_inside_the_space(objective) -> None:
    state = state_at(objective, np.ones(3), space=Simplex())
    state.jump([1.0, -2.0, 1.0])
    assert np.array_equal(state.point.weights, [0.5, 0.0, 0.5])


def test_looking_along_a_line_goes_nowhere(objective) -> None:
    state = state_at(objective, np.ones(3))
    here = state.point
    found = state.best_along(np.array([0.0, 0.0, 1.0]))
    assert state.point is here
    assert found.value == objective.at(found.weights).value > here.value
    assert state.move(found) == found.value - here.value
    assert state.point is found


def test_a_move_is_projected_and_believed_only_then(objective) -> None:
    """What is not in the space may be promised any value; what counts is the value of its projection."""
    state = state_at(objective, np.ones(3), space=Simplex())
    here = state.point
    expected = objective.at(Simplex().project([1.0, -2.0, 3.0])).value
    gain = state.move(Point(np.array([1.0, -2.0, 3.0]), 1.0))
    assert gain == max(expected - here.value, 0.0)
    assert state.n_evaluations == 1


def test_history_holds_the_weights_of_the_moment(objective) -> None:
    state = state_at(objective, np.ones(3))
    for axis in np.eye(3):
        state.along(axis)
    history = state.result("").history
    assert len(history) > 1
    for progress in history:
        assert progress.value == objective.at(progress.weights).value


def test_a_place_does_not_change_with_the_array_it_was_made_of() -> None:
    weights = np.ones(2)
    place = Point(weights, 0.5)
    weights[0] = 7.0
    assert np.array_equal(place.weights, [1.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        place.weights[0] = 7.0


@pytest.mark.parametrize("scores_in_a_block", [1, 200, 10**6])
def test_many_points_are_evaluated_like_one(objective, scores_in_a_block, monkeypatch) -> None:
    monkeypatch.setattr(module, "_SCORES_IN_A_BLOCK", scores_in_a_block)
    points = np.random.default_rng(0).normal(size=(9, 3))
    state = state_at(objective, np.ones(3))
    here = state.point
    assert state.values(points).tolist() == [objective.at(point).value for point in points]
    assert state.values(np.empty((0, 3))).shape == (0,)
    assert state.point is here
    assert state.n_evaluations == 9


def test_evaluations_have_a_budget_all_or_none(objective) -> None:
    state = state_at(objective, np.ones(3), evaluations=5)
    state.values(np.eye(3))
    with pytest.raises(StoppedError, match="evaluations"):
        state.values(np.eye(3))
    state.jump([1.0, 2.0, 3.0])
    state.jump([1.0, 2.0, 4.0])
    with pytest.raises(StoppedError, match="evaluations"):
        state.jump([1.0, 2.0, 5.0])
    assert state.n_evaluations == 5
