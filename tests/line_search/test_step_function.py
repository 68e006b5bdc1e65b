from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidDataError
from rankmax.line_search.step_function import Interval, StepFunction

points = st.lists(st.integers(-20, 20).map(float), max_size=8, unique=True).map(sorted)


@st.composite
def step_functions(draw: st.DrawFn) -> StepFunction:
    breakpoints = draw(points)
    values = draw(st.lists(st.integers(0, 3).map(float), min_size=len(breakpoints) + 1, max_size=len(breakpoints) + 1))
    return StepFunction(np.array(breakpoints), np.array(values))


@given(f=step_functions(), g=step_functions(), mu=st.floats(-30, 30))
def test_sum_is_pointwise(f: StepFunction, g: StepFunction, mu: float) -> None:
    assert (f + g)(mu) == f(mu) + g(mu)


@given(f=step_functions())
def test_best_is_the_widest_of_the_highest(f: StepFunction) -> None:
    best = f.best()
    edges = f.edges
    widths = np.diff(edges)
    assert best.value == f.values.max()
    assert best.width == widths[f.values == f.values.max()].max()
    assert f(best.middle) == best.value


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [(1.0, 3.0, 2.0), (5.0, math.inf, 10.0), (-math.inf, 0.25, -0.75), (-math.inf, math.inf, 0.0)],
)
def test_middle(low: float, high: float, middle: float) -> None:
    assert Interval(low, high, 0.0).middle == middle


@given(step_functions(), st.floats(0, 1))
def test_what_reaches_a_level_is_the_widest_such_interval_around_the_best(f: StepFunction, share: float) -> None:
    best = f.best()
    level = best.value - share * (best.value - f.values.min())
    found = f.reaching(level)
    assert found.low <= best.low <= best.high <= found.high
    inside = (f.edges[:-1] >= found.low) & (f.edges[1:] <= found.high)
    assert f.values[inside].min() == found.value >= level
    last, first = np.flatnonzero(inside)[[-1, 0]]
    assert last == f.values.size - 1 or f.values[last + 1] < level
    assert first == 0 or f.values[first - 1] < level


def test_an_interval_of_rounding_is_not_the_best() -> None:
    sliver = np.nextafter(1.0, 2.0)
    f = StepFunction(np.array([1.0, sliver, 3.0]), np.array([0.1, 0.9, 0.5, 0.2]))
    assert f.best() == Interval(sliver, 3.0, 0.5)


def test_bounded_domain() -> None:
    f = StepFunction(np.array([0.5]), np.array([0.1, 0.2]), low=-1.0, high=1.0)
    assert f.best() == Interval(0.5, 1.0, 0.2)
    assert (f + StepFunction(np.array([-3.0]), np.array([5.0, 7.0]))).edges.tolist() == [-1.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("breakpoints", "values", "message"),
    [([1.0], [0.0], "one more is needed"), ([2.0, 1.0], [0.0, 1.0, 2.0], "must ascend")],
)
def test_malformed(breakpoints: list[float], values: list[float], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        StepFunction(np.array(breakpoints), np.array(values))
