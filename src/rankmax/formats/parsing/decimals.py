"""Parsing of numbers, a whole column at a time in numpy, with the same bits as ``float()``.

A token's digits are read eight at a time: eight bytes are one uint64, and three multiplications turn eight digits
into their number. With m the digits as an integer and d the number of digits after the point minus the exponent, the
value is m / 10^d: one division of exact doubles while m < 2^53 and d <= 22, so correctly rounded; a division with its
remainder up to m < 2^64 and d <= 64; and ``float()`` for the few that are beyond.

LETOR files are read by a compiled parser (_kernels/parsing/decimal.py). For TREC files, loading numba costs more than
it saves: a run of a million lines would take 1.9 instead of 0.9 seconds of CPU time, one of 5,000 lines 1.4 instead
of 0.3.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, U8, U64, Bool
from rankmax.data.ids import WORD, words_at_every_byte

MARGIN = 32
"""Bytes that a buffer must have before its first and after its last token, so that whole words can be read."""

_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(rb"[+-]?0*[0-9]{1,18}")

_EXACT_POWERS = 22  # 10^22 is the largest power of ten that is a double
_MOST_DECIMALS = 64
_POWERS = np.array([float(10**d) for d in range(_MOST_DECIMALS + 1)])
_POWERS_REST = np.array([float(10**d - int(float(10**d))) for d in range(_MOST_DECIMALS + 1)])
_MOST_DIGITS = 3 * WORD
_SAFE_DIGITS = 19  # always less than 2^64
_LARGEST = 1.8e19  # of a mantissa: a little below 2^64
_SPLITTER = 2.0**27 + 1.0

_HIGH_BYTES = np.array([((1 << 8 * n) - 1) << 8 * (WORD - n) for n in range(WORD + 1)], np.uint64)


def _every_byte(value: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([value] * WORD), "little"))


_ZEROS, _POINTS, _EXPONENT_MARKS = _every_byte(ord("0")), _every_byte(ord(".")), _every_byte(ord("e"))
_LOWER_CASE = _every_byte(0x20)
_ONES, _TOP_BITS, _OVER_NINE = _every_byte(1), _every_byte(0x80), _every_byte(0x80 - 10)
_FOLDS = [  # adjacent digits are combined: to pairs, fours, eight
    (np.uint64(10), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10_000), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
]


def parse_decimals(buffer: U8, starts: I64, lengths: I64) -> F64:
    """Return each token's value as ``float()`` gives it, NaN if it is not a finite decimal number.

    Only ``[sign] digits [. digits] [e [sign] digits]`` is a number: no words such as ``inf``, no underscores.

    Parameters
    ----------
    buffer : array of uint8
        Text with `MARGIN` bytes before the first and after the last token.
    starts, lengths : arrays of int64
        First byte and number of bytes of each token.

    Examples
    --------
    >>> text = bytes(MARGIN) + b"-1.25 6e-3 nan" + bytes(MARGIN)
    >>> parse_decimals(np.frombuffer(text, np.uint8), np.array([32, 38, 43]), np.array([5, 4, 3]))
    array([-1.25 ,  0.006,    nan])
    """
    ends = starts + lengths
    values, readable = _parse(buffer, starts, ends, np.int64(0))
    rows = np.flatnonzero(~readable)
    if rows.size:
        mark, exponents, readable = _exponents(buffer, starts[rows], ends[rows])
        values[rows], also_readable = _parse(buffer, starts[rows], mark, exponents)
        rows = rows[~(readable & also_readable)]
        for row, start, end in zip(rows.tolist(), starts[rows].tolist(), ends[rows].tolist(), strict=True):
            values[row] = _slow_decimal(buffer[start:end].tobytes())
    return values


def parse_integers(buffer: U8, starts: I64, lengths: I64) -> tuple[I64, Bool]:
    """Return each token's value as ``int()`` gives it, and whether it is a 64-bit integer.

    Parameters are those of :func:`parse_decimals`.

    Examples
    --------
    >>> text = bytes(MARGIN) + b"-1 2 1.5" + bytes(MARGIN)
    >>> parse_integers(np.frombuffer(text, np.uint8), np.array([32, 35, 37]), np.array([2, 1, 3]))
    (array([-1,  2,  0]), array([ True,  True, False]))
    """
    ends = starts + lengths
    negative, first = _signs(buffer, starts)
    short = ends - first <= WORD
    numbers, are_digits = _mantissas(words_at_every_byte(buffer), ends, np.minimum(ends - first, WORD), 0, 0)
    readable = short & are_digits & (first < ends)
    values = np.where(readable, numbers, 0).astype(np.int64)
    np.negative(values, out=values, where=negative)
    for row in np.flatnonzero(~short).tolist():
        token = buffer[starts[row] : ends[row]].tobytes()
        if _INTEGER.fullmatch(token):
            values[row], readable[row] = int(token), True
    return values, readable


def _parse(buffer: U8, starts: I64, ends: I64, exponents: I64 | np.int64) -> tuple[F64, Bool]:
    """Return the value of sign, digits and point times 10^exponent, and whether it is certain."""
    words = words_at_every_byte(buffer)
    negative, first = _signs(buffer, starts)
    point, readable = _find_point(words, first, ends)
    has_point = point < ends
    n_decimals = ends - point - has_point
    n_digits = ends - first - has_point
    mantissas, are_digits = _mantissas(words, ends, n_digits, n_decimals, has_point)
    shift = n_decimals - exponents
    readable &= are_digits & (n_digits > 0) & (n_digits <= _MOST_DIGITS) & (shift >= 0) & (shift <= _MOST_DECIMALS)
    shift.clip(0, _MOST_DECIMALS, out=shift)
    values: F64 = mantissas / _POWERS[shift]
    long = np.flatnonzero(readable & ((mantissas >= np.uint64(2**53)) | (shift > _EXACT_POWERS)))
    if long.size:
        values[long], certain = _divide(mantissas[long], shift[long])
        readable[long[~certain]] = False
    np.negative(values, out=values, where=negative)
    return values, readable


def _exponents(buffer: U8, starts: I64, ends: I64) -> tuple[I64, I64, Bool]:
    """Return the position of each token's e (its end if there is none), the exponent, and whether it is valid."""
    words = words_at_every_byte(buffer)
    last = np.maximum(ends - WORD, starts)
    mark = np.minimum(last + _first_byte(words[last] | _LOWER_CASE, _EXPONENT_MARKS), ends)
    has_exponent = mark < ends
    behind = mark + has_exponent
    exponents, readable = parse_integers(buffer, behind, ends - behind)
    return mark, exponents, readable | ~has_exponent


