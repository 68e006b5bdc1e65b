"""Thresholds chosen by the values of a feature."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.preprocessing.thresholds import even_thresholds, quantile_thresholds


def by_quantiles(values: F64, n_thresholds: int) -> F64:
    return quantile_thresholds(*np.unique(values, return_counts=True), n_thresholds)


def test_quantiles_hold_as_many_documents_each() -> None:
    values = np.random.default_rng(1).exponential(size=5100)
    n_ones = (values[:, None] > by_quantiles(values, 50)).sum(axis=0)
    assert n_ones.size == 50
    np.testing.assert_allclose(-np.diff(n_ones), 100, atol=2)


def test_a_value_that_most_documents_share_leaves_the_thresholds_to_the_others() -> None:
    thresholds = by_quantiles(np.append(np.zeros(9000), np.linspace(1, 2, 1000)), 10)
    assert thresholds.size >= 9
    assert thresholds[0] < 1
    assert (thresholds[2:] > 1).all()


def test_even_thresholds_lie_in_the_sensitive_region() -> None:
    thresholds = even_thresholds(np.array([-1000.0, *np.linspace(0, 1, 1000), 1000.0]), 50)
    assert thresholds.size == 50
    assert 0 < thresholds[0] < thresholds[-1] < 1
    np.testing.assert_allclose(np.diff(thresholds), np.diff(thresholds).mean(), rtol=0.05)


def test_one_value_or_none_has_no_threshold() -> None:
    assert by_quantiles(np.ones(5), 3).size == by_quantiles(np.empty(0), 3).size == 0
