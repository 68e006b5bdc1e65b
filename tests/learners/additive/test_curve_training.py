"""Training of curves: what cross-validation selects, bags, and shrinkage toward the convex fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.additive.curve_fit import STRAIGHT
from rankmax.learners.additive.curve_training import DEFAULT_SMOOTHNESS, SMOOTHNESSES, CurveTraining, selected
from rankmax.learners.additive.knot_basis import KnotBasis
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.metrics import AP
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.preprocessing import Unchanged

LOSSES = (CrossEntropy(), ProportionalCrossEntropy())
DEFAULT = SMOOTHNESSES.index(DEFAULT_SMOOTHNESS)


def bent(n_queries: int) -> RankingDataset:
    rng = np.random.default_rng(8)
    X = rng.random((n_queries * 12, 3))
    grades = (np.abs(X[:, 0] - 0.5) < 0.2).astype(float)
    return RankingDataset.from_arrays(X, grades, qid=np.arange(len(X)) // 12)


def training(data: RankingDataset, **parameters: float) -> CurveTraining:
    given = {"smoothing": 0.5, "shrinkage": 0.5, **parameters}
    weights = np.ones(data.n_queries)
    return CurveTraining(KnotBasis.of(data, Unchanged(), 6), AP(), weights, np.zeros(data.n_features), **given)


def test_less_smooth_curves_are_selected_where_they_are_better_and_not_elsewhere() -> None:
    for data, bends in ((bent(60), True), (planted_linear(60, 12, 3, noise=1.0, seed=5).data, False)):
        one = training(data)
        number = selected(one.held_out_values(SMOOTHNESSES, 0), one.query_weights, DEFAULT)
        assert (SMOOTHNESSES[number] < DEFAULT_SMOOTHNESS) == bends


@pytest.mark.parametrize("smoothness", [STRAIGHT, 100.0])
def test_a_fit_is_the_average_of_both_surrogates_by_the_probability_that_each_is_better(smoothness: float) -> None:
    one = training(bent(12))
    fits = [one._fit(loss, STRAIGHT) for loss in LOSSES]
    if smoothness != STRAIGHT:
        fits = [one._fit(loss, smoothness, fit) for loss, fit in zip(LOSSES, fits, strict=True)]
    scores = [one.basis.scores(fit.curves) for fit in fits]
    differences = np.subtract(*(evaluate_metrics([AP()], own, one.basis.judgments)[0] for own in scores))
    share = norm.cdf(differences.sum() / np.sqrt((differences**2).sum()))
    expected = sum(part * own / one.basis.spread(own) for part, own in zip((share, 1 - share), scores, strict=True))
    found = one.basis.scores(one.fit(smoothness).curves)
    np.testing.assert_allclose(found / one.basis.spread(found), expected / one.basis.spread(expected), atol=1e-9)


def test_every_query_is_held_out_once_from_curves_of_the_others() -> None:
    one = training(bent(20))
    values = one.held_out_values(SMOOTHNESSES, 3)
    assert values.shape == (len(SMOOTHNESSES), 20)
    assert not np.isnan(values).any()
    assert np.isnan(training(bent(4)).held_out_values(SMOOTHNESSES, 3)).all()


def test_the_default_is_kept_unless_the_paired_t_statistic_exceeds_two() -> None:
    rng = np.random.default_rng(1)
    base, noise = rng.random(50), rng.normal(scale=0.1, size=50)
    for shift in np.linspace(0.0, 0.06, 13):
        values = np.stack([base + noise + shift, base, base - 0.1])
        clear = ttest_1samp(noise + shift, 0.0).statistic > 2
        assert selected(values, np.ones(50), 1) == (0 if clear else 1)
    better = np.stack([base, base + 0.1 + noise, base + 0.2 + noise])
    assert selected(better, np.ones(50), 0) == 2
    assert selected(better, (np.arange(50) < 1).astype(float), 0) == 0
    assert selected(np.full((3, 50), np.nan), np.ones(50), 1) == 1
    assert selected(np.array([[0.5, 0.5], [0.9, 0.5]]), np.ones(2), 0) == 0  # two queries tell nothing


def test_shrinkage_leads_from_what_sweeps_find_to_the_convex_fit() -> None:
    one = training(bent(30))
    fit = one.scaled(one.fit(30.0).curves)
    ends = [replace(one, shrinkage=share).curves(30.0) for share in (0.0, 0.5, 1.0)]
    np.testing.assert_allclose(ends[2].rises, fit.rises)
    np.testing.assert_allclose(ends[1].rises, (ends[0].rises + ends[2].rises) / 2)
    assert np.abs(ends[0].rises - ends[2].rises).max() > 0.01
    np.testing.assert_allclose(replace(one, smoothing=0.0).curves(30.0).rises, fit.rises)


def test_bags_draw_queries_that_tell_apart_as_often_as_there_are() -> None:
    data = bent(30)
    grades = np.where(np.arange(360) < 24, 0.0, data.grades)  # the first two queries have no relevant document
    one = training(RankingDataset.from_arrays(data.features, grades, qid=np.arange(360) // 12))
    counts = one.bag(7, 2).query_weights
    assert counts.sum() == 28
    assert counts[:2].tolist() == [0, 0]
    assert (one.bag(7, 2).query_weights == counts).all()
    assert (one.bag(7, 3).query_weights != counts).any()
