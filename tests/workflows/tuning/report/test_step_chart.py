"""Steps are drawn as they are, or where there are too many, as far as they reach."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from rankmax.line_search.step_function import StepFunction
from rankmax.workflows.tuning.report.axes import Mark
from rankmax.workflows.tuning.report.step_chart import step_chart


def lines(chart: ET.Element, kind: str) -> list[ET.Element]:
    return [line for line in chart.iter("line") if line.get("class") == kind]


def test_the_plateau_is_shaded_where_the_function_is_high() -> None:
    function = StepFunction(np.array([0.2, 0.5, 0.6]), np.array([0.5, 0.9, 0.5, 0.8]), 0.0, 1.0)
    beside = Mark(1.0, "current", "current")
    chart = ET.fromstring(step_chart(function, 0.75, [Mark(0.3, "pick", "pick")], ("weight", "AP"), beside=beside))
    shades = [(float(one.get("x")), float(one.get("width"))) for one in chart.iter("rect")]
    assert len(shades) == 2
    assert shades[0][1] / shades[1][1] == pytest.approx(0.3 / 0.4, rel=0.01)
    (pick,) = lines(chart, "mark pick")
    assert shades[0][0] < float(pick.get("x1")) < shades[0][0] + shades[0][1]
    (current,) = lines(chart, "mark current")
    (curve_of,) = chart.iter("polyline")
    heights = [float(point.split(",")[1]) for point in curve_of.get("points").split()]
    assert float(current.get("y1")) < min(heights), "above all steps"


def test_many_steps_keep_their_highest_and_lowest_value() -> None:
    rng = np.random.default_rng(1)
    breakpoints, values = np.sort(rng.random(5000)), rng.random(5001)
    values[2500], values[1200] = 7.0, -7.0
    chart = step_chart(StepFunction(breakpoints, values, 0.0, 1.0), 10.0, [], ("weight", "AP"))
    few = step_chart(StepFunction(np.array([0.5]), np.array([-7.0, 7.0]), 0.0, 1.0), 10.0, [], ("weight", "AP"))
    heights, ends = (
        [float(point.split(",")[1]) for point in next(ET.fromstring(one).iter("polyline")).get("points").split()]
        for one in (chart, few)
    )
    assert (min(heights), max(heights)) == (min(ends), max(ends))
    assert len(heights) < 5000
