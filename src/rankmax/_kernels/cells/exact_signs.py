"""Which of two documents scores higher, in exact arithmetic.

A proof may not depend on rounding. The difference of two scores is computed in floating point first; where it is too
small to trust its sign, the products are split into parts without error and added exactly (Shewchuk 1997, Adaptive
precision floating-point arithmetic and fast robust geometric predicates, theorems 6, 10 and 18). Numbers must be tame,
so that no product over- or underflows.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax._kernels.compilation import njit

_SPLITTER = 134217729.0  # 2^27 + 1 cuts 53 bits into halves


@njit(cache=True, nogil=True)
def sign_of_difference(weights: F64, a: F64, b: F64, tolerance: float) -> int:
    """Return 1, 0 or -1 where the score w^T a is above, equal to or below w^T b.

    Parameters
    ----------
    weights, a, b : float64, (n_features,)
    tolerance : float
        No less than the rounding error of w^T (a - b).
    """
    difference = 0.0
    for j in range(weights.size):
        difference += weights[j] * (a[j] - b[j])
    if difference > tolerance:
        return 1
    if difference < -tolerance:
        return -1
    return int(_exact_sign(weights, a, b))


@njit(cache=True, nogil=True)
def _exact_sign(weights: F64, a: F64, b: F64) -> int:
    parts = np.empty(4 * weights.size)
    n = 0
    for j in range(weights.size):
        if weights[j] != 0.0 and a[j] != b[j]:
            for x in (a[j], -b[j]):
                product, error = exact_product(weights[j], x)
                n = _add(parts, n, error)
                n = _add(parts, n, product)
    for i in range(n - 1, -1, -1):  # parts do not overlap, so the largest decides
        if parts[i] != 0.0:
            return 1 if parts[i] > 0.0 else -1
    return 0


@njit(cache=True, nogil=True)
def exact_product(x: float, y: float) -> tuple[float, float]:
    """Return the product and its rounding error: equal pairs are equal products, exactly."""
    product = x * y
    c = _SPLITTER * x
    x_high = c - (c - x)
    x_low = x - x_high
    c = _SPLITTER * y
    y_high = c - (c - y)
    y_low = y - y_high
    return product, x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)


@njit(cache=True, nogil=True)
def _add(parts: F64, n: int, x: float) -> int:
    """Add a number to a sum kept as n parts of rising magnitude; return how many parts it has then."""
    for i in range(n):
        total = x + parts[i]
        added = total - x
        parts[i] = (x - (total - added)) + (parts[i] - added)
        x = total
    parts[n] = x
    return n + 1
