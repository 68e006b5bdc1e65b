import math
import struct
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.trec import DECIMAL, INTEGER
from rankmax.formats.parsing import decimals
from rankmax.formats.parsing.decimals import MARGIN, parse_decimals, parse_integers


def columns(tokens):
    raw = [token.encode() for token in tokens]
    lengths = np.array([len(token) for token in raw], np.int64)
    starts = MARGIN + np.cumsum(lengths + 1) - lengths - 1
    text = bytes(MARGIN) + b" ".join(raw) + bytes(MARGIN)
    return np.frombuffer(text, np.uint8), starts, lengths


def bits(value):
    return struct.pack("<d", value)


def check_decimals(tokens):
    for token, value in zip(tokens, parse_decimals(*columns(tokens)).tolist(), strict=True):
        expected = float(token) if DECIMAL.fullmatch(token) else math.nan
        if math.isfinite(expected):
            assert bits(value) == bits(expected), token
        else:
            assert math.isnan(value), token


finite = st.floats(allow_nan=False, allow_infinity=False)
digits = st.text("0123456789", max_size=26)
signs = st.sampled_from(["", "-", "+"])
written = st.one_of(
    finite.map(repr),
    finite.map(lambda x: f"{x:.{4}f}"[:40]),
    st.floats(-1000, 1000).map(repr),
    st.tuples(signs, digits, st.sampled_from(["", "."]), digits).map("".join),
    st.tuples(signs, digits, st.just("."), digits, st.sampled_from("eE"), signs, st.text("0123456789", max_size=3)).map(
        "".join
    ),
    st.text("0123456789.-+eE_xnaif/:", min_size=1, max_size=12),
).filter(bool)


@given(st.lists(written, min_size=1, max_size=20))
@example(["1_000"])
@example(["nan"])
@example(["inf", "-Infinity"])
@example(["1e999", "-1e999"])
@example(["0x10", "1e", "e5", "-", "+", ".", "-.", "1.2.3", "--1", "1-", "1/2", "1:2"])
@example(["-0", "-0.0", "+0", "0.", ".0", "000000000000000000000000001.5"])
@example(["0.00012345678901234567", "12345678.5", "123456789.5", "18446744073709551615", "18446744073709551616"])
@example(["١٢"])  # digits to Python, not to TREC
def test_decimals_have_the_bits_of_float(tokens):
    check_decimals(tokens)


@given(
    st.lists(
        st.tuples(st.integers(2**52, 2**53 - 1), st.integers(1, 4), st.integers(-1, 1), st.integers(0, 22)), min_size=1
    )
)
def test_near_the_middle_of_two_doubles(cases):
    """(2n + 1) / 2^j lies in the middle of two doubles: the last digit decides."""
    tokens = []
    for n, j, nudge, extra in cases:
        mantissa = str((2 * n + 1) * 5**j + nudge)
        tokens.append(f"{mantissa[:-j]}.{mantissa[-j:]}")
        tokens.append("0." + mantissa.rjust(extra, "0"))
    check_decimals(tokens)


@given(st.lists(st.integers(0, 19 * 10**18), min_size=1), st.integers(0, 22), st.integers(-60, 10))
def test_long_mantissas(mantissas, n_decimals, exponent):
    tokens = [str(m).rjust(n_decimals + 1, "0") for m in mantissas]
    tokens = [f"{t[: len(t) - n_decimals]}.{t[len(t) - n_decimals :]}" for t in tokens]
    check_decimals(tokens + [f"{token}e{exponent}" for token in tokens])


@given(st.lists(st.floats(1e-60, 1e-3), min_size=1))
def test_exact_decimal_expansions_between_doubles(values):
    """The middle of a double and the next, cut to 19 digits: as close to a tie as such a token comes."""
    middles = [(Decimal(x) + Decimal(math.nextafter(x, 1))) / 2 for x in values]
    tokens = [f"{middle:.18e}" for middle in middles]
    check_decimals(tokens + [token.replace("e", "E") for token in tokens])


def test_what_programs_print_needs_no_slow_path():
    rng = np.random.default_rng(0)
    small = 10.0 ** rng.uniform(-40, -1, 2000)
    scores = np.concatenate([rng.normal(10, 5, 2000), rng.normal(0, 1, 2000), rng.uniform(0.001, 0.1, 2000), small])
    tokens = [repr(score) for score in scores.tolist()] + [f"{score:.6f}" for score in scores]
    with patch.object(decimals, "_slow_decimal", side_effect=AssertionError):
        values = parse_decimals(*columns(tokens))
    np.testing.assert_array_equal(values, [float(token) for token in tokens])


@given(
    st.lists(
        st.one_of(
            st.integers(-(10**18), 10**18).map(str),
            st.integers(-5, 5).map(str),
            st.tuples(signs, digits).map("".join).filter(bool),
            st.text("0123456789.-+e_", min_size=1, max_size=20),
        ),
        min_size=1,
    )
)
@example(["1.5", "1_0", "", "-", "+", "+7", "-0", "٣", "00000000012"])
@example(["9" * 18, "9" * 19])
def test_integers_have_the_value_of_int(tokens):
    tokens = [token for token in tokens if token]
    values, valid = parse_integers(*columns(tokens))
    for token, value, is_valid in zip(tokens, values.tolist(), valid.tolist(), strict=True):
        expected = bool(INTEGER.fullmatch(token)) and len(token.lstrip("+-").lstrip("0")) <= 18
        assert is_valid == expected, token
        if expected:
            assert value == int(token)


@pytest.mark.parametrize("parse", [parse_decimals, parse_integers])
def test_no_tokens(parse):
    parse(np.zeros(2 * MARGIN, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))
