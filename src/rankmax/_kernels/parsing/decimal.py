"""Decimal text to the nearest float64, with the very bits of Python's ``float()``.

A number w·10^q with w < 2^53 and |q| <= 22 takes one correctly rounded multiplication or division, for w and 10^|q|
are exact. Any other with at most 19 digits takes Eisel and Lemire's: multiply w by 128 bits of 5^q; they always
suffice. Of longer ones the first 19 digits are taken; where their rest could matter, the caller is told to ask
Python.

TREC files have a parser of their own in numpy (formats/parsing/decimals.py): loading numba would make a run of 5,000
lines take 1.4 instead of 0.3 seconds of CPU time, and one of a million lines 1.9 instead of 0.9.

References
----------
.. [1] D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51(8), 2021.
.. [2] N. Mushtak and D. Lemire, "Fast number parsing without fallback", Software: Practice and Experience 53(6),
   2023, section 4: why no number of at most 19 digits needs more than the 128 bits.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import U8, U64
from rankmax._kernels.compilation import njit

PARSED, UNDECIDED, NOT_A_NUMBER = range(3)

_SMALLEST_POWER, _LARGEST_POWER = -342, 308  # beyond, 19 digits are 0 or infinite whatever they are
_MAX_DIGITS = 19  # every number of 19 digits fits 64 bits
_EXPONENT_LIMIT = 1 << 40  # larger exponents are cut here; no file has digits enough to balance them

_ONE = np.uint64(1)
_TEN = np.uint64(10)
_ZERO_DIGIT = np.uint64(ord("0"))
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_EXACT_INTEGERS = np.uint64(1 << 53)
_HIDDEN_BIT = np.uint64(1 << 52)
_EXACT_POWERS = 10.0 ** np.arange(23)
_POINT, _MINUS, _PLUS, _UPPER_E, _LOWER_E = (ord(c) for c in ".-+Ee")


def _powers_of_five() -> U64:
    """Return the 128 leading bits of 5^q as (high, low) rows, rounded up for -27 <= q < 0, else down ([1])."""
    rows = []
    for q in range(_SMALLEST_POWER, _LARGEST_POWER + 1):
        power = 5 ** abs(q)
        if q >= 0:
            shift = 128 - power.bit_length()
            leading = power << shift if shift >= 0 else power >> -shift
        else:
            leading = (1 << (power.bit_length() + 127)) // power + (q >= -27)
        rows.append((leading >> 64, leading & (1 << 64) - 1))
    return np.array(rows, np.uint64)


_FIVES = _powers_of_five()


@njit(cache=True, nogil=True)
def byte_at(text: U8, i: int) -> np.uint8:
    """Return text[i] for i >= 0; without Python's meaning of a negative index, parsing is a third faster."""
    byte: np.uint8 = text[np.uint64(i)]
    return byte


