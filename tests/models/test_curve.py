"""Curves have the values of their definition, at knots and between them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.curves import by_definition
from rankmax.errors import RankmaxError
from rankmax.models.curve import Curve

NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    kind = draw(st.sampled_from(["linear", "constant"]))
    knots = sorted(draw(st.lists(NUMBERS, min_size=kind == "linear", max_size=5, unique=True)))
    n_values = len(knots) + (kind == "constant")
    values = draw(st.lists(NUMBERS, min_size=n_values, max_size=n_values))
    return Curve(np.array(knots), np.array(values), kind, draw(NUMBERS))


@given(curves(), st.lists(NUMBERS | st.just(float("nan")), max_size=5))
def test_a_curve_has_the_values_of_its_definition(curve: Curve, places: list[float]) -> None:
    places += [*curve.knots.tolist(), *np.nextafter(curve.knots, np.inf).tolist(), np.inf, -np.inf]
    expected = [by_definition(curve, x) for x in places]
    assert curve.at(np.array(places)).tolist() == expected


@st.composite
def with_idle_knots(draw: st.DrawFn) -> Curve:
    """Return a curve of which some knots lie between others on a straight line, or between equal steps."""
    curve = draw(curves())
    more = np.setdiff1d(np.array(draw(st.lists(NUMBERS, max_size=5, unique=True))), curve.knots)
    if curve.kind == "linear":
        more = more[(more > curve.knots[0]) & (more < curve.knots[-1])]
    knots = np.union1d(curve.knots, more)
    inside = knots if curve.kind == "linear" else np.append(knots, np.inf)
    return Curve(knots, curve.at(inside), curve.kind, curve.absent)


@given(with_idle_knots(), st.lists(NUMBERS, max_size=5))
def test_knots_on_straight_lines_change_nothing(curve: Curve, places: list[float]) -> None:
    fewer = curve.without_idle_knots()
    x = np.array([*places, *curve.knots.tolist(), np.inf, -np.inf, np.nan])
    np.testing.assert_allclose(fewer.at(x), curve.at(x), rtol=0, atol=2e-12 * curve.height + 1e-300)
    assert np.isin(fewer.knots, curve.knots).all()
    again = fewer.without_idle_knots()
    assert again.knots.size <= fewer.knots.size
    if curve.kind == "constant":
        assert (np.diff(fewer.values) != 0).all()


def test_a_line_has_two_knots_and_a_corner_of_the_deviations_stays() -> None:
    knots = np.array([0.0, 0.1, 0.7, 3.0, 3.3])
    assert Curve(knots, 0.3 * knots - 1).without_idle_knots().knots.tolist() == [0.0, 3.3]
    bent = Curve(knots, 0.3 * knots, deviations=[0.1, 0.1, 0.5, 0.5, 0.5]).without_idle_knots()
    assert bent.knots.tolist() == [0.0, 0.1, 0.7, 3.3]
    assert bent.deviations.tolist() == [0.1, 0.1, 0.5, 0.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 1.0], [0.0, 1.0]), "knots must ascend"),
        (([1.0], [0.0, 1.0]), "2 values for 1 knots"),
        (([1.0], [0.0], "constant"), "1 values for 1 knots"),
        (([], []), "0 values for 0 knots"),
        (([1.0], [np.nan]), "values must be finite numbers"),
        (([-1e308, 1e308], [0.0, 1.0]), "too far apart"),
        (([1.0], [0.0], "cubic"), "unknown kind of curve 'cubic'. Known: constant, linear"),
        (([1.0], [0.0], "linear", np.inf), "absent is inf"),
        (([1.0], [0.0], "linear", 0.0, [-1.0]), "deviations must be 1 nonnegative numbers"),
    ],
)
def test_what_is_no_curve_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(RankmaxError, match=re.escape(message)):
        Curve(*arguments)


@pytest.mark.parametrize(
    ("knots", "shown", "told"),
    [
        ([-500.0, 0.0, 1.0, 2.0, 3.0, 1000.0], slice(1, 5), ["← 0 at -500", "5 at 1000 →"]),
        ([0.0, 1.0, 2.0, 3.0, 4.0, 1000.0], slice(0, 5), ["5 at 1000 →"]),
        ([0.0, 1.0, 2.0, 3.0, 4.0, 7.0], slice(0, 6), []),
        ([0.0, 1.0, 2.0, 1000.0], slice(0, 4), []),
    ],
)
def test_a_tail_longer_than_all_else_is_written_and_not_drawn(
    knots: list[float], shown: slice, told: list[str]
) -> None:
    from matplotlib.figure import Figure

    axes, values = Figure().subplots(), np.arange(len(knots)) * 1.0
    Curve(np.array(knots), values, deviations=np.ones(len(knots)), weight=1.0).draw(axes)
    curve = axes.lines[1]  # after the line of the linear model
    np.testing.assert_array_equal(curve.get_xdata(), knots[shown])
    np.testing.assert_array_equal(curve.get_ydata(), values[shown])
    assert [text.get_text() for text in axes.texts] == told
