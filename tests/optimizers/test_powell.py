from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Budget
from rankmax.optimizers.powell import Powell, _replaced, _spread
from rankmax.spaces import Euclidean, Simplex


def ascend(optimizer, objective, start, space=None):
    return optimizer.maximize(objective, space or Euclidean(), start=start, rng=np.random.default_rng(0))


@pytest.mark.parametrize("conjugate", [False, True])
def test_finds_a_planted_optimum(conjugate: bool) -> None:
    problem = planted_linear(60, 15, 4, seed=3)
    objective = LinearObjective(problem.data, nDCG() @ 10)
    assert objective.at(problem.weights).value == pytest.approx(1.0)
    assert ascend(Powell(conjugate=conjugate), objective, np.ones(4)).value > 0.99


@pytest.mark.parametrize("space", [Euclidean(), Simplex()])
def test_along_the_axes_it_is_coordinate_ascent(space) -> None:
    objective = LinearObjective(planted_linear(20, 10, 4, noise=0.5, seed=1).data, AP())
    ours = ascend(Powell(), objective, space.start(4), space)
    theirs = ascend(CoordinateAscent(), objective, space.start(4), space)
    assert np.array_equal(ours.weights, theirs.weights)
    assert ours.n_lines == theirs.n_lines


def test_one_line_finds_the_best_of_two_weights() -> None:
    """Every ray with a positive first weight is on the line (1, 0) + mu (0, 1), so its best is known by a fine scan."""
    objective = LinearObjective(planted_linear(10, 8, 2, noise=0.5, seed=5).data, AP())
    ascent = ascend(Powell([[0.0, 1.0]], budget=Budget(lines=1)), objective, [1.0, 0.0])
    angles = np.linspace(-np.pi / 2, np.pi / 2, 4003)[1:-1]
    scan = objective.values(np.column_stack([np.cos(angles), np.sin(angles)]))
    assert ascent.value >= scan.max()
    assert ascent.weights[0] == 1.0


def test_moves_only_along_its_directions() -> None:
    objective = LinearObjective(planted_linear(20, 10, 3, noise=0.5, seed=1).data, AP())
    ascent = ascend(Powell([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]), objective, [1.0, 2.0, 3.0])
    assert ascent.value > objective.at([1.0, 2.0, 3.0]).value
    assert ascent.weights.sum() == pytest.approx(6.0)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), conjugate=st.booleans())
def test_where_it_ends_no_given_direction_leads_up(seed: int, conjugate: bool) -> None:
    objective = LinearObjective(planted_linear(5, 8, 3, noise=1.0, seed=seed).data, AP())
    directions = np.random.default_rng(seed).standard_normal((3, 3))
    ascent = ascend(Powell(directions, conjugate=conjugate, tolerance=0.0), objective, np.ones(3))
    point = objective.at(ascent.weights)
    assert [objective.line_search(point, direction).value for direction in directions] == [ascent.value] * 3


def test_conjugate_directions_lead_where_the_axes_do_not() -> None:
    """Over many noisy problems they end higher than the axes alone."""
    gains = []
    for seed in range(12):
        objective = LinearObjective(planted_linear(15, 10, 6, noise=1.0, seed=seed).data, AP())
        axes, conjugate = (ascend(Powell(conjugate=c), objective, np.ones(6)).value for c in (False, True))
        gains.append(conjugate - axes)
    assert np.mean(gains) > 0


@given(seed=st.integers(0, 1000), n_directions=st.integers(2, 6), n_features=st.integers(2, 4))
def test_replaced_directions_span_what_they_did(seed: int, n_directions: int, n_features: int) -> None:
    rng = np.random.default_rng(seed)
    given = directions = rng.standard_normal((n_directions, n_features))
    for _ in range(20):
        displacement = rng.standard_normal(n_directions) @ directions
        directions = _replaced(directions, int(rng.integers(n_directions)), displacement)
        assert _spread(directions) >= min(0.01, _spread(given))


def test_a_displacement_that_would_fold_the_set_is_left_out() -> None:
    axes = np.eye(2)
    assert _replaced(axes, 0, np.array([1.0, 1.0])).tolist() == [[1, 1], [0, 1]]
    assert _replaced(axes, 0, np.array([1e-6, 1.0])) is axes


def test_equal_parameters_make_equal_optimizers() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 1.0]])
    first = Powell(rows)
    assert first == Powell(rows.tolist())
    assert hash(first) == hash(Powell(rows.tolist()))
    rows[0, 0] = 7.0
    assert first == Powell([[1.0, 0.0], [1.0, 1.0]])


@pytest.mark.parametrize(
    "parameters",
    [
        {"directions": [1.0, 2.0]},
        {"directions": []},
        {"directions": [[1.0], [1.0, 2.0]]},
        {"directions": [["a"]]},
        {"directions": [[0.0, 0.0]]},
        {"directions": [[np.nan, 1.0]]},
        {"tolerance": -1.0},
        {"tolerance": np.nan},
    ],
)
def test_bad_parameters_are_refused(parameters) -> None:
    with pytest.raises(InvalidParameterError):
        Powell(**parameters)


def test_directions_for_other_data_are_refused() -> None:
    objective = LinearObjective(planted_linear(5, 5, 3, seed=1).data, AP())
    with pytest.raises(IncompatibleError, match=r"2 numbers each.*3 weights"):
        ascend(Powell([[1.0, 0.0]]), objective, np.ones(3))
