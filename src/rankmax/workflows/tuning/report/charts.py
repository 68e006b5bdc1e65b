"""The charts of a tuning's page: gains with intervals, weights, paired differences, trade-offs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64
from rankmax.workflows.tuning.report.axes import (
    RIGHT,
    WIDTH,
    Kind,
    Mark,
    bottom_axis,
    frame,
    scale,
    short,
    side_axis,
    upright,
)

_ROW = 26
_CHARACTER = 9  # width of a letter in the large type of narrow screens
_MARGIN = 0.04  # of the range of intervals, so that none ends at the edge
_TOP, _HEIGHT, _FOOT = 28, 240, 46
_BINS = 40


class GainRow(NamedTuple):
    """A row of a forest plot.

    Attributes
    ----------
    name : str
    gain : float
    interval : pair of float
    kind : Kind
    """

    name: str
    gain: float
    interval: tuple[float, float]
    kind: Kind


def forest(rows: Sequence[GainRow], label: str) -> str:
    """Return a forest plot: one row per gain with its interval, and a line at 0.

    Parameters
    ----------
    rows : sequence of GainRow
    label : str
        Label of the axis.

    Examples
    --------
    >>> rows = [GainRow("pick", 0.05, (0.01, 0.09), "pick"), GainRow("RRF", 0.0, (0.0, 0.0), "current")]
    >>> forest(rows, "gain in nDCG@10").count("<circle")
    2
    """
    low, high = min(0.0, *(row.interval[0] for row in rows)), max(0.0, *(row.interval[1] for row in rows))
    low, high = low - _MARGIN * (high - low), high + _MARGIN * (high - low)
    left = _room([row.name for row in rows])
    x = scale(low, high, left, WIDTH - RIGHT)
    foot = _ROW * len(rows) + 6
    parts = [
        bottom_axis(low, high, x, foot, label),
        f'<line class="zero" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="2" y2="{foot}"/>',
    ]
    for i, (name, gain, interval, kind) in enumerate(rows):
        y = f"{_ROW * (i + 0.5):.1f}"
        told = "" if kind == "current" else f": {gain:+.4f}, 95% interval {interval[0]:+.4f} to {interval[1]:+.4f}"
        parts += [
            f'<g class="{kind}"><title>{escape(name + told)}</title>'
            f'<text class="name" x="{left - 12}" y="{y}" dy="4" text-anchor="end">{escape(short(name))}</text>',
            f'<line class="bar" x1="{x(interval[0]):.1f}" x2="{x(interval[1]):.1f}" y1="{y}" y2="{y}"/>',
            f'<circle class="dot" cx="{x(gain):.1f}" cy="{y}" r="5"/></g>',
        ]
    return frame(_ROW * len(rows) + _FOOT, parts, f"{label}, with 95% intervals")


def histograms(names: Sequence[str], samples: F64, marks: Sequence[Sequence[Mark]]) -> str:
    """Return the distribution of each system's weight over bootstrap samples, with some weights marked.

    Parameters
    ----------
    names : sequence of str
    samples : array, shape (n_samples, n_systems)
    marks : sequence of sequence of Mark
        Marks of each system.

    Examples
    --------
    >>> marks = [[Mark(0.25, "learned", "pick")], [Mark(0.75, "learned", "pick")]]
    >>> histograms(["bm25", "e5"], np.array([[0.2, 0.8], [0.3, 0.7]]), marks).count('class="mark pick"')
    2
    """
    row = 46
    left = _room(names)
    x = scale(0.0, 1.0, left, WIDTH - RIGHT)
    width = (x(1.0) - x(0.0)) / _BINS
    parts = [bottom_axis(0.0, 1.0, x, row * len(names) + 6, "weight")]
    for j, name in enumerate(names):
        foot = row * (j + 1)
        counts, edges = np.histogram(samples[:, j], bins=_BINS, range=(0.0, 1.0))
        parts.append(
            f'<text class="name" x="{left - 12}" y="{foot - 8}" text-anchor="end">{escape(short(name))}</text>'
        )
        for count, edge in zip(counts.tolist(), edges.tolist(), strict=False):
            if count:
                tall = (row - 10) * count / counts.max()
                parts.append(
                    f'<rect class="box" x="{x(edge):.1f}" y="{foot - tall:.1f}" width="{width - 1:.1f}" '
                    f'height="{tall:.1f}"/>'
                )
        parts += [upright(mark, x, foot - row + 6, foot) for mark in marks[j]]
    return frame(row * len(names) + _FOOT, parts, "Weights over resampled queries")


def differences(gains: Sequence[tuple[float, str]], label: str) -> str:
    """Return paired differences as bars, from the largest gain to the largest loss.

    Parameters
    ----------
    gains : sequence of (difference, tooltip)
        Bars in the order to draw them.
    label : str
        Label of the vertical axis.

    Examples
    --------
    >>> differences([(0.2, "q1: +0.2"), (-0.1, "q2: -0.1")], "AP").count("<rect")
    2
    """
    low, high = min(0.0, *(gain for gain, _ in gains)), max(0.0, *(gain for gain, _ in gains))
    x, y = scale(0, len(gains), 66, WIDTH - RIGHT), scale(low, high, _HEIGHT - 10, _TOP)
    width = x(1) - x(0)
    parts = []
    for i, (gain, tooltip) in enumerate(gains):
        kind: Kind = "pick" if gain > 0 else "current" if gain < 0 else "other"
        top, foot = sorted((y(gain), y(0)))
        parts.append(
            f'<rect class="{kind}" x="{x(i):.1f}" y="{top:.1f}" width="{max(width * 0.85, 0.4):.1f}" '
            f'height="{max(foot - top, 1.5):.1f}"><title>{escape(tooltip)}</title></rect>'
        )
    parts.append(f'<line class="zero" x1="66" x2="{WIDTH - RIGHT}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>')
    return frame(_HEIGHT, [*parts, *side_axis(low, high, y, label)], f"{label}, by query")


def curve(points: F64, marked: Sequence[tuple[float, float, str, Kind]], labels: tuple[str, str]) -> str:
    """Return points joined by a line, and single marked points.

    Parameters
    ----------
    points : array, shape (n, 2)
    marked : sequence of (x, y, label, kind)
    labels : pair of str
        Labels of the axes.

    Examples
    --------
    >>> curve(np.array([[0.5, 0.2], [0.4, 0.3]]), [(0.45, 0.2, "pick", "pick")], ("AP", "P@1")).count("<circle")
    3
    """
    everything = np.vstack([points, *(np.array(one[:2]) for one in marked)])
    (left, bottom), (right, top) = everything.min(axis=0), everything.max(axis=0)
    x = scale(float(left), float(right), 72, WIDTH - RIGHT)
    y = scale(float(bottom), float(top), _HEIGHT - 20, _TOP)
    line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points.tolist())
    parts = [f'<polyline class="curve" points="{line}"/>']
    parts += [f'<circle class="dot" cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5"/>' for a, b in points.tolist()]
    parts += [
        f'<g class="{kind}"><circle class="dot" cx="{x(a):.1f}" cy="{y(b):.1f}" r="7"><title>{escape(label)}</title>'
        "</circle></g>"
        for a, b, label, kind in marked
    ]
    parts += [
        bottom_axis(float(left), float(right), x, _HEIGHT - 4, labels[0]),
        *side_axis(float(bottom), float(top), y, labels[1]),
    ]
    return frame(_HEIGHT + _FOOT, parts, f"{labels[0]} against {labels[1]}")


def _room(names: Sequence[str]) -> int:
    """Return the width that names take on the left of a chart."""
    return 20 + _CHARACTER * max(len(short(name)) for name in names)
