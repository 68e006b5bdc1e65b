from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from rankmax._io.figures import MINUS
from rankmax.errors import InvalidParameterError
from rankmax.line_search import step_plots as plots
from rankmax.line_search.step_function import StepFunction
from rankmax.line_search.step_plots import step_plot

pytest.importorskip("matplotlib")

FEW = StepFunction(np.array([-1.0, 2.0, 4.0]), np.array([0.2, 0.4, 0.6, 0.4]))


def heavy_tailed(n_steps: int = 5_000) -> StepFunction:
    """Breakpoints as crossings of lines have them: a ratio of two normal variables; best in 0.5 to 0.5001."""
    rng = np.random.default_rng(n_steps)
    points = np.sort(np.append(rng.standard_cauchy(n_steps), [0.5, 0.5001]))
    points = points[(points <= 0.5) | (points >= 0.5001)]
    values = 0.5 - 0.01 * np.abs(np.arange(points.size + 1) - np.searchsorted(points, 0.5001)) / points.size
    return StepFunction(points, values)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Draw as users do, and keep the figure to look at."""
    figures = []
    draw = plots._draw
    monkeypatch.setattr(plots, "_draw", lambda figure, *rest: (figures.append(figure), draw(figure, *rest)))

    def step_figure(function, marked=(0.0, 0.4), names=("bm25", "AP")):
        step_plot(function, marked, names, tmp_path / "plot.png")
        return figures[-1]

    return step_figure


def shaded(axes) -> list[tuple[float, float]]:
    return [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches]


def curve(axes):
    return next(line for line in axes.lines if line.get_drawstyle() == "steps-post")


def test_few_steps_are_all_in_one_panel(drawn) -> None:
    (axes,) = drawn(FEW).axes
    points, values = curve(axes).get_data()
    low, high = axes.get_xlim()
    assert (low < -1.0, high > 4.0) == (True, True)
    np.testing.assert_array_equal(points, [low, -1.0, 2.0, 4.0, high])
    np.testing.assert_array_equal(values, [0.2, 0.4, 0.6, 0.4, 0.4])
    assert shaded(axes) == [(2.0, 4.0)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("weight of bm25", "AP")


def test_legend_tells_the_best_interval_and_the_marked_point(drawn) -> None:
    texts = [text.get_text() for text in drawn(FEW, (-0.25, 0.4)).legends[0].get_texts()]
    assert texts == ["best 0.6000, from 2 to 4", f"now {MINUS}0.25: 0.4000"]


def test_infinite_interval_is_shaded_to_the_border(drawn) -> None:
    figure = drawn(StepFunction(np.array([1.0]), np.array([0.6, 0.2])))
    (axes,) = figure.axes
    assert shaded(axes) == [(axes.get_xlim()[0], 1.0)]
    assert figure.legends[0].get_texts()[0].get_text() == f"best 0.6000, from {MINUS}∞ to 1"


def test_many_steps_have_an_overview_and_a_close_up(drawn) -> None:
    function = heavy_tailed()
    overview, close_up = drawn(function, (3.0, 0.45)).axes
    low, high = overview.get_xlim()
    inside = ((function.breakpoints > low) & (function.breakpoints < high)).mean()
    assert inside >= 0.9
    assert high - low < 0.05 * np.ptp(function.breakpoints)
    assert low < 3.0 < high
    near_low, near_high = close_up.get_xlim()
    assert low < near_low < 0.5 < 0.5001 < near_high < high
    best = function.best()
    assert shaded(close_up) == [pytest.approx((best.low, best.high))]


def test_a_best_interval_far_away_does_not_squeeze_the_overview(drawn) -> None:
    points = np.append(np.linspace(-1, 1, 200), [1e6, 2e6])
    values = np.where(np.arange(203) == 201, 0.9, 0.1)
    overview, close_up = drawn(StepFunction(points, values)).axes
    assert overview.get_xlim()[1] < 2
    assert not shaded(overview)
    assert shaded(close_up) == [(1e6, 2e6)]


@pytest.mark.parametrize("at", [0.0, -3.5])
def test_no_steps_at_all(drawn, at: float) -> None:
    (axes,) = drawn(StepFunction(np.empty(0), np.array([0.5])), (at, 0.5)).axes
    low, high = axes.get_xlim()
    assert low < at < high
    assert math.isfinite(high - low)


def test_marked_point_on_the_only_step(drawn) -> None:
    (axes,) = drawn(StepFunction(np.array([2.0]), np.array([0.5, 0.6])), (2.0, 0.55)).axes
    low, high = axes.get_xlim()
    assert low < 2.0 < high


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_suffix_decides_the_format_and_bytes_repeat(tmp_path: Path, suffix: str, start: bytes) -> None:
    first, second = tmp_path / f"1{suffix}", tmp_path / f"2{suffix}"
    for path in (first, second):
        step_plot(heavy_tailed(), (0.0, 0.4), ("bm25", "AP"), path)
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()


def test_many_steps_make_a_small_file(tmp_path: Path) -> None:
    step_plot(heavy_tailed(100_000), (0.0, 0.4), ("bm25", "AP"), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size < 1_000_000


def test_other_suffix(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"plot.pdf': the name must end in \.png or \.svg"):
        step_plot(FEW, (0.0, 0.4), ("bm25", "AP"), tmp_path / "plot.pdf")
    assert not list(tmp_path.iterdir())


def test_nothing_need_be_marked(drawn) -> None:
    figure = drawn(FEW, None)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["best 0.6000, from 2 to 4"]


def test_a_function_with_ends_is_shown_from_end_to_end(drawn) -> None:
    points = np.linspace(0.1, 0.9, 200)
    values = np.where(np.arange(201) == 200, 0.9, 0.1)
    overview, close_up = drawn(StepFunction(points, values, 0.0, 1.0), None).axes
    assert overview.get_xlim() == (0.0, 1.0)
    assert overview.get_title(loc="left") == "200 of 200 steps"
    assert close_up.get_xlim()[1] <= 1.0
    assert shaded(overview) == [pytest.approx((0.9, 1.0))]
