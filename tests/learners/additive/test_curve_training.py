"""Training of curves: what cross-validation selects, bags, and shrinkage toward the convex fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.additive.curve_fit import STRAIGHT
from rankmax.learners.additive.curve_training import SMOOTHNESSES, CurveTraining, selected
from rankmax.learners.additive.knot_basis import KnotBasis
from rankmax.metrics import AP
from rankmax.preprocessing import Unchanged


def bent(n_queries: int) -> RankingDataset:
    rng = np.random.default_rng(8)
    X = rng.random((n_queries * 12, 3))
    grades = (np.abs(X[:, 0] - 0.5) < 0.2).astype(float)
    return RankingDataset.from_arrays(X, grades, qid=np.arange(len(X)) // 12)


def training(data: RankingDataset, **parameters: float) -> CurveTraining:
    given = {"smoothing": 0.5, "shrinkage": 0.5, **parameters}
    weights = np.ones(data.n_queries)
    return CurveTraining(KnotBasis.of(data, Unchanged(), 6), AP(), weights, np.zeros(data.n_features), **given)


def test_curves_are_selected_where_they_are_better_and_lines_where_they_are_not() -> None:
    for data, straight in ((bent(60), False), (planted_linear(60, 12, 3, noise=1.0, seed=5).data, True)):
        one = training(data)
        number = selected(one.held_out_values(SMOOTHNESSES, 0), one.query_weights)
        assert (SMOOTHNESSES[number] == STRAIGHT) == straight


def test_every_query_is_held_out_once_from_curves_of_the_others() -> None:
    one = training(bent(20))
    values = one.held_out_values(SMOOTHNESSES, 3)
    assert values.shape == (len(SMOOTHNESSES), 20)
    assert not np.isnan(values).any()
    assert np.isnan(training(bent(4)).held_out_values(SMOOTHNESSES, 3)).all()


def test_the_smoothest_of_those_not_clearly_worse_is_selected() -> None:
    rng = np.random.default_rng(1)
    base, noise = rng.random(100), rng.normal(scale=0.1, size=(3, 100))
    noise -= noise.mean(axis=1, keepdims=True)
    values = base + noise
    assert selected(values + np.array([[0.0], [0.001], [0.002]]), np.ones(100)) == 0
    assert selected(values + np.array([[0.0], [0.1], [0.102]]), np.ones(100)) == 1
    assert selected(values + np.array([[0.0], [0.1], [0.2]]), np.ones(100)) == 2
    assert selected(np.full((3, 100), np.nan), np.ones(100)) == 0


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
