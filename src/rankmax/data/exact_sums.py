"""Sums of floats whose bits depend on the numbers alone: not on their order, nor on who added which of them.

A sum is kept as *digits*, an array of integers (see kernels/exact_sums.py). Digits of parts add up to those of the
whole, so work can be shared among threads, processes and machines in any way, and rounding happens once, at the end.
"""

from __future__ import annotations

import numpy as np

from rankmax.arrays import F64, I64


def digits_of(values: F64) -> I64:
    """Return the digits of a sum.

    Parameters
    ----------
    values : array of float64, shape (n,)

    Examples
    --------
    >>> a, b = digits_of(np.array([1e16, 1.0])), digits_of(np.array([-1e16]))
    >>> rounded(a + b)
    1.0
    """
    from rankmax.kernels.exact_sums import N_DIGITS, add_all

    digits = np.zeros(N_DIGITS, np.int64)
    add_all(np.ascontiguousarray(values, np.float64), digits)
    return digits


def rounded(digits: I64) -> float:
    """Return the float nearest to a sum, NaN where a summand is not finite.

    Parameters
    ----------
    digits : array of int64
    """
    return float(rounded_rows(digits[np.newaxis])[0])


def rounded_rows(digits: I64) -> F64:
    """Return the floats nearest to several sums.

    Parameters
    ----------
    digits : array of int64, shape (n_sums, n_digits)
    """
    from rankmax.kernels.exact_sums import round_sums

    sums = np.empty(len(digits))
    round_sums(digits.copy(), sums)
    return sums


def exact_sum(values: F64) -> float:
    """Return the float nearest to the sum of some floats, as :func:`math.fsum` does, ten times sooner.

    Parameters
    ----------
    values : array of float64, shape (n,)

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16])), sum([1e16, 1.0, -1e16])
    (1.0, 0.0)
    """
    return rounded(digits_of(values))
