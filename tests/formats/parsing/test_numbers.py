from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.formats.parsing.numbers import finite_number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_as_they_are_written(value: float) -> None:
    assert math.copysign(1, finite_number(repr(value))) == math.copysign(1, value)
    assert finite_number(f" {value!r}\t") == value


@pytest.mark.parametrize(
    "text", ["", " ", "1_0", "1e1_0", "\u0661", "\uff11", "inf", "-Infinity", "nan", "1e999", "0x1", "1,5"]
)
def test_what_only_python_reads_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        finite_number(text)