@njit(cache=True, nogil=True)
def _multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the high and the low 64 bits of a·b."""
    a_high, a_low = a >> _HALF, a & _LOW_HALF
    b_high, b_low = b >> _HALF, b & _LOW_HALF
    middle = a_high * b_low + ((a_low * b_low) >> _HALF)
    other = a_low * b_high + (middle & _LOW_HALF)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF), a * b


@njit(cache=True, nogil=True)
def _leading_zeros(w: np.uint64) -> int:
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == 0:
            w <<= np.uint64(step)
            zeros += step
    return zeros


@njit(cache=True, nogil=True)
def nearest_double(w: np.uint64, q: int) -> float:
    """Return the float64 nearest to w·10^q, ties to even ([1], algorithm 1)."""
    if w == 0 or q < _SMALLEST_POWER:
        return 0.0
    if q > _LARGEST_POWER:
        return np.inf
    zeros = _leading_zeros(w)
    w <<= np.uint64(zeros)
    high, low = _multiply(w, _FIVES[q - _SMALLEST_POWER, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # the lower half may carry into the bits that we keep
        carry, _ = _multiply(w, _FIVES[q - _SMALLEST_POWER, 1])
        low += carry
        if low < carry:
            high += _ONE
    top = high >> np.uint64(63)
    shift = top + np.uint64(9)
    mantissa = high >> shift  # 53 bits and one to round by
    exponent = ((217706 * q) >> 16) + 63 + np.int64(top) - zeros + 1023  # 217706 / 2^16 = log2(10)
    if exponent <= 0:  # subnormal
        if exponent <= -63:
            return 0.0
        mantissa >>= np.uint64(1 - exponent)
        mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
        return np.uint64(mantissa).view(np.float64)  # a carry into the hidden bit: the smallest normal number
    if low <= _ONE and -4 <= q <= 23 and mantissa & np.uint64(3) == _ONE and mantissa << shift == high:
        mantissa -= _ONE  # exactly half way: down to even
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    if mantissa >> np.uint64(53):
        mantissa >>= _ONE
        exponent += 1
    if exponent >= 0x7FF:
        return np.inf
    return np.uint64((mantissa & ~_HIDDEN_BIT) | (np.uint64(exponent) << np.uint64(52))).view(np.float64)


@njit(cache=True, nogil=True)
def _long_decimal(text: U8, start: int, stop: int, exponent: int) -> tuple[float, int]:
    """Read the digits in text[start:stop], more than 19 of them, of a number with the given power of ten."""
    w = np.uint64(0)
    n_digits = 0
    n_left = 0
    for i in range(start, stop):
        if byte_at(text, i) == _POINT:
            continue
        if n_digits == _MAX_DIGITS:
            n_left += 1
            continue
        w = w * _TEN + (np.uint64(byte_at(text, i)) - _ZERO_DIGIT)
        if w > 0:
            n_digits += 1
    q = exponent + n_left
    below = nearest_double(w, q)
    if n_left and below != nearest_double(w + _ONE, q):
        return below, UNDECIDED
    return below, PARSED


@njit(cache=True, nogil=True)
def parse_decimal(text: U8, i: int) -> tuple[float, int, int]:
    """Read the number that starts at byte `i`: ``[+-] digits [. digits] [e [+-] digits]``.

    Parameters
    ----------
    text : array of uint8
        Ends in a byte that cannot belong to a number, such as a newline.
    i : int

    Returns
    -------
    value : float
    stop : int
        The first byte behind the number.
    status : int
        PARSED, UNDECIDED (the value is within one unit of the last place) or NOT_A_NUMBER.

    Examples
    --------
    >>> parse_decimal(np.frombuffer(bytearray(b"-0.25e1 "), np.uint8), 0)
    (-2.5, 7, 0)
    """
    negative = byte_at(text, i) == _MINUS
    if negative or byte_at(text, i) == _PLUS:
        i += 1
    start = i
    w = np.uint64(0)  # wraps around beyond 19 digits, and is read again then
    digit = np.uint64(byte_at(text, i)) - _ZERO_DIGIT
    while digit < _TEN:
        w = w * _TEN + digit
        i += 1
        digit = np.uint64(byte_at(text, i)) - _ZERO_DIGIT
    n_digits = i - start
    q = 0
    if byte_at(text, i) == _POINT:
        i += 1
        q = i
        digit = np.uint64(byte_at(text, i)) - _ZERO_DIGIT
        while digit < _TEN:
            w = w * _TEN + digit
            i += 1
            digit = np.uint64(byte_at(text, i)) - _ZERO_DIGIT
        q -= i
        n_digits -= q
    if n_digits == 0:
        return 0.0, i, NOT_A_NUMBER
    stop = i
    if byte_at(text, i) == _LOWER_E or byte_at(text, i) == _UPPER_E:
        i += 1
        down = byte_at(text, i) == _MINUS
        if down or byte_at(text, i) == _PLUS:
            i += 1
        exponent_start = i
        exponent = 0
        while byte_at(text, i) >= 48 and byte_at(text, i) <= 57:
            exponent = min(exponent * 10 + int(byte_at(text, i) - 48), _EXPONENT_LIMIT)
            i += 1
        if i == exponent_start:
            return 0.0, i, NOT_A_NUMBER
        q += -exponent if down else exponent
    status = PARSED
    if n_digits > _MAX_DIGITS:
        value, status = _long_decimal(text, start, stop, q)
    elif w <= _EXACT_INTEGERS and -22 <= q <= 22:
        value = np.float64(w)
        value = value / _EXACT_POWERS[-q] if q < 0 else value * _EXACT_POWERS[q]
    else:
        value = nearest_double(w, q)
    return -value if negative else value, i, status
