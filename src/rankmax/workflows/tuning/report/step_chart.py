"""A metric along a line of weights, as a chart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax.line_search.step_function import StepFunction
from rankmax.workflows.tuning.report.axes import (
    RIGHT,
    WIDTH,
    Mark,
    Scale,
    bottom_axis,
    frame,
    level,
    scale,
    side_axis,
    upright,
)

_TOP, _HEIGHT, _FOOT = 28, 240, 46
_MOST_STEPS = 600  # a chart has hardly more pixel columns
_COLUMN = 0.75


def step_chart(
    function: StepFunction,
    floor: float,
    marks: Sequence[Mark],
    labels: tuple[str, str],
    *,
    beside: Mark | None = None,
    values: tuple[float, float] | None = None,
) -> str:
    """Return a chart of a step function, shaded where it is at least `floor`.

    Parameters
    ----------
    function : StepFunction
        Step function on a finite interval.
    floor : float
    marks : sequence of Mark
    labels : pair of str
        Labels of the axes.
    beside : Mark, optional
        A value to compare with, drawn as a horizontal line.
    values : pair of float, optional
        Lowest and highest value of the vertical axis, where several charts share it.

    Examples
    --------
    >>> function = StepFunction(np.array([0.4]), np.array([0.5, 0.6]), 0.0, 1.0)
    >>> step_chart(function, 0.55, [Mark(0.7, "pick", "pick")], ("weight of bm25", "AP")).count("shade")
    1
    """
    low, high = values or (float(function.values.min()), float(function.values.max()))
    if beside is not None:
        low, high = min(low, beside.at), max(high, beside.at)
    x = scale(function.low, function.high, 72, WIDTH - RIGHT)
    y = scale(low, high, _HEIGHT - 10, _TOP)
    edges = function.edges
    parts = []
    inside = np.concatenate([[False], function.values >= floor, [False]])
    for first, last in zip(
        np.flatnonzero(~inside[:-1] & inside[1:]), np.flatnonzero(inside[:-1] & ~inside[1:]), strict=True
    ):
        a, b = x(float(edges[first])), x(float(edges[last]))
        parts.append(f'<rect class="shade" x="{a:.1f}" y="{_TOP - 6}" width="{b - a:.1f}" height="{_HEIGHT - _TOP}"/>')
    parts.append(f'<polyline class="curve" points="{_corners(function, x, y)}"/>')
    if beside is not None:
        parts.append(level(beside, y, x(function.low), x(function.high)))
    parts += [upright(mark, x, _TOP - 6, _HEIGHT - 6) for mark in marks]
    parts += [
        bottom_axis(function.low, function.high, x, _HEIGHT - 4, labels[0]),
        *side_axis(low, high, y, labels[1]),
    ]
    return frame(_HEIGHT + _FOOT, parts, f"{labels[1]} by {labels[0]}")


def _corners(function: StepFunction, x: Scale, y: Scale) -> str:
    """Return the corners of the steps; of many, the first, lowest, highest and last value per pixel column."""
    edges, values = function.edges, function.values
    if values.size <= _MOST_STEPS:
        steps = zip(edges[:-1].tolist(), edges[1:].tolist(), values.tolist(), strict=True)
        return " ".join(f"{x(a):.1f},{y(v):.1f} {x(b):.1f},{y(v):.1f}" for a, b, v in steps)
    columns = ((edges[:-1] - edges[0]) / (edges[-1] - edges[0]) * (x(function.high) - x(function.low))) // _COLUMN
    starts = np.flatnonzero(np.diff(columns, prepend=-1.0))
    ends = np.append(starts[1:], values.size)
    points = []
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        at, some = x(float(edges[first])), values[first:last]
        shown = dict.fromkeys(f"{y(float(v)):.1f}" for v in (some[0], some.min(), some.max(), some[-1]))
        points += [f"{at:.1f},{v}" for v in shown]
        points.append(f"{x(float(edges[last])):.1f},{y(float(some[-1])):.1f}")
    return " ".join(points)
