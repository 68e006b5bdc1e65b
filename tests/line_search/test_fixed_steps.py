from __future__ import annotations

import math

import pytest

from rankmax.errors import InvalidParameterError
from rankmax.line_search.fixed_steps import FixedSteps


def places(search: FixedSteps, low: float = -math.inf, high: float = math.inf) -> list[float]:
    seen: list[float] = []
    search.explore(lambda mu: seen.append(mu) or 0.0, low, high)  # type: ignore[func-returns-value]
    return seen


def test_defaults_are_those_of_ranklib() -> None:
    """Steps 0.001, 0.002, 0.004, ... to both sides."""
    expected = [0.001 * (2**k - 1) for k in range(1, 26)]
    assert places(FixedSteps()) == pytest.approx([-mu for mu in expected] + expected)


def test_equal_steps() -> None:
    assert places(FixedSteps(step=0.5, growth=1.0, n_steps=3)) == [-0.5, -1.0, -1.5, 0.5, 1.0, 1.5]


def test_steps_end_where_the_line_does() -> None:
    assert places(FixedSteps(step=1.0, growth=1.0, n_steps=3), low=0.0, high=2.5) == [1.0, 2.0]
    assert places(FixedSteps(step=1e300, growth=1e10)) == [-1e300, 1e300]


@pytest.mark.parametrize(
    ("name", "value"), [("step", 0.0), ("step", math.nan), ("growth", 0.5), ("growth", math.nan), ("n_steps", 0)]
)
def test_bad_parameters(name: str, value: float) -> None:
    with pytest.raises(InvalidParameterError, match=f"{name}={value}"):
        FixedSteps(**{name: value})  # type: ignore[arg-type]
