"""The charts of a tuning's web page, as SVG text that its style sheet colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from rankmax.arrays import F64

_WIDTH, _LEFT, _RIGHT, _ROW = 520, 176, 24, 24
_TOP, _HEIGHT, _FOOT = 28, 240, 46
_BINS = 40


def forest(rows: Sequence[tuple[str, float, tuple[float, float]]], label: str) -> str:
    """Return means with their intervals below each other; the first is marked.

    Parameters
    ----------
    rows : sequence of (name, mean, interval)
    label : str
        Of the axis.

    Examples
    --------
    >>> chart = forest([("learned", 0.7, (0.6, 0.8)), ("RRF", 0.6, (0.5, 0.7))], "nDCG@10")
    >>> chart.count('class="bar'), chart.startswith("<svg")
    (2, True)
    """
    low, high = min(row[2][0] for row in rows), max(row[2][1] for row in rows)
    x = _scale(low, high, _LEFT, _WIDTH - _RIGHT)
    height = _ROW * len(rows) + _FOOT
    parts = [_axis(low, high, x, _ROW * len(rows) + 6, label)]
    for i, (name, mean, interval) in enumerate(rows):
        y, own = _ROW * (i + 0.5), " own" if i == 0 else ""
        parts += [
            f'<text class="name" x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(_short(name))}</text>',
            f'<line class="bar{own}" x1="{x(interval[0]):.1f}" x2="{x(interval[1]):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<circle class="dot{own}" cx="{x(mean):.1f}" cy="{y:.1f}" r="5"/>',
        ]
    return _svg(height, parts)


def histograms(names: Sequence[str], samples: F64, weights: F64) -> str:
    """Return the distribution of each system's weight over bootstrap samples, with the learned weight marked.

    Parameters
    ----------
    names : sequence of str
    samples : array, shape (n_samples, n_systems)
    weights : array, shape (n_systems,)

    Examples
    --------
    >>> histograms(["bm25", "e5"], np.array([[0.2, 0.8], [0.3, 0.7]]), np.array([0.25, 0.75])).count('class="mark"')
    2
    """
    row = 46
    x = _scale(0.0, 1.0, _LEFT, _WIDTH - _RIGHT)
    width = (x(1.0) - x(0.0)) / _BINS
    parts = [_axis(0.0, 1.0, x, row * len(names) + 6, "weight")]
    for j, name in enumerate(names):
        foot = row * (j + 1)
        counts, edges = np.histogram(samples[:, j], bins=_BINS, range=(0.0, 1.0))
        parts.append(
            f'<text class="name" x="{_LEFT - 12}" y="{foot - 8}" text-anchor="end">{escape(_short(name))}</text>'
        )
        for count, edge in zip(counts.tolist(), edges.tolist(), strict=False):
            if count:
                tall = (row - 10) * count / counts.max()
                parts.append(
                    f'<rect class="box" x="{x(edge):.1f}" y="{foot - tall:.1f}" width="{width - 1:.1f}" '
                    f'height="{tall:.1f}"/>'
                )
        at = x(float(weights[j]))
        parts.append(f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{foot - row + 6}" y2="{foot}"/>')
    return _svg(row * len(names) + _FOOT, parts)


def steps(edges: F64, values: F64, floor: float, marked: float, labels: tuple[str, str]) -> str:
    """Return a step function; where it is at least `floor` the ground is shaded.

    Parameters
    ----------
    edges : array, shape (n + 1,)
    values : array, shape (n,)
    floor : float
    marked : float
        A place to mark.
    labels : pair of str
        Of the axes.

    Examples
    --------
    >>> steps(np.array([0.0, 0.4, 1.0]), np.array([0.5, 0.6]), 0.55, 0.7, ("weight of bm25", "AP")).count("shade")
    1
    """
    low, high = float(values.min()), float(values.max())
    x = _scale(float(edges[0]), float(edges[-1]), 66, _WIDTH - _RIGHT)
    y = _scale(low, high, _HEIGHT - 10, _TOP)
    parts = []
    inside = np.concatenate([[False], values >= floor, [False]])
    for first, last in zip(
        np.flatnonzero(~inside[:-1] & inside[1:]), np.flatnonzero(inside[:-1] & ~inside[1:]), strict=True
    ):
        a, b = x(float(edges[first])), x(float(edges[last]))
        parts.append(f'<rect class="shade" x="{a:.1f}" y="{_TOP - 6}" width="{b - a:.1f}" height="{_HEIGHT - _TOP}"/>')
    corners = " ".join(
        f"{x(a):.1f},{y(v):.1f} {x(b):.1f},{y(v):.1f}"
        for a, b, v in zip(edges[:-1].tolist(), edges[1:].tolist(), values.tolist(), strict=True)
    )
    parts.append(f'<polyline class="curve" points="{corners}"/>')
    parts.append(f'<line class="mark" x1="{x(marked):.1f}" x2="{x(marked):.1f}" y1="{_TOP - 6}" y2="{_HEIGHT - 6}"/>')
    parts += [_axis(float(edges[0]), float(edges[-1]), x, _HEIGHT - 4, labels[0]), *_side(low, high, y, labels[1])]
    return _svg(_HEIGHT + _FOOT, parts)


def curve(points: F64, marked: tuple[float, float], labels: tuple[str, str]) -> str:
    """Return points joined by a line, and one of its own.

    Parameters
    ----------
    points : array, shape (n, 2)
    marked : pair of float
    labels : pair of str
        Of the axes.

    Examples
    --------
    >>> curve(np.array([[0.5, 0.2], [0.4, 0.3]]), (0.45, 0.2), ("AP", "P@1")).count("<circle")
    3
    """
    everything = np.vstack([points, marked])
    (left, bottom), (right, top) = everything.min(axis=0), everything.max(axis=0)
    x = _scale(float(left), float(right), 66, _WIDTH - _RIGHT)
    y = _scale(float(bottom), float(top), _HEIGHT - 20, _TOP)
    line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points.tolist())
    parts = [f'<polyline class="curve" points="{line}"/>']
    parts += [f'<circle class="dot" cx="{x(a):.1f}" cy="{y(b):.1f}" r="4"/>' for a, b in points.tolist()]
    parts.append(f'<circle class="dot own" cx="{x(marked[0]):.1f}" cy="{y(marked[1]):.1f}" r="6"/>')
    parts += [
        _axis(float(left), float(right), x, _HEIGHT - 4, labels[0]),
        *_side(float(bottom), float(top), y, labels[1]),
    ]
    return _svg(_HEIGHT + _FOOT, parts)


def _scale(low: float, high: float, start: float, stop: float) -> Callable[[float], float]:
    span = high - low or 1.0
    return lambda value: start + (value - low) / span * (stop - start)


def round_ticks(low: float, high: float) -> list[str]:
    """Return round numbers of an interval, three to eight of them, with as many decimals as they need.

    Parameters
    ----------
    low, high : float

    Examples
    --------
    >>> round_ticks(0.402, 0.771)
    ['0.5', '0.6', '0.7']
    >>> round_ticks(0.0, 1.0), round_ticks(0.3, 0.3)
    (['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'], ['0.3'])
    """
    if not high > low:
        return [f"{low:.3g}"]
    power = math.floor(math.log10((high - low) / 3))
    step = next(unit for unit in (5, 2, 1) if unit * 10.0**power <= (high - low) / 3)
    scale = step * 10.0**power
    numbers = range(math.ceil(low / scale - 1e-9), math.floor(high / scale + 1e-9) + 1)
    return [f"{number * scale:.{max(0, -power)}f}" for number in numbers]


def _axis(low: float, high: float, x: Callable[[float], float], top: float, label: str) -> str:
    ticks = "".join(
        f'<text x="{x(float(tick)):.1f}" y="{top + 17:.0f}" text-anchor="middle">{tick}</text>'
        for tick in round_ticks(low, high)
    )
    line = f'<line class="axis" x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{top:.0f}" y2="{top:.0f}"/>'
    middle = (x(low) + x(high)) / 2
    return f'{line}{ticks}<text x="{middle:.1f}" y="{top + 34:.0f}" text-anchor="middle">{escape(label)}</text>'


def _side(low: float, high: float, y: Callable[[float], float], label: str) -> list[str]:
    ticks = [
        f'<text x="60" y="{y(float(tick)) + 4:.1f}" text-anchor="end">{tick}</text>' for tick in round_ticks(low, high)
    ]
    return [*ticks, f'<text x="12" y="14">{escape(label)}</text>']


def _svg(height: float, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img">{"".join(parts)}</svg>'


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"
