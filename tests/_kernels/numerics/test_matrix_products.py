"""The two products of a linear model against numpy's, and with any number of threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rankmax._kernels.numerics.matrix_products import (
    _BLOCK,
    _WORTH_THREADS,
    times_matrix,
    times_weights,
    transposed_times,
)
from rankmax._numerics.exact_sums import rounded_rows


def offsets_of(n: int) -> np.ndarray:
    """Return queries of 0 to 40 documents, and a last one of all others."""
    offsets = np.array([*np.cumsum(np.arange(41))[:: 1 + n % 3], 5000, n])
    offsets = np.unique(offsets[offsets <= n]).astype(np.int64)
    return np.insert(offsets, 1, offsets[0])  # a query without documents


def products(columns: np.ndarray, weights: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.full(columns.shape[1], 7.0)
    times_weights(columns, weights, scores)
    return scores, rounded_rows(transposed_times(columns, gradient[np.newaxis], offsets_of(len(gradient)))[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 3, _BLOCK - 1, _BLOCK, _BLOCK + 1, 5 * _BLOCK + 7])
@pytest.mark.parametrize("d", [0, 1, 9])
def test_equal_numpy(n: int, d: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    columns, weights, gradient = rng.normal(size=(d, n)).astype(dtype), rng.normal(size=d), rng.normal(size=n)
    scores, moments = products(columns, weights, gradient)
    np.testing.assert_allclose(scores, columns.T.astype(np.float64) @ weights, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(moments, columns.astype(np.float64) @ gradient, rtol=1e-12, atol=1e-11)


def test_threads_change_no_bit(use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(1)
    n = _WORTH_THREADS // 9 + 5
    columns, weights, gradient = rng.normal(size=(9, n)), rng.normal(size=9), rng.normal(size=n)
    use_threads(3)
    together = products(columns, weights, gradient)
    use_threads(1)
    alone = products(columns, weights, gradient)
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_array_equal(a, b)


def test_no_way_to_cut_the_queries_changes_a_bit() -> None:
    rng = np.random.default_rng(3)
    offsets = np.arange(0, 2101, 7)
    columns, gradient = rng.normal(size=(5, 2100)) * 10.0 ** rng.integers(-9, 9, 2100), rng.normal(size=(1, 2100))
    whole = transposed_times(columns, gradient, offsets)
    for cut in (1, 17, 299):
        middle = offsets[cut]
        parts = [
            transposed_times(np.ascontiguousarray(columns[:, span]), np.ascontiguousarray(gradient[:, span]), own)
            for span, own in ((slice(middle), offsets[: cut + 1]), (slice(middle, None), offsets[cut:] - middle))
        ]
        np.testing.assert_array_equal(rounded_rows(parts[0][0] + parts[1][0]), rounded_rows(whole[0]))


def test_several_rows_have_the_bits_of_each_alone_whatever_the_threads(use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(2)
    n = _WORTH_THREADS // 9 + 5
    columns, weights, gradients = rng.normal(size=(9, n)), rng.normal(size=(3, 9)), rng.normal(size=(3, n))
    for n_threads in (3, 1):
        use_threads(n_threads)
        outputs = np.full((3, n), 7.0)
        times_matrix(columns, weights, outputs)
        digits = transposed_times(columns, gradients, offsets_of(n))
        for k in range(3):
            scores, moments = products(columns, weights[k], gradients[k])
            np.testing.assert_array_equal(outputs[k], scores)
            np.testing.assert_array_equal(rounded_rows(digits[k]), moments)
