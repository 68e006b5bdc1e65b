"""Choosing points of ascents: by their own value, by other queries, by those a bag left out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rankmax.backends.training_data import LocalData
from rankmax.data.dataset import RankingDataset
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.learners.direct.point_selection import Validation, best_of, choose_by_bag
from rankmax.metrics import RR
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Ascent, Progress
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.spaces import Euclidean


def ascent(*values: float, first_weight: float = 0.0) -> Ascent:
    history = tuple(Progress(10 * i, v, 0.1 * i, np.array([first_weight + i, 1.0])) for i, v in enumerate(values))
    last = history[-1]
    return Ascent(last.weights, last.value, history, last.n_lines, 0, "converged")


def test_without_a_judge_the_best_end_is_taken() -> None:
    chosen = best_of([ascent(0.1, 0.5), ascent(0.2, 0.3, 0.7), ascent(0.7)])
    assert (chosen.point.value, chosen.point.n_lines) == (0.7, 20)
    assert chosen.curve() == ((0, 0.2), (10, 0.3), (20, 0.7))


def test_a_judge_may_choose_a_point_on_the_way() -> None:
    ascents = [ascent(0.1, 0.5), ascent(0.2, 0.3, 0.7, first_weight=100)]
    chosen = best_of(ascents, judge=lambda points: -np.abs(points[:, 0] - 101))
    assert chosen.point.value == 0.3
    assert chosen.curve() == ((0, 0.2), (10, 0.3))


def test_of_points_judged_alike_the_one_with_the_highest_value() -> None:
    assert best_of([ascent(0.1, 0.5), ascent(0.2, 0.7)], judge=lambda points: np.ones(len(points))).point.value == 0.7


@pytest.mark.parametrize("n", [1, 2, 199, 200, 201, 5000])
def test_curves_are_thinned_but_keep_their_ends(n: int) -> None:
    curve = best_of([ascent(*np.linspace(0.1, 0.9, n))]).curve()
    assert len(curve) == min(n, 200)
    assert (curve[0][1], curve[-1][0]) == (0.1, 10 * (n - 1))
    assert list(curve) == sorted(curve)


def _validation(n_queries: int, *, flips: int) -> Validation:
    """Return validation queries of two documents: the first feature is right but in `flips` of them, the second not."""
    right = np.where(np.arange(n_queries) < flips, 0.0, 1.0)
    X = np.stack([np.stack([right, 1 - right], axis=1), np.tile([0.0, 1.0], (n_queries, 1))], axis=2).reshape(-1, 2)
    data = RankingDataset.from_arrays(X, np.tile([1, 0], n_queries), qid=np.repeat(np.arange(n_queries), 2))
    training = Training(
        data=LocalData(data, Unchanged()),
        normalization=Unchanged(),
        metric=RR(),
        space=Euclidean(),
        optimizer=CoordinateAscent(),
        query_weights=np.ones(n_queries),
        seed=0,
    )
    return Validation(training, data)


def test_validation_queries_select_what_is_better_by_two_standard_errors() -> None:
    points = np.array([[0.0, 1.0], [1.0, 0.0]])  # the first has 0.5 in every query
    assert _validation(10, flips=2).select(points, default=0) == 1  # differences of 0.5 in eight of ten
    three = _validation(10, flips=7)  # in three of ten: 0.15, with an error of 0.076
    assert three.select(points, default=0) == 0
    assert three.select(points, default=0, standard_errors=1) == 1
    one = _validation(10, flips=9)  # in one of ten: 0.05, with an error of 0.05
    assert one.select(points, default=0, standard_errors=1) == 0
    assert _validation(1, flips=0).select(points, default=0) == 0  # no error can be told
    assert _validation(10, flips=2).value(points[1]) == pytest.approx(0.9)


def test_validation_queries_keep_the_best_end_unless_another_point_is_clearly_better() -> None:
    right, wrong = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    path = [Progress(i, 0.1 * i, 0.0, w) for i, w in enumerate([right, wrong, wrong])]
    rising = Ascent(wrong, 0.2, tuple(path), 3, 0, "converged")
    assert len(_validation(10, flips=2).best_of([rising]).path) == 1
    assert len(_validation(10, flips=7).best_of([rising]).path) == 3


def test_points_of_a_bag_are_selected_by_one_standard_error() -> None:
    right, wrong = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    falling = Ascent(right, 0.2, (Progress(0, 0.1, 0.0, wrong), Progress(1, 0.2, 0.0, right)), 1, 0, "converged")
    rising = Ascent(wrong, 0.2, (Progress(0, 0.1, 0.0, right), Progress(1, 0.2, 0.0, wrong)), 1, 0, "converged")
    ascents = {AscentId(0, bag): ascent for bag, ascent in enumerate([falling, rising])}
    validation = _validation(10, flips=7)
    training = SimpleNamespace()  # asked for nothing where validation queries select
    assert [bag.point.weights.tolist() for bag in choose_by_bag(training, ascents, validation)] == [[1.0, 0.0]] * 2
