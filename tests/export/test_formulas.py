from __future__ import annotations

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from rankmax.export.formulas import identifiers, number, weighted_sum


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_every_bit(value: float) -> None:
    assert float(number(value)) == value
    assert re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?", number(value))


@given(st.lists(st.text(), unique=True))
def test_identifiers_are_distinct_whatever_the_case(names: list[str]) -> None:
    found = identifiers(names, "f_")
    assert list(found) == names
    assert len({identifier.casefold() for identifier in found.values()}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_]+", identifier) for identifier in found.values())


@given(st.lists(st.floats(-1e6, 1e6)), st.floats(-1e6, 1e6))
def test_sums_are_sums(weights: list[float], constant: float) -> None:
    text = weighted_sum([(weight, "x") for weight in weights], constant)
    assert eval(text, {"x": 1.0}) == pytest.approx(constant + sum(weights), abs=1e-6)
