"""A covariance matrix and its Cholesky factor, by hand: the same bits for any number of threads, which BLAS denies."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax._kernels.compilation import njit
from rankmax._kernels.threads import in_threads, stretches


def products_of_columns(columns: F64, products: F64) -> None:
    """Fill the symmetric matrix of the columns' dot products.

    Parameters
    ----------
    columns : float64, (n_columns, n_rows)
    products : float64, (n_columns, n_columns)
    """
    in_threads(_products, stretches(len(columns)), columns, products)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # lets sums be vectorized, in one fixed order
def _products(first: int, stop: int, columns: F64, products: F64) -> None:
    n_rows = columns.shape[1]
    for a in range(first, stop):
        for b in range(a + 1):
            total = 0.0
            for i in range(n_rows):
                total += columns[a, i] * columns[b, i]
            products[a, b] = total
            products[b, a] = total


@njit(cache=True)
def cholesky(matrix: F64) -> F64:
    """Return the lower triangle L with L L^T = matrix, which must be positive definite."""
    n = matrix.shape[0]
    lower = np.zeros((n, n))
    for a in range(n):
        for b in range(a + 1):
            left = matrix[a, b]
            for c in range(b):
                left -= lower[a, c] * lower[b, c]
            lower[a, b] = np.sqrt(left) if a == b else left / lower[b, b]
    return lower


@njit(cache=True)
def solve_cholesky(lower: F64, right: F64) -> F64:
    """Return x with L L^T x = right."""
    n = right.size
    x = right.copy()
    for a in range(n):
        for b in range(a):
            x[a] -= lower[a, b] * x[b]
        x[a] /= lower[a, a]
    for a in range(n - 1, -1, -1):
        for b in range(a + 1, n):
            x[a] -= lower[b, a] * x[b]
        x[a] /= lower[a, a]
    return x
