import struct
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankmax._kernels.parsing.decimal import NOT_A_NUMBER, PARSED, UNDECIDED, nearest_double, parse_decimal

digits = st.text("0123456789", max_size=25)
finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def decimals(draw):
    whole, behind = draw(digits), draw(digits)
    if not whole + behind:
        whole = "0"
    point = "." if behind else draw(st.sampled_from(["", "."]))
    exponent = draw(st.just("") | st.integers(-400, 400).map(lambda e: f"e{e}"))
    return draw(st.sampled_from(["", "-", "+"])) + whole + point + behind + exponent


def parse(text):
    return parse_decimal(np.frombuffer(bytearray(text.encode() + b"\n"), np.uint8), 0)


def bits(value):
    return struct.pack("<d", value)


def assert_as_python(text):
    value, stop, status = parse(text)
    assert stop == len(text)
    if status == UNDECIDED:
        assert sum(c.isdigit() for c in text) > 19
        assert float(text) in (value, np.nextafter(value, np.copysign(np.inf, value)))
    else:
        assert status == PARSED
        assert bits(value) == bits(float(text))


@given(decimals())
@example("2.2250738585072011e-308")  # once made parsers loop endlessly
@example("4.9e-324")
@example("2.4703282292062327e-324")  # just below, and above, half the smallest number
@example("2.4703282292062328e-324")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
@example("9007199254740993")  # half way between two
@example("9007199254740995")
@example("1e23")
@example("-0")
@example("0e999999999999999999999")
@example("1e-999999999999999999999")
@example("0." + "0" * 400 + "1e400")
@example("1" + "0" * 400 + "e-400")
@example("0" * 100 + "1.5")
def test_a_decimal_has_the_bits_of_python(text):
    assert_as_python(text)


@given(finite)
def test_what_repr_writes_is_read_back_and_always_decided(value):
    parsed, _, status = parse(repr(value))
    assert status == PARSED
    assert bits(parsed) == bits(value)


@given(finite.map(abs).filter(lambda x: x < 1e308))
def test_half_way_between_two_numbers(value):
    with localcontext(prec=1200):
        middle = (Decimal(value) + Decimal(float(np.nextafter(value, np.inf)))) / 2
        assert_as_python(f"{middle:f}")


@given(st.integers(0, 2**64 - 1), st.integers(-400, 400))
@example(1, -342)
@example(2**64 - 1, 308)
@example(2**64 - 1, 289)
def test_nearest_double_is_correctly_rounded(w, q):
    assert bits(nearest_double(np.uint64(w), q)) == bits(float(f"{w}e{q}"))


@pytest.mark.parametrize("text", ["", ".", "-", "+.", "e5", "1e", "1e+", ".e1", "nan", "inf", "-inf", "x1", "--1"])
def test_what_is_no_number(text):
    assert parse(text)[2] == NOT_A_NUMBER


@pytest.mark.parametrize(("text", "stop"), [("1_000", 1), ("0x10", 1), ("1.5.2", 3), ("7 8", 1), ("1e5e5", 3)])
def test_stops_behind_the_number(text, stop):
    assert parse(text)[1:] == (stop, PARSED)
