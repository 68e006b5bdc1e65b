from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidParameterError
from rankmax.line_search.golden_section import GoldenSection


def explored(search: GoldenSection, function: object, low: float, high: float) -> dict[float, float]:
    seen: dict[float, float] = {}

    def value(mu: float) -> float:
        seen[mu] = function(mu)  # type: ignore[operator]
        return seen[mu]

    search.explore(value, low, high)
    return seen


@given(top=st.floats(-50, 50), n_places=st.integers(0, 20))
def test_finds_the_top_of_one_hill(top: float, n_places: int) -> None:
    search = GoldenSection(n_places=n_places, n_sections=40)
    seen = explored(search, lambda mu: -abs(mu - top), -math.inf, math.inf)
    assert max(seen, key=seen.__getitem__) == pytest.approx(top, abs=1e-3)


@given(low=st.floats(-1e6, 0), high=st.floats(0, 1e6))
def test_stays_inside(low: float, high: float) -> None:
    seen = explored(GoldenSection(), lambda mu: mu, low, high)
    assert all(low <= mu * (1 - 1e-9) and mu * (1 - 1e-9) <= high for mu in seen)


def test_each_section_leaves_the_golden_part() -> None:
    """Searching (0, inf), that is t in (0, 1), with the top at t = 0: the places seen shrink by 0.618 each."""
    seen = explored(GoldenSection(n_places=0, n_sections=6), lambda mu: -mu, 0.0, math.inf)
    t = np.array(sorted(mu / (1 + mu) for mu in seen if mu > 0))
    np.testing.assert_allclose(t[:-1] / t[1:], np.full(7, (math.sqrt(5) - 1) / 2))


def test_ends_when_numbers_do() -> None:
    seen = explored(GoldenSection(n_places=0, n_sections=10_000), lambda mu: mu, -math.inf, math.inf)
    assert len(seen) < 200
    assert all(math.isfinite(mu) for mu in seen)


@pytest.mark.parametrize("name", ["n_places", "n_sections"])
def test_numbers_must_not_be_negative(name: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"{name}=-1"):
        GoldenSection(**{name: -1})
