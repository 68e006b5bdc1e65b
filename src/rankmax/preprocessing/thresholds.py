"""Thresholds of a feature, chosen by its values."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64, readonly

_SENSITIVE = (0.01, 0.99)  # quantiles between which evenly spaced thresholds are
_ROUNDS = 20  # iterations of lowering the fair number of a bin; each reduces the excess by a factor


def quantile_thresholds(values: F64, counts: I64, n_thresholds: int) -> F64:
    """Return thresholds with about as many documents between any two, ascending.

    A value that many documents share counts as its bin's fair number, so that the others are separated, too.

    Parameters
    ----------
    values : array of float64
        Distinct values, ascending.
    counts : array of int64
        Number of documents with each value.
    n_thresholds : int
        Largest number of thresholds; there are fewer of fewer values, one between any two.

    Examples
    --------
    >>> quantile_thresholds(np.array([1.0, 2.0, 4.0, 8.0]), np.array([1, 1, 1, 1]), 2)
    array([3., 6.])
    """
    gaps = np.arange(values.size - 1)
    if gaps.size > n_thresholds:
        fair = counts.astype(np.float64)
        for _ in range(_ROUNDS):  # no value counts for more than its bin's fair number
            fair = np.minimum(fair, fair.sum() / (n_thresholds + 1))
        share = np.cumsum(fair)[:-1] / fair.sum()
        wanted = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
        gaps = np.unique(np.minimum(np.searchsorted(share, wanted), gaps.size - 1))
    return readonly(np.array([_shortest(values[gap], values[gap + 1]) for gap in gaps]))


def even_thresholds(column: F64, n_thresholds: int, region: tuple[float, float] | None = None) -> F64:
    """Return thresholds at equal distances, ascending.

    Parameters
    ----------
    column : array of float64
        Values, not all the same.
    n_thresholds : int
    region : pair of float, optional
        Range of the thresholds; by default from the first to the last percentile of the values.

    Examples
    --------
    >>> even_thresholds(np.array([3.0, 5.0]), 3, (0.0, 1.0))
    array([0.25, 0.5 , 0.75])
    """
    low, high = np.quantile(column, _SENSITIVE) if region is None else region
    if low == high:
        low, high = column.min(), column.max()
    step = (high - low) / (n_thresholds + 1)
    exact = low + step * np.arange(1, n_thresholds + 1)
    return readonly(np.array([_shortest(k - step / 100, k + step / 100) for k in exact]))


def _shortest(low: float, high: float) -> float:
    """Return the number with the fewest digits between two, near their middle, or `low` if there is none."""
    middle = 0.5 * low + 0.5 * high
    for digits in range(1, 17):
        number = float(f"{middle:.{digits}g}")
        if low < number < high:
            return number
    return float(low)
