"""Plots of step functions, on axes or written to PNG or SVG."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64
from rankmax._io.figures import BLUE, MINUS, figure_file, plain
from rankmax.line_search.step_function import Interval, StepFunction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHADE = "#F5CE80"  # a lighter orange than that of rankmax._io.figures
_FEW_STEPS = 60  # maximum of breakpoints that one panel shows
_CLOSE_STEPS = 12  # breakpoints that the close-up shows on each side of the best interval
_TAIL = 0.05  # share of the breakpoints at each end that the overview may leave out
_REACH = 3.0  # factor by which the overview may widen to include the best interval


def step_plot(
    function: StepFunction, marked: tuple[float, float] | None, names: tuple[str, str], path: str | os.PathLike[str]
) -> None:
    """Draw a step function with its best interval shaded and, if given, one point marked.

    If there are many steps, crossings of nearly parallel lines put some of them very far out, and the best interval
    is far narrower than the range of the rest. One panel therefore shows the range of nine tenths of the breakpoints,
    with the marked point, and another the surroundings of the best interval.

    Parameters
    ----------
    function : StepFunction
    marked : pair of float, optional
        The point to mark, such as a model's weight, and the value at it (on a breakpoint, where documents tie, it may
        differ from both neighbors').
    names : pair of str
        Labels of the variable and the values.
    path : path
        Output file; its suffix, .png or .svg, sets the format. The same input gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> function = StepFunction(np.array([-1.0, 2.0]), np.array([0.2, 0.6, 0.4]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     step_plot(function, (0.0, 0.6), ("bm25", "AP"), Path(folder, "steps.svg"))
    ...     Path(folder, "steps.svg").read_bytes()[:5]
    b'<?xml'
    """
    with figure_file(path, "drawing a step function", size=(9, 4.8)) as figure:
        _draw(figure, function, marked, names)


def draw_steps(axes: Axes, function: StepFunction, marked: tuple[float, float] | None, names: tuple[str, str]) -> None:
    """Draw a step function on axes, in the range that holds most of its breakpoints.

    Parameters
    ----------
    axes : matplotlib axes
    function, marked, names
        As in :func:`step_plot`.
    """
    variable, values = map(plain, names)
    best = function.best()
    _draw_window(axes, function, best, marked, overview_window(function, marked[0] if marked else best.middle))
    axes.set_xlabel(f"weight of {variable}")
    axes.set_ylabel(values)
    axes.legend(frameon=False)


def _draw(figure: Figure, function: StepFunction, marked: tuple[float, float] | None, names: tuple[str, str]) -> None:
    variable, values = map(plain, names)
    best = function.best()
    windows = [overview_window(function, marked[0] if marked else best.middle)]
    if function.breakpoints.size > _FEW_STEPS:
        windows.append(close_up_window(function))
    panels = figure.subplots(1, len(windows), squeeze=False)[0]
    for axes, window in zip(panels, windows, strict=True):
        _draw_window(axes, function, best, marked, window)
        axes.set_xlabel(f"weight of {variable}")
    panels[0].set_ylabel(values)
    if len(windows) == 2:
        panels[0].set_title(_inside(function, windows[0]), fontsize=9, loc="left")
        panels[1].set_title("around the best interval", fontsize=9, loc="left")
    handles, labels = panels[-1].get_legend_handles_labels()  # the last panel always shows the best interval
    figure.legend(handles, labels, loc="outside upper left", ncols=2, frameon=False)


def overview_window(function: StepFunction, at: float) -> tuple[float, float]:
    """Return the range in which to draw a step function: its whole domain if that is finite.

    Otherwise it is a window with most breakpoints and one point, and the best interval unless that is too far away.

    Parameters
    ----------
    function : StepFunction
    at : float
        The point to include.

    Examples
    --------
    >>> overview_window(StepFunction(np.array([1.0, 2.0]), np.array([0.2, 0.6, 0.4])), 0.0)
    (-0.08, 2.08)
    """
    if math.isfinite(function.high - function.low):
        return function.low, function.high
    points = function.breakpoints
    if not points.size:
        return at - 1.0, at + 1.0
    tail = _TAIL if points.size > _FEW_STEPS else 0.0
    low, high = np.quantile(points, [tail, 1 - tail]).tolist()
    low, high = min(low, at), max(high, at)
    reach = _REACH * (high - low)
    best = function.best()
    ends = [end for end in (best.low, best.high) if low - reach <= end <= high + reach]
    return _widened(min([low, *ends]), max([high, *ends]))


def close_up_window(function: StepFunction) -> tuple[float, float]:
    """Return the range around a step function's best interval: a dozen steps on each side.

    Parameters
    ----------
    function : StepFunction
        Step function with at least one breakpoint.

    Examples
    --------
    >>> close_up_window(StepFunction(np.array([1.0, 2.0]), np.array([0.2, 0.6, 0.4])))
    (0.96, 2.04)
    """
    points, best = function.breakpoints, function.best()
    first = max(int(np.searchsorted(points, best.low, side="left")) - _CLOSE_STEPS, 0)
    last = min(int(np.searchsorted(points, best.high, side="right")) + _CLOSE_STEPS, points.size) - 1
    low, high = _widened(float(points[first]), float(points[last]))
    return max(low, function.low), min(high, function.high)


def _widened(low: float, high: float) -> tuple[float, float]:
    margin = 0.04 * (high - low) or max(1.0, abs(low))
    return low - margin, high + margin


def _inside(function: StepFunction, window: tuple[float, float]) -> str:
    low, high = window
    n_inside = ((function.breakpoints >= low) & (function.breakpoints <= high)).sum()
    return f"{n_inside} of {function.breakpoints.size} steps"


def _draw_window(
    axes: Axes, function: StepFunction, best: Interval, marked: tuple[float, float] | None, window: tuple[float, float]
) -> None:
    low, high = window
    if best.low < high and best.high > low:
        # The edge keeps intervals narrower than a pixel visible.
        label = f"best {best.value:.4f}, from {_number(best.low)} to {_number(best.high)}"
        axes.axvspan(max(best.low, low), min(best.high, high), color=_SHADE, linewidth=2, label=label)
    if marked is not None:
        at, value = marked
        axes.axvline(at, color="black", linestyle="--", linewidth=1.2, label=f"now {_number(at)}: {value:.4f}")
    points, values = _visible(function, low, high)
    axes.plot(points, values, drawstyle="steps-post", color=BLUE, linewidth=1.1)
    axes.set_xlim(low, high)
    axes.locator_params(axis="x", nbins=5)
    axes.spines[["top", "right"]].set_visible(False)


def _visible(function: StepFunction, low: float, high: float) -> tuple[F64, F64]:
    """Return the corners of the steps inside a window, with the window's ends."""
    first, last = np.searchsorted(function.breakpoints, [low, high])
    points = np.concatenate([[low], function.breakpoints[first:last], [high]])
    return points, np.append(function.values[first : last + 1], function.values[last])


def _number(value: float) -> str:
    size = "∞" if math.isinf(value) else f"{abs(value):.6g}"
    return f"{MINUS}{size}" if value < 0 else size
