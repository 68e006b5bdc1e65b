"""Standardized features against a standardized copy of them."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.learners.surrogate.scoring.scaled_features import Design

RNG = np.random.default_rng(1)
QID = np.repeat(np.arange(6), 5)
X = RNG.normal(size=(30, 4)) * [1.0, 100.0, 0.01, 1.0] + [0.0, 50.0, 3.0, 0.0]
X[:, 3] = QID  # constant within queries


@pytest.mark.parametrize("intercept", [True, False])
def test_rows_and_gradients_are_those_of_a_standardized_copy(intercept):
    within = np.sqrt(np.mean([X[q == QID].var(axis=0) for q in range(6)], axis=0))
    within[3] = 0
    design = Design.of(within, X.mean(axis=0), intercept=intercept)
    within[3] = np.inf
    copy = (X - X.mean(axis=0) * intercept) / within
    copy = np.column_stack([copy, np.ones(30)]) if intercept else copy
    assert design.n_columns == copy.shape[1]
    rows, gradients = RNG.normal(size=(2, copy.shape[1])), RNG.normal(size=(2, 30))
    np.testing.assert_allclose(design.gradient(gradients @ X, gradients.sum(axis=1)), gradients @ copy, atol=1e-9)
    weights, intercepts = design.restored(rows)
    np.testing.assert_allclose(weights @ X.T + intercepts[:, None], rows @ copy.T, atol=1e-9)
    assert weights[:, 3].tolist() == [0, 0]


def test_no_features():
    design = Design.of(np.empty(0), np.empty(0), intercept=True)
    weights, intercepts = design.restored(np.array([[3.0]]))
    assert weights.shape == (1, 0)
    assert intercepts.tolist() == [3.0]
    np.testing.assert_array_equal(design.gradient(np.empty((1, 0)), np.array([3.0])), [[3.0]])
