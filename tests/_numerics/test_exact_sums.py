"""Sums that no order changes, and several at a time."""

from __future__ import annotations

import math

import numpy as np

from rankmax._numerics.exact_sums import digits_of, exact_sum, rounded, rounded_rows


def test_like_fsum() -> None:
    values = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(-50, 50).repeat(10)
    assert exact_sum(values) == exact_sum(values[::-1]) == math.fsum(values)


def test_reading_a_sum_leaves_it_as_it_was() -> None:
    digits = digits_of(np.array([0.1, -0.7]))
    assert rounded(digits) == rounded(digits) == math.fsum([0.1, -0.7])
    np.testing.assert_array_equal(rounded_rows(np.array([digits, -digits])), [-0.6, 0.6])
