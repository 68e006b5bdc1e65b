"""Sweeps raise the metric, keep monotone curves so, and leave straight ones straight."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.additive.curve_fit import STRAIGHT, CurveFit, fit_curves
from rankmax.learners.additive.curve_sweeps import CurveSweeps
from rankmax.learners.additive.knot_basis import Curves, KnotBasis
from rankmax.learners.learner import mean_value
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.line_search.smoothed_line import SmoothedPeak, Smoothing
from rankmax.losses import CrossEntropy
from rankmax.metrics import AP
from rankmax.preprocessing import RetrievedMinMax, Unchanged

RNG = np.random.default_rng(6)
X = RNG.random((240, 3))
GRADES = ((np.abs(X[:, 0] - 0.5) < 0.2) & (X[:, 1] > 0.3)).astype(float)
DATA = RankingDataset.from_arrays(X, GRADES, qid=np.arange(240) // 12)
BASIS = KnotBasis.of(DATA, Unchanged(), 6)
FREE, SIGNS = np.zeros(3), np.array([1.0, 0.0, -1.0])


def start(smoothness: float, signs: F64) -> CurveFit:
    return fit_curves(CrossEntropy(), BASIS, smoothness=smoothness, prior=40.0, query_weights=np.ones(20), signs=signs)


def value(curves: Curves) -> float:
    return mean_value(AP(), BASIS.scores(curves), DATA)


def test_with_little_noise_and_no_penalty_the_metric_rises() -> None:
    begin = start(STRAIGHT, FREE)
    found = CurveSweeps(0.2, 2, np.zeros(3), FREE).ascend(BASIS, MetricSweep(AP(), DATA.judgments), begin)
    assert value(found) > value(begin.curves) + 0.2


def test_a_penalty_keeps_curves_near_lines() -> None:
    begin, search = start(30.0, FREE), MetricSweep(AP(), DATA.judgments)
    bends = [
        np.abs(np.diff(CurveSweeps(0.3, 1, np.full(3, cost), FREE).ascend(BASIS, search, begin).rises)).sum()
        for cost in (0.0, 10.0)
    ]
    assert bends[1] < 0.7 * bends[0]


@pytest.mark.parametrize("smoothness", [STRAIGHT, 3.0])
def test_monotone_curves_stay_so(smoothness: float) -> None:
    penalty = np.full(3, math.inf if math.isinf(smoothness) else 0.0)
    found = CurveSweeps(0.2, 2, penalty, SIGNS).ascend(
        BASIS, MetricSweep(AP(), DATA.judgments), start(smoothness, SIGNS)
    )
    assert (found.rises[0] >= 0).all()
    assert (found.rises[2] <= 0).all()


def test_straight_curves_stay_straight() -> None:
    sweeps = CurveSweeps(0.2, 2, np.full(3, math.inf), FREE)
    found = sweeps.ascend(BASIS, MetricSweep(AP(), DATA.judgments), start(STRAIGHT, FREE))
    slopes = found.rises / BASIS.lengths
    np.testing.assert_allclose(slopes, slopes[:, :1] * np.ones((1, slopes.shape[1])), rtol=1e-9)


class _Recorded:
    """A line search that notes the lines it is asked for and stays, or goes a little way."""

    def __init__(self, place: float) -> None:
        self.place, self.lines = place, []

    def smoothed_peak(
        self, scores: F64, slopes: F64, smoothing: Smoothing, *, low: float = -math.inf, high: float = math.inf
    ) -> SmoothedPeak:
        self.lines.append((scores.copy(), slopes, smoothing, low, high))
        return SmoothedPeak(min(max(self.place, low), high), 1.0 if self.place else 0.0)


def test_lines_are_of_slope_size_and_knots_and_few_documents_move_by_a_knot() -> None:
    search = _Recorded(0.0)
    CurveSweeps(0.5, 1, np.zeros(3), FREE).ascend(BASIS, search, start(30.0, FREE))
    assert len(search.lines) == 3 * (1 + 1 + 6)
    moved = [np.count_nonzero(slopes) for _, slopes, *_ in search.lines]
    assert all(count > 200 for count in moved[:2])
    assert all(count < 120 for count in moved[2:8])


def test_knots_are_left_alone_unless_asked_for() -> None:
    search = _Recorded(0.0)
    CurveSweeps(0.5, 1, np.zeros(3), FREE, knots=False).ascend(BASIS, search, start(30.0, FREE))
    assert len(search.lines) == 3 * 2


def test_scores_follow_the_curves_and_the_penalty_is_that_of_the_fit() -> None:
    search, begin = _Recorded(0.01), start(30.0, FREE)
    found = CurveSweeps(0.5, 1, np.full(3, 2.0), FREE).ascend(BASIS, search, begin)
    scores, slopes, *_ = search.lines[-1]
    apart = scores + 0.01 * slopes - BASIS.scores(found)
    np.testing.assert_allclose(apart, apart[0], atol=1e-9)  # a constant, as curves keep the mean 0

    def cost(rises: F64, slope: float) -> float:
        return 2.0 * float(((rises - slope * BASIS.lengths[0]) ** 2).sum())

    knot, rises, slope = 3, begin.curves.rises[0].copy(), begin.slopes[0]
    only = _Recorded(0.0)
    CurveSweeps(0.5, 1, np.full(3, 2.0), FREE).ascend(BASIS, only, begin)
    smoothing = only.lines[2 + knot][2]
    moved = rises.copy()
    moved[knot - 1] += 0.25
    moved[knot] -= 0.25
    expected = cost(moved, slope) - cost(rises, slope)
    assert smoothing.slope * 0.25 + smoothing.curvature * 0.0625 == pytest.approx(expected)


def test_documents_without_a_value_stay_when_a_knot_moves() -> None:
    retrieved = np.where(X[:, :1] > 0.4, X[:, :1], 0.0)
    data = RankingDataset.from_arrays(retrieved, GRADES, qid=np.arange(240) // 12)
    basis = KnotBasis.of(data, RetrievedMinMax(), 5)
    begin = fit_curves(CrossEntropy(), basis, smoothness=30.0, prior=40.0, query_weights=np.ones(20), signs=np.zeros(1))
    search = _Recorded(0.01)
    found = CurveSweeps(0.5, 1, np.zeros(1), np.zeros(1)).ascend(basis, search, begin)
    scores, slopes, *_ = search.lines[-1]
    apart = scores + 0.01 * slopes - basis.scores(found)
    np.testing.assert_allclose(apart, apart[0], atol=1e-9)
