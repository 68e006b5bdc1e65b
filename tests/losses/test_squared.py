"""The squared loss against least squares."""

from __future__ import annotations

import numpy as np

from rankmax.data.synthetic import planted_linear
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.losses.squared import Squared


def test_least_squares_weights_are_its_minimum() -> None:
    data = planted_linear(12, 8, 3, noise=0.5, seed=3).data
    weights = LeastSquaresRanker().fit_dataset(data).coef_
    scores = data.scores(weights)
    scores += data.grades.mean() - scores.mean()
    _, gradient = Squared().value_and_gradient(scores, data.judgments)
    np.testing.assert_allclose(data.features.T @ gradient, 0, atol=1e-9)


def test_a_sum_over_documents_and_a_mean_over_queries() -> None:
    data = planted_linear(2, 5, 2, seed=3).data
    value, _ = Squared().value_and_gradient(data.grades + 3.0, data.judgments)
    assert value == 5 * 9
