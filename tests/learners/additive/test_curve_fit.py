"""The convex fit of curves is at a minimum, between a linear fit and free curves, and keeps monotone ones so."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.additive.curve_fit import STRAIGHT, CurveFit, bending_penalty, fit_curves
from rankmax.learners.additive.knot_basis import Curves, KnotBasis
from rankmax.losses import CrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.preprocessing import RetrievedMinMax, Unchanged

DATA = planted_linear(40, 15, 4, noise=0.1, seed=2).data
BASIS = KnotBasis.of(DATA, Unchanged(), 7)
SIGNS = np.array([0.0, 1.0, -1.0, 0.0])


def fit(smoothness: float, signs: np.ndarray | None = None, start: CurveFit | None = None) -> CurveFit:
    return fit_curves(
        CrossEntropy(),
        BASIS,
        smoothness=smoothness,
        prior=40.0,
        query_weights=np.ones(40),
        signs=np.zeros(4) if signs is None else signs,
        start=start,
    )


def penalized(curves: Curves, slopes: np.ndarray, smoothness: float) -> float:
    """Return the function that the fit minimizes, by its definition."""
    value = CrossEntropy().value_and_gradient(BASIS.scores(curves), DATA.judgments)[0]
    off_line = curves.rises - slopes[:, None] * BASIS.lengths
    bends = (bending_penalty(BASIS, smoothness)[:, None] * off_line**2).sum()
    return value + (bends + 40 * ((BASIS.feature_spread * slopes) ** 2).sum()) / (2 * 40)


@pytest.mark.parametrize("signs", [np.zeros(4), SIGNS], ids=["free", "monotone"])
@pytest.mark.parametrize("smoothness", [3.0, 300.0])
def test_no_feasible_change_is_better(smoothness: float, signs: np.ndarray) -> None:
    found = fit(smoothness, signs)
    least = penalized(found.curves, found.slopes, smoothness)
    assert abs(least - found.value) < 1e-9
    rng = np.random.default_rng(1)
    for _ in range(60):
        rises = found.curves.rises + rng.normal(scale=0.05, size=found.curves.rises.shape) * (BASIS.lengths > 0)
        held = signs != 0
        rises[held] = signs[held, None] * np.maximum(signs[held, None] * rises[held], 0.0)
        slopes = found.slopes + rng.normal(scale=0.01, size=4)
        assert penalized(Curves(rises, np.zeros(4)), slopes, smoothness) >= least - 1e-6


def test_straight_curves_are_the_linear_fit() -> None:
    exact = KnotBasis.of(DATA.select(np.arange(12)), Unchanged(), 7)  # so few documents that codes lose nothing
    assert exact.codes.shape[1] < 254
    found = fit_curves(
        CrossEntropy(), exact, smoothness=STRAIGHT, prior=40.0, query_weights=np.ones(12), signs=np.zeros(4)
    )
    expected = fit_linear(CrossEntropy(), DATA.select(np.arange(12)), ridge=40 / 12)
    np.testing.assert_allclose(found.slopes, expected.weights, atol=2e-3 * np.abs(expected.weights).max())


def test_smooth_curves_approach_straight_ones() -> None:
    straight, smooth, rough = fit(STRAIGHT), fit(1e7), fit(1.0)
    size = np.abs(straight.curves.rises).max()
    assert np.abs(smooth.curves.rises - straight.curves.rises).max() < 0.02 * size
    assert np.abs(rough.curves.rises - straight.curves.rises).max() > 0.2 * size


def test_the_start_does_not_matter() -> None:
    one, other = fit(100.0, SIGNS), fit(100.0, SIGNS, fit(STRAIGHT, SIGNS))
    assert abs(one.value - other.value) < 1e-4


@pytest.mark.parametrize("smoothness", [STRAIGHT, 100.0, 1.0])
def test_monotone_curves_do_not_turn(smoothness: float) -> None:
    rises = fit(smoothness, SIGNS).curves.rises
    assert (rises[1] >= 0).all()
    assert (rises[2] <= 0).all()


def test_the_value_of_absent_documents_is_learned() -> None:
    rng = np.random.default_rng(3)
    X = np.where(rng.random((200, 1)) < 0.5, 0.0, 1 + rng.random((200, 1)))
    data = RankingDataset.from_arrays(X, (X[:, 0] == 0).astype(float), qid=np.arange(200) // 10)
    basis = KnotBasis.of(data, RetrievedMinMax(), 5)
    found = fit_curves(CrossEntropy(), basis, smoothness=100.0, prior=1.0, query_weights=np.ones(20), signs=np.zeros(1))
    assert found.curves.absents[0] > 0.3
