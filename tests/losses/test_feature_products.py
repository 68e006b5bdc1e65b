"""Products of features, dense in two precisions and sparse, against numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.losses.feature_products import FeatureProducts


@pytest.mark.parametrize("make", [np.asarray, csc_array, lambda X: X.astype(np.float32)])
def test_products_are_those_of_the_matrix(make):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(5000, 4)), 1) * (rng.random((5000, 4)) < 0.5)
    products = FeatureProducts.of(RankingDataset.from_arrays(make(X), np.zeros(5000), qid=np.arange(5000) // 10))
    exact = np.asarray(make(X).astype(np.float64).todense() if make is csc_array else make(X), np.float64)
    weights, gradient = rng.normal(size=4), rng.normal(size=5000)
    np.testing.assert_allclose(products.scores(weights), exact @ weights, atol=1e-12)
    np.testing.assert_allclose(products.moments(gradient), exact.T @ gradient, atol=1e-9)
    rows, gradients = rng.normal(size=(3, 4)), rng.normal(size=(3, 5000))
    np.testing.assert_allclose(products.outputs(rows), rows @ exact.T, atol=1e-12)
    np.testing.assert_allclose(products.moment_rows(gradients), gradients @ exact, atol=1e-9)
