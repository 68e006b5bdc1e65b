"""Charts are well-formed, and put things where the numbers say."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.workflows.tuning.charts import curve, forest, histograms, round_ticks, steps


def test_means_lie_inside_their_intervals_in_order() -> None:
    rows = [("learned", 0.7, (0.6, 0.8)), ("<RRF> & a very long name of a system", 0.5, (0.4, 0.6))]
    chart = ET.fromstring(forest(rows, "nDCG@10"))
    bars = [(float(line.get("x1")), float(line.get("x2"))) for line in chart.iter("line") if "bar" in line.get("class")]
    dots = [float(dot.get("cx")) for dot in chart.iter("circle")]
    assert all(low < dot < high for dot, (low, high) in zip(dots, bars, strict=True))
    assert dots[0] > dots[1]
    assert any(text.text == "<RRF> & a very lo…" for text in chart.iter("text"))


def test_histograms_have_a_bar_where_samples_are() -> None:
    chart = ET.fromstring(histograms(["a", "b"], np.array([[0.1, 0.9], [0.1, 0.9], [0.5, 0.5]]), np.array([0.2, 0.8])))
    assert len(list(chart.iter("rect"))) == 4
    first, second = (float(line.get("x1")) for line in chart.iter("line") if line.get("class") == "mark")
    assert first < second


def test_the_plateau_is_shaded_where_the_function_is_high() -> None:
    edges, values = np.array([0.0, 0.2, 0.5, 0.6, 1.0]), np.array([0.5, 0.9, 0.5, 0.8])
    chart = ET.fromstring(steps(edges, values, 0.75, 0.3, ("weight", "AP")))
    shades = [(float(one.get("x")), float(one.get("width"))) for one in chart.iter("rect")]
    assert len(shades) == 2
    assert shades[0][1] / shades[1][1] == pytest.approx(0.3 / 0.4, rel=0.01)


@pytest.mark.parametrize("points", [[[0.5, 0.2], [0.4, 0.3]], [[0.5, 0.2]]])
def test_a_curve_has_all_its_points(points: list[list[float]]) -> None:
    chart = ET.fromstring(curve(np.array(points), (0.45, 0.2), ("AP", "P@1")))
    assert len(list(chart.iter("circle"))) == len(points) + 1


@given(low=st.floats(-10, 10), span=st.floats(1e-4, 20))
def test_ticks_are_round_distinct_and_inside(low: float, span: float) -> None:
    ticks = round_ticks(low, low + span)
    assert 3 <= len(ticks) <= 8
    assert len(set(ticks)) == len(ticks)
    numbers = np.array([float(tick) for tick in ticks])
    assert numbers.min() >= low - 1e-6 * span
    assert numbers.max() <= low + span * (1 + 1e-6)
    np.testing.assert_allclose(np.diff(numbers), numbers[1] - numbers[0], rtol=1e-6)
