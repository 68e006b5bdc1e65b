"""Exact sums against fractions: the nearest float, whatever the order and the parts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax._numerics.exact_sums import digits_of, rounded

numbers = st.lists(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300), max_size=30)


@given(numbers, st.randoms(use_true_random=False), st.integers(0, 30))
def test_the_sum_is_the_nearest_float_in_any_order_and_any_parts(values: list[float], random, cut: int) -> None:
    expected = math.fsum(values)
    random.shuffle(values)
    parts = digits_of(np.array(values[:cut])) + digits_of(np.array(values[cut:]))
    assert rounded(parts) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], 0.0),
        ([1e16, 1.0, -1e16], 1.0),
        ([1.0, 2.0**-53], 1.0),  # a tie goes to the even neighbor
        ([1.0, 2.0**-53, 2.0**-1074], 1.0 + 2.0**-52),  # and any more than a tie upwards
        ([-1.0, -(2.0**-53), -(2.0**-1074)], -1.0 - 2.0**-52),
        ([5e-324, 5e-324], 1e-323),
        ([1.7e308, 1.7e308, -1.7e308], 1.7e308),
    ],
)
def test_rounding(values: list[float], expected: float) -> None:
    assert rounded(digits_of(np.array(values, np.float64))) == expected


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_not_summed(bad: float) -> None:
    assert math.isnan(rounded(digits_of(np.array([1.0, bad])) + digits_of(np.array([2.0]))))


def test_carries_of_many_summands() -> None:
    values = np.full(100_000, 0.1)
    assert rounded(digits_of(values)) == math.fsum(values)
