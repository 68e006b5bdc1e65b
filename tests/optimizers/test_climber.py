from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.lines.objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers import climber as module
from rankmax.optimizers.ascent import Budget
from rankmax.optimizers.climber import BudgetSpentError, Climber, Place
from rankmax.spaces import Euclidean, Simplex


@pytest.fixture(scope="module")
def objective() -> LinearObjective:
    return LinearObjective(planted_linear(10, 8, 3, noise=0.5, seed=1).data, AP())


def climber_at(objective, start, *, space=None, **budget):
    climber = Climber(objective, space or Euclidean(), start, Budget(**budget))
    climber.begin()
    return climber


def test_a_jump_goes_down_and_the_best_stays(objective) -> None:
    climber = climber_at(objective, np.ones(3))
    climber.along(np.array([0.0, 1.0, 0.0]))
    top = climber.best
    gain = climber.jump(-top.weights)
    assert gain < 0
    assert climber.point.value == objective.at(-top.weights).value == pytest.approx(top.value + gain)
    assert climber.best is top
    ascent = climber.result("converged")
    assert (ascent.value, ascent.history[-1].value) == (top.value, top.value)
    assert np.array_equal(ascent.weights, top.weights)


def test_lines_are_searched_from_where_a_jump_ends(objective) -> None:
    climber = climber_at(objective, np.ones(3))
    low = np.array([-1.0, -2.0, -3.0])
    climber.jump(low)
    axis = np.array([1.0, 0.0, 0.0])
    gain = climber.along(axis)
    expected = objective.climb(objective.at(low), axis)
    assert gain == expected.value - objective.at(low).value > 0
    assert np.array_equal(climber.point.weights, expected.weights)


def test_below_the_best_nothing_enters_the_history(objective) -> None:
    climber = climber_at(objective, np.ones(3))
    while sum(climber.along(axis) for axis in np.eye(3)):
        pass
    n_entries = len(climber.result("").history)
    climber.jump([-1.0, -2.0, -3.0])
    assert climber.along(np.array([1.0, 0.0, 0.0])) > 0
    assert climber.point.value < climber.best.value
    assert len(climber.result("").history) == n_entries


def test_a_jump_ends_inside_the_space(objective) -> None:
    climber = climber_at(objective, np.ones(3), space=Simplex())
    climber.jump([1.0, -2.0, 1.0])
    assert np.array_equal(climber.point.weights, [0.5, 0.0, 0.5])


def test_looking_along_a_line_goes_nowhere(objective) -> None:
    climber = climber_at(objective, np.ones(3))
    here = climber.point
    found = climber.best_along(np.array([0.0, 0.0, 1.0]))
    assert climber.point is here
    assert found.value == objective.at(found.weights).value > here.value
    assert climber.move(found) == found.value - here.value
    assert climber.point is found


def test_a_move_is_projected_and_believed_only_then(objective) -> None:
    """What is not in the space may be promised any value; what counts is the value of its projection."""
    climber = climber_at(objective, np.ones(3), space=Simplex())
    here = climber.point
    expected = objective.at(Simplex().project([1.0, -2.0, 3.0])).value
    gain = climber.move(Place(np.array([1.0, -2.0, 3.0]), 1.0))
    assert gain == max(expected - here.value, 0.0)
    assert climber.n_evaluations == 1


def test_history_holds_the_weights_of_the_moment(objective) -> None:
    climber = climber_at(objective, np.ones(3))
    for axis in np.eye(3):
        climber.along(axis)
    history = climber.result("").history
    assert len(history) > 1
    for progress in history:
        assert progress.value == objective.at(progress.weights).value


def test_a_place_does_not_change_with_the_array_it_was_made_of() -> None:
    weights = np.ones(2)
    place = Place(weights, 0.5)
    weights[0] = 7.0
    assert np.array_equal(place.weights, [1.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        place.weights[0] = 7.0


@pytest.mark.parametrize("scores_in_a_block", [1, 200, 10**6])
def test_many_points_are_evaluated_like_one(objective, scores_in_a_block, monkeypatch) -> None:
    monkeypatch.setattr(module, "_SCORES_IN_A_BLOCK", scores_in_a_block)
    points = np.random.default_rng(0).normal(size=(9, 3))
    climber = climber_at(objective, np.ones(3))
    here = climber.point
    assert climber.values(points).tolist() == [objective.at(point).value for point in points]
    assert climber.values(np.empty((0, 3))).shape == (0,)
    assert climber.point is here
    assert climber.n_evaluations == 9


def test_evaluations_have_a_budget_all_or_none(objective) -> None:
    climber = climber_at(objective, np.ones(3), evaluations=5)
    climber.values(np.eye(3))
    with pytest.raises(BudgetSpentError, match="evaluations"):
        climber.values(np.eye(3))
    climber.jump([1.0, 2.0, 3.0])
    climber.jump([1.0, 2.0, 4.0])
    with pytest.raises(BudgetSpentError, match="evaluations"):
        climber.jump([1.0, 2.0, 5.0])
    assert climber.n_evaluations == 5
