"""Sums of floats without rounding, so that no order of adding, and no way to share the work, changes a bit.

A finite float is an integer of 53 bits times a power of two from 2^-1074 on. So a sum is kept as one long integer in
units of 2^-1074, in digits of 32 bits that are added apart: a float touches three of them, and carries wait until the
sum is read. Each digit has room for 2^31 summands, and digits of two sums add up to those of their union.
"""

from __future__ import annotations

import math

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit

N_DIGITS = 67
"""Digits of a sum: 66 for every finite float, and a last one that counts summands which are not finite."""

_MASK = (1 << 32) - 1
_FRACTION = (1 << 52) - 1


@njit(cache=True)
def add_bits(bits: int, digits: I64) -> None:
    """Add the float with the given bits to a sum."""
    exponent = (bits >> 52) & 0x7FF
    if exponent == 0x7FF:
        digits[N_DIGITS - 1] += 1
        return
    integer = bits & _FRACTION
    if exponent:
        integer |= 1 << 52
        exponent -= 1
    k = exponent >> 5
    shift = exponent & 31
    sign = 1 - 2 * int(bits < 0)
    above = integer >> (32 - shift)
    digits[k] += sign * ((integer << shift) & _MASK)
    digits[k + 1] += sign * (above & _MASK)
    digits[k + 2] += sign * (above >> 32)


@njit(cache=True, nogil=True)
def add_all(values: F64, digits: I64) -> None:
    """Add all values to a sum.

    Parameters
    ----------
    values : float64, (n,)
    digits : int64, (N_DIGITS,)
    """
    bits = values.view(np.int64)
    for i in range(bits.size):
        add_bits(bits[i], digits)


@njit(cache=True)
def round_sum(digits: I64) -> float:
    """Return the float nearest to a sum; NaN where a summand was not finite. The digits are used up."""
    if digits[N_DIGITS - 1] != 0:
        return math.nan
    top = N_DIGITS - 2
    _carry(digits)
    sign = 1.0
    if digits[top] < 0:
        sign = -1.0
        for k in range(top + 1):
            digits[k] = -digits[k]
        _carry(digits)
    while top > 1 and digits[top] == 0:
        top -= 1
    # The 64 leading bits, of which the last also stands for all that follow: rounding them rounds the sum.
    zeros = 0
    while zeros < 31 and (digits[top] << zeros) >> 31 == 0:
        zeros += 1
    below = digits[top - 2] if top > 1 else 0
    leading = (np.uint64(digits[top]) << np.uint64(32)) | np.uint64(digits[top - 1])
    leading = (leading << np.uint64(zeros)) | np.uint64((below << zeros) >> 32)
    rest = (below << zeros) & _MASK
    for k in range(top - 2):
        rest |= digits[k]
    if rest != 0:
        leading |= np.uint64(1)
    return sign * math.ldexp(float(leading), 32 * (top - 1) - zeros - 1074)


@njit(cache=True)
def _carry(digits: I64) -> None:
    """Leave between 0 and 2^32 - 1 in every digit but the highest, which has the sign."""
    for k in range(N_DIGITS - 2):
        digits[k + 1] += digits[k] >> 32
        digits[k] &= _MASK


@njit(cache=True)
def round_sums(digits: I64, rounded: F64) -> None:
    """Fill the float nearest to each of several sums; the digits are used up.

    Parameters
    ----------
    digits : int64, (n_sums, N_DIGITS)
    rounded : float64, (n_sums,)
    """
    for i in range(rounded.size):
        rounded[i] = round_sum(digits[i])
