"""The two products of a linear model against numpy's, and with any number of threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rankmax.kernels.linear import (
    _BLOCK,
    _WORTH_THREADS,
    n_blocks,
    times_matrix,
    times_weights,
    transposed_times,
)


def products(columns: np.ndarray, weights: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.full(columns.shape[1], 7.0)
    times_weights(columns, weights, scores)
    parts = np.full((n_blocks(columns.shape[1]), 1, columns.shape[0]), 7.0)
    transposed_times(columns, gradient[np.newaxis], parts)
    return scores, parts[:, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 3, _BLOCK - 1, _BLOCK, _BLOCK + 1, 5 * _BLOCK + 7])
@pytest.mark.parametrize("d", [0, 1, 9])
def test_equal_numpy(n: int, d: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    columns, weights, gradient = rng.normal(size=(d, n)).astype(dtype), rng.normal(size=d), rng.normal(size=n)
    scores, parts = products(columns, weights, gradient)
    np.testing.assert_allclose(scores, columns.T.astype(np.float64) @ weights, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(parts.sum(axis=0), columns.astype(np.float64) @ gradient, rtol=1e-12, atol=1e-11)


def test_threads_change_no_bit(use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(1)
    n = _WORTH_THREADS // 9 + 5
    columns, weights, gradient = rng.normal(size=(9, n)), rng.normal(size=9), rng.normal(size=n)
    use_threads(3)
    together = products(columns, weights, gradient)
    use_threads(1)
    alone = products(columns, weights, gradient)
    few = 3 * _BLOCK
    without = products(np.ascontiguousarray(columns[:, :few]), weights, gradient[:few])
    for a, b, c in zip(together, alone, without, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a[: len(c)], c)


def test_several_rows_have_the_bits_of_each_alone_whatever_the_threads(use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(2)
    n = _WORTH_THREADS // 9 + 5
    columns, weights, gradients = rng.normal(size=(9, n)), rng.normal(size=(3, 9)), rng.normal(size=(3, n))
    for n_threads in (3, 1):
        use_threads(n_threads)
        outputs, parts = np.full((3, n), 7.0), np.full((n_blocks(n), 3, 9), 7.0)
        times_matrix(columns, weights, outputs)
        transposed_times(columns, gradients, parts)
        for k in range(3):
            scores, part = products(columns, weights[k], gradients[k])
            np.testing.assert_array_equal(outputs[k], scores)
            np.testing.assert_array_equal(parts[:, k], part)
