"""Soft ranks give the same bits however many threads work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmax._kernels.losses.smooth_ranks import _WORTH_THREADS, smooth_ranks


def test_threads_change_no_bit(use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 60, 3000))])
    scores, gains = rng.normal(size=offsets[-1]), rng.integers(0, 3, offsets[-1]).astype(np.float64)
    discount = 1 / np.log2(np.arange(2.0, 12))
    assert scores.size * discount.size > _WORTH_THREADS

    def run(n_threads: int, n_queries: int) -> tuple[np.ndarray, np.ndarray]:
        use_threads(n_threads)
        n = offsets[n_queries]
        values, gradient = np.empty(n_queries), np.empty(n)
        smooth_ranks(scores[:n], gains[:n], offsets[: n_queries + 1], discount, 0.1, values, gradient)
        return values, gradient

    together, alone, few = run(3, 3000), run(1, 3000), run(1, 50)
    np.testing.assert_array_equal(together[0], alone[0])
    np.testing.assert_array_equal(together[1], alone[1])
    np.testing.assert_array_equal(together[0][:50], few[0])
    np.testing.assert_array_equal(together[1][: offsets[50]], few[1])
