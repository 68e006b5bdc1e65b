"""Choosing points of ascents: by their own value, by other queries, by those a bag left out."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.learners.direct.point_selection import best_of
from rankmax.optimizers.optimizer import Ascent, Progress


def ascent(*values: float, first_weight: float = 0.0) -> Ascent:
    history = tuple(Progress(10 * i, v, 0.1 * i, np.array([first_weight + i, 1.0])) for i, v in enumerate(values))
    last = history[-1]
    return Ascent(last.weights, last.value, history, last.n_lines, 0, "converged")


def test_without_a_judge_the_best_end_is_taken() -> None:
    chosen = best_of([ascent(0.1, 0.5), ascent(0.2, 0.3, 0.7), ascent(0.7)])
    assert (chosen.point.value, chosen.point.n_lines, chosen.judged) == (0.7, 20, None)
    assert chosen.curve() == ((0, 0.2), (10, 0.3), (20, 0.7))


def test_a_judge_may_choose_a_point_on_the_way() -> None:
    ascents = [ascent(0.1, 0.5), ascent(0.2, 0.3, 0.7, first_weight=100)]
    chosen = best_of(ascents, judge=lambda points: -np.abs(points[:, 0] - 101))
    assert (chosen.point.value, chosen.judged) == (0.3, 0.0)
    assert chosen.curve() == ((0, 0.2), (10, 0.3))


def test_of_points_judged_alike_the_one_with_the_highest_value() -> None:
    assert best_of([ascent(0.1, 0.5), ascent(0.2, 0.7)], judge=lambda points: np.ones(len(points))).point.value == 0.7


@pytest.mark.parametrize("n", [1, 2, 199, 200, 201, 5000])
def test_curves_are_thinned_but_keep_their_ends(n: int) -> None:
    curve = best_of([ascent(*np.linspace(0.1, 0.9, n))]).curve()
    assert len(curve) == min(n, 200)
    assert (curve[0][1], curve[-1][0]) == (0.1, 10 * (n - 1))
    assert list(curve) == sorted(curve)
