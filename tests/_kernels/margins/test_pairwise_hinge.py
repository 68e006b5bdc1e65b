"""Sums over pairs that visit no pair, against sums that visit all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.pairs import preferences
from rankmax._kernels.margins import pairwise_hinge


def computed(scores: np.ndarray, levels: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, gradient = np.full(offsets.size - 1, np.nan), np.full(scores.size, np.nan)
    pairwise_hinge.squared_hinge(scores, levels, offsets, values, gradient)
    return values, gradient


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([-1.5, -1.0, 0.0, 0.5, 1.0, 7.0]), st.integers(0, 4)), max_size=9),
        min_size=1,
        max_size=4,
    ),
    st.floats(-1e6, 1e6),
)
def test_equals_the_sum_over_all_pairs(queries: list[list[tuple[float, int]]], offset: float) -> None:
    rows = [row for query in queries for row in query]
    scores = np.array([score for score, _ in rows], np.float64)
    levels = np.array([level for _, level in rows], np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(query) for query in queries])]).astype(np.int64)
    qid = np.repeat(np.arange(len(queries)), np.diff(offsets))
    expected, slopes = np.zeros(len(queries)), np.zeros(scores.size)
    for i, j in preferences(np.where(levels == 0, np.nan, levels), qid):
        missing = max(0.0, 1 - (scores[i] - scores[j]))
        expected[qid[i]] += missing**2
        slopes[i] -= 2 * missing
        slopes[j] += 2 * missing
    values, gradient = computed(scores + offset, levels, offsets)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-9, atol=1e-8)


def test_gradient_is_that_of_the_values() -> None:
    rng = np.random.default_rng(2)
    scores, levels, offsets = rng.normal(size=30), rng.integers(0, 4, 30), np.array([0, 12, 30])
    _, gradient = computed(scores, levels, offsets)
    for i in range(30):
        step = np.eye(30)[i] * 1e-6
        above, below = (computed(scores + sign * step, levels, offsets)[0].sum() for sign in (1, -1))
        assert (above - below) / 2e-6 == pytest.approx(gradient[i], abs=1e-6)


def test_threads_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    n = pairwise_hinge._DOCUMENTS_WORTH_THREADS
    scores, levels = rng.normal(size=n), rng.integers(0, 3, n)
    offsets = np.arange(0, n + 1, 50)
    values, gradient = computed(scores, levels, offsets)
    half = offsets[offsets.size // 2]
    again = computed(scores[:half].copy(), levels[:half].copy(), offsets[: offsets.size // 2 + 1].copy())
    assert np.array_equal(again[0], values[: offsets.size // 2])
    assert np.array_equal(again[1], gradient[:half])
