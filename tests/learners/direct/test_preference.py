"""The probability that one weight vector is better: against the normal distribution, and over parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rankmax.data.synthetic import planted_linear
from rankmax.learners.direct.preference import probability_better
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP

DATA = planted_linear(20, 8, 3, noise=0.7, seed=3).data


@pytest.mark.parametrize("weights", [None, np.arange(20.0)])
def test_is_the_normal_approximation_of_the_mean_difference(weights: np.ndarray | None) -> None:
    first, second = np.array([1.0, 0.2, 0.0]), np.array([0.3, 1.0, 0.5])
    values = [AP().per_query(DATA.scores(w), DATA.judgments) for w in (first, second)]
    difference = (values[0] - values[1]) * (1.0 if weights is None else weights)
    objective = LinearObjective(DATA, AP(), query_weights=weights)
    expected = norm.cdf(difference.sum() / np.linalg.norm(difference))
    assert probability_better(objective, first, second) == pytest.approx(expected, rel=1e-12)
    assert probability_better(objective, second, first) == pytest.approx(1 - expected, rel=1e-12)


def test_equal_rankings_are_equally_probable() -> None:
    assert probability_better(LinearObjective(DATA, AP()), np.ones(3), 2 * np.ones(3)) == 0.5