def _signs(buffer: U8, starts: I64) -> tuple[Bool, I64]:
    """Return which tokens start with a minus, and the positions of their first digits."""
    leading = buffer[starts]
    negative = leading == ord("-")
    return negative, starts + (negative | (leading == ord("+")))


def _first_byte(words: U64, wanted: np.uint64) -> NDArray[np.signedinteger]:
    """Return the position of the first byte that equals those of `wanted`, 8 if there is none."""
    differing = words ^ wanted
    # The lowest top bit that is left belongs to the first byte that is zero.
    zero_bytes = (differing - _ONES) & ~differing & _TOP_BITS
    return np.bitwise_count((zero_bytes & (~zero_bytes + np.uint64(1))) - np.uint64(1)) >> 3


def _find_point(words: U64, starts: I64, ends: I64) -> tuple[I64, Bool]:
    """Return the position of each token's point (its end if there is none), and whether that is certain."""
    position = _first_byte(words[starts], _POINTS)
    return np.minimum(starts + position, ends), (position < WORD) | (ends - starts <= WORD)


def _mantissas(words: U64, ends: I64, n_digits: I64, n_decimals: I64 | int, has_point: Bool | int) -> tuple[U64, Bool]:
    """Return the integer formed by a token's digits without the point, and whether they are digits and fit.

    Word k of the result's digits, from the right, is a word of the text; before the point it is the text one byte
    earlier.
    """
    longest = min(int(n_digits.max(initial=0)), _MOST_DIGITS)
    mantissas = np.zeros(ends.size, np.uint64)
    sizes = np.zeros(ends.size)
    wrong = np.zeros(ends.size, np.uint64)
    for k in range(-(-longest // WORD)):
        here = ends - WORD * (k + 1)
        behind = _HIGH_BYTES.take(n_decimals - WORD * k, mode="clip")
        digits = words[here - has_point]
        digits ^= (digits ^ words[here]) & behind
        digits ^= _ZEROS
        digits &= _HIGH_BYTES.take(n_digits - WORD * k, mode="clip")
        wrong |= (digits + _OVER_NINE) | digits
        for factor, shift, kept in _FOLDS:
            neighbors = digits >> shift
            digits *= factor
            digits += neighbors
            digits &= kept
        mantissas += digits * np.uint64(10 ** (WORD * k))
        if longest > _SAFE_DIGITS:
            sizes += digits * float(10 ** (WORD * k))
    return mantissas, ((wrong & _TOP_BITS) == 0) & (sizes < _LARGEST)


def _divide(mantissas: U64, shift: I64) -> tuple[F64, Bool]:
    """Return m / 10^d, and whether it is certain to be rounded correctly, for m < 2^64 and d <= 64.

    With m = h + l and 10^d = P + p in doubles, q = h / P and its remainder r = h - q P, which is also a double
    (Dekker's product gives it), the quotient is q + (r + l - q p) / (P + p). The second term is a few units in the
    last place of q, and the error of its computed value is less than 2^-48 of one. The rounded sum is therefore right
    unless the exact one is that close to the middle of two doubles.
    """
    high, powers = mantissas.astype(np.float64), _POWERS[shift]
    # As m < 1.8e19 + 2^11, h fits into 64 bits again; the difference may wrap around to a negative number.
    low = (mantissas - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    quotient = high / powers
    product, error = _exact_product(quotient, powers)
    correction = (((high - product) - error + low) - quotient * _POWERS_REST[shift]) / powers
    values = quotient + correction
    rest = np.abs(correction - (values - quotient))
    unit = np.spacing(values)
    # Below a power of two the neighbor is nearer: its middle is a quarter of the spacing away.
    certain = np.minimum(np.abs(rest - unit / 2), np.abs(rest - unit / 4)) > unit * 2.0**-40
    return values, certain


def _exact_product(a: F64, b: F64) -> tuple[F64, F64]:
    """Return the rounded product and its error: their sum is a * b (Dekker 1971)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: F64) -> tuple[F64, F64]:
    scaled = a * _SPLITTER
    high = scaled - (scaled - a)
    return high, a - high


def _slow_decimal(token: bytes) -> float:
    if not _DECIMAL.fullmatch(token):
        return np.nan
    value = float(token)
    return value if np.isfinite(value) else np.nan
