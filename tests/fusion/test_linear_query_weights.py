"""Weights that fit the query: planted gating is found, and none is recommended where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.fusion.candidates import LearnedWeights
from rankmax.fusion.decision import Prior
from rankmax.fusion.linear_query_weights import QueryWeights, _Fit
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP, nDCG
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.query_features import QueryFeature

METRICS = (nDCG(cutoff=10), AP())


def planted(n_queries: int, strength: float, seed: int, noise: float = 0.2) -> tuple[RankingDataset, np.ndarray]:
    """Return three systems of which the first two trade weights by the first of three query features."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n_queries, 3))
    X = rng.random((n_queries, 20, 3))
    w = np.array([0.4, 0.4, 0.2]) + strength * np.clip(z[:, :1], -2, 2) * np.array([0.2, -0.2, 0.0])
    scores = (X * w[:, None, :]).sum(axis=2) + noise * rng.normal(size=(n_queries, 20)) * 0.3
    relevant = scores >= np.sort(scores, axis=1)[:, [-3]]
    data = RankingDataset.from_arrays(
        X.reshape(-1, 3), relevant.ravel().astype(int), qid=np.repeat(np.arange(n_queries), 20)
    )
    return data, z


def fixed_for(data: RankingDataset) -> LearnedWeights:
    return LearnedWeights("learned", "learned weights", Unchanged(), LatticeSearch(data, METRICS), Prior(0.0, 100.0))


def learner(z: np.ndarray) -> QueryWeights:
    return QueryWeights([QueryFeature("column", f"c{k}") for k in range(z.shape[1])], z, METRICS)


def test_planted_gating_is_recovered() -> None:
    data, z = planted(160, 1.0, 1)
    fixed = fixed_for(data)
    train, test = np.arange(80), np.arange(80, 160)
    fusion = learner(z).fit(train, fixed)
    assert fusion.penalty is not None
    first = fusion.variation[0]
    assert first[0] > 0.1 > -0.1 > first[1]
    assert abs(first).sum() > 3 * abs(fusion.variation[1:]).sum(axis=1).max()
    (same,) = fixed.fit([train])
    assert fusion.values[0, test].mean() > same.values[0, test].mean() + 0.02


def test_without_gating_the_weights_are_the_fixed_ones() -> None:
    data, z = planted(60, 0.0, 2)
    fixed = fixed_for(data)
    fusion = learner(z).fit(np.arange(60), fixed)
    (same,) = fixed.fit([np.arange(60)])
    assert fusion.penalty is None
    assert not fusion.variation.any()
    np.testing.assert_allclose(fusion.values, same.values, atol=1e-12)


def test_the_variation_minimizes_the_penalized_loss_of_product_columns() -> None:
    from rankmax.losses import ProportionalCrossEntropy
    from rankmax.losses.linear_fit import fit_linear

    # with one system of weight 1 as base and a penalty near 0, the fit is that of the columns x_j and x_j z_k
    data, z = planted(30, 1.0, 3)
    fitted = _Fit(fixed_for(data), np.arange(30), np.clip(z[:, :1], -1, 1))
    (variation,) = fitted.along([1e-6])
    X, of = np.asarray(data.features), data.judgments.query_of_document
    zs = ((np.clip(z[:, :1], -1, 1) - fitted.means) / fitted.deviations)[of]
    columns = np.hstack([(X @ fitted.weights)[:, None], X * zs])
    both = RankingDataset.from_arrays(columns, data.grades, qid=np.repeat(np.arange(30), 20))
    expected = fit_linear(ProportionalCrossEntropy(), both, ridge=1e-6, tolerance=1e-5).weights
    np.testing.assert_allclose(variation[0], expected[1:] / expected[0], rtol=0.1, atol=0.03)


def test_a_query_feature_that_is_constant_moves_nothing() -> None:
    data, z = planted(60, 1.0, 4)
    z[:, 2] = 7.0
    fusion = learner(z).fit(np.arange(60), fixed_for(data))
    assert fusion.penalty is not None
    assert not fusion.variation[2].any()


@pytest.mark.parametrize("strength", [0.0, 2.0], ids=["none planted", "planted"])
def test_gating_is_recommended_where_it_is_and_not_elsewhere(strength: float) -> None:
    """benchmarks/query_weight_nulls.py has 200 sets, with the whole procedure."""
    fitted = []
    for seed in range(8):
        data, z = planted(40, strength, seed)
        fitted.append(learner(z).fit(np.arange(40), fixed_for(data)).penalty is not None)
    assert sum(fitted) >= 7 if strength else sum(fitted) <= 1
