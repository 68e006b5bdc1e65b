"""Differences between two systems by query."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import InvalidDataError

_ROUNDING = 1e-12  # relative to the largest value: the most that the order of summation can change in a metric


@dataclass(frozen=True, slots=True)
class WinCounts:
    """Number of queries on which the first of two systems is better, worse and equal."""

    wins: int
    losses: int
    ties: int


def paired_differences(a: ArrayLike, b: ArrayLike) -> F64:
    """Return a - b for each query, NaN if either is NaN (a query that was left out).

    Differences below 1e-12 of the largest value are the rounding of floating-point sums; they become 0, so that
    they neither turn a tie into a win nor enter a rank.

    Parameters
    ----------
    a, b : array-like, shape (n_queries,)
        Values of two systems on the same queries in the same order.

    Examples
    --------
    >>> paired_differences([0.5, 0.1 + 0.2, float("nan")], [0.25, 0.3, 1.0])
    array([0.25, 0.  ,  nan])
    """
    first, second = _query_values("a", a), _query_values("b", b)
    if first.size != second.size:
        raise InvalidDataError(
            f"{first.size} values against {second.size}; paired systems need one value each for the same queries"
        )
    differences = first - second
    if np.isnan(differences).all():
        raise InvalidDataError("no query has a value for both systems: there is nothing to compare")
    largest = max(np.nanmax(np.abs(first)), np.nanmax(np.abs(second)))
    differences[np.abs(differences) <= _ROUNDING * largest] = 0.0
    return differences


def count_wins(differences: ArrayLike) -> WinCounts:
    """Count positive, negative and zero differences, ignoring NaN.

    Parameters
    ----------
    differences : array-like, shape (n_queries,)
        Differences from :func:`paired_differences`.

    Examples
    --------
    >>> count_wins([0.25, 0.0, -0.5, 0.125])
    WinCounts(wins=2, losses=1, ties=1)
    """
    signs = np.sign(np.asarray(differences, np.float64))
    return WinCounts(*(int(np.count_nonzero(signs == sign)) for sign in (1, -1, 0)))


def cohens_d(differences: ArrayLike) -> float:
    """Return the effect size of paired differences: their mean in units of their standard deviation.

    The standard deviation has n - 1 in its denominator. If all differences are equal, the result is plus or minus
    infinity, or 0 if they are 0; a single query with a difference leaves it undefined: NaN.

    Parameters
    ----------
    differences : array-like, shape (n_queries,)
        Differences from :func:`paired_differences`; NaN is skipped.

    References
    ----------
    J. Cohen: Statistical Power Analysis for the Behavioral Sciences, 2nd edition, 1988, section 2.3.5 (d_z);
    recommended for IR by T. Sakai: Statistical reform in information retrieval?, SIGIR Forum 48(1), 2014.

    Examples
    --------
    >>> cohens_d([0.25, 0.75, 0.5])
    2.0
    """
    kept = np.asarray(differences, np.float64)
    kept = kept[~np.isnan(kept)]
    if not kept.any():
        return 0.0
    if kept.size == 1:
        return math.nan
    mean = float(kept.mean())
    return math.copysign(math.inf, mean) if np.ptp(kept) == 0 else mean / float(kept.std(ddof=1))


def _query_values(name: str, values: ArrayLike) -> F64:
    try:
        vector = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(f"the values of {name} must be numbers, one for each query") from None
    if vector.ndim != 1:
        raise InvalidDataError(f"the values of {name} have shape {vector.shape}; expected one for each query")
    if np.isinf(vector).any():
        where = int(np.flatnonzero(np.isinf(vector))[0])
        raise InvalidDataError(
            f"{name}[{where}] is {vector[where]}; values must be finite, or NaN for queries left out"
        )
    return vector
