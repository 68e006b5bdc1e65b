"""Charts are well-formed, and put things where the numbers say."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from rankmax.workflows.tuning.report.axes import Mark
from rankmax.workflows.tuning.report.charts import GainRow, curve, differences, forest, histograms


def lines(chart: ET.Element, kind: str) -> list[ET.Element]:
    return [line for line in chart.iter("line") if line.get("class") == kind]


def test_gains_lie_inside_their_intervals_and_on_the_right_side_of_none() -> None:
    rows = [
        GainRow("pick", 0.07, (0.02, 0.1), "pick"),
        GainRow("<RRF> & a very long name of a system", 0.0, (0.0, 0.0), "current"),
        GainRow("bm25", -0.1, (-0.2, -0.05), "other"),
    ]
    chart = ET.fromstring(forest(rows, "gain in nDCG@10"))
    bars = [(float(line.get("x1")), float(line.get("x2"))) for line in lines(chart, "bar")]
    dots = [float(dot.get("cx")) for dot in chart.iter("circle")]
    (zero,) = (float(line.get("x1")) for line in lines(chart, "zero"))
    assert all(low <= dot <= high for dot, (low, high) in zip(dots, bars, strict=True))
    assert dots[2] < dots[1] == zero < bars[0][0]
    assert any(text.text == "<RRF> & a very long n…" for text in chart.iter("text"))
    assert [title.text for title in chart.iter("title")][1] == rows[1].name


def test_histograms_have_a_bar_where_samples_are() -> None:
    samples = np.array([[0.1, 0.9], [0.1, 0.9], [0.5, 0.5]])
    marks = [[Mark(0.2, "learned", "pick"), Mark(0.5, "current", "current")], [Mark(0.8, "learned", "pick")]]
    chart = ET.fromstring(histograms(["a", "b"], samples, marks))
    assert len(list(chart.iter("rect"))) == 4
    first, second = (float(line.get("x1")) for line in lines(chart, "mark pick"))
    (current,) = (float(line.get("x1")) for line in lines(chart, "mark current"))
    assert first < current < second


def test_bars_rise_from_none_to_their_difference() -> None:
    gains = [(0.3, "<q1>"), (0.0, "q2"), (-0.15, "q3")]
    chart = ET.fromstring(differences(gains, "AP"))
    bars = list(chart.iter("rect"))
    assert [bar.get("class") for bar in bars] == ["pick", "other", "current"]
    assert [title.text for title in chart.iter("title")] == ["<q1>", "q2", "q3"]
    tall = [float(bar.get("height")) for bar in bars]
    assert tall[0] == pytest.approx(2 * tall[2], rel=0.01)
    foot = float(bars[0].get("y")) + tall[0]
    assert foot == pytest.approx(float(bars[2].get("y")), abs=0.2)
    assert foot == pytest.approx(float(lines(chart, "zero")[0].get("y1")), abs=0.2)


@pytest.mark.parametrize("points", [[[0.5, 0.2], [0.4, 0.3]], [[0.5, 0.2]]])
def test_a_curve_has_all_its_points(points: list[list[float]]) -> None:
    marked = [(0.45, 0.2, "pick", "pick"), (0.3, 0.1, "<current>", "current")]
    chart = ET.fromstring(curve(np.array(points), marked, ("AP", "P@1")))
    assert len(list(chart.iter("circle"))) == len(points) + 2
    assert [title.text for title in chart.iter("title")] == ["pick", "<current>"]


def test_no_interval_ends_at_the_edge_of_the_axis() -> None:
    chart = ET.fromstring(
        forest([GainRow("far", -0.3, (-0.4, -0.2), "other"), GainRow("near", 0.1, (0.05, 0.15), "pick")], "gain")
    )
    ((left, right),) = ((float(line.get("x1")), float(line.get("x2"))) for line in lines(chart, "axis"))
    bars = [(float(line.get("x1")), float(line.get("x2"))) for line in lines(chart, "bar")]
    assert all(left + 5 < low < high < right - 5 for low, high in bars)
