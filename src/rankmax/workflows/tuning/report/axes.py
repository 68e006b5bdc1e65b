"""Scales, axes and frames of the charts, as SVG text that the page's style sheet colors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["pick", "current", "other"]
"""Kind of a drawn element, which determines its color in every chart."""
Scale: TypeAlias = Callable[[float], float]

WIDTH, RIGHT = 520, 24
_LONGEST = 22


class Mark(NamedTuple):
    """A point to mark on a chart.

    Attributes
    ----------
    at : float
    label : str
    kind : Kind
    """

    at: float
    label: str
    kind: Kind


def scale(low: float, high: float, start: float, stop: float) -> Scale:
    """Return the linear map from an interval of values to an interval of coordinates.

    Parameters
    ----------
    low, high : float
        Ends of the interval of values; where they are equal, all values map to the start.
    start, stop : float

    Examples
    --------
    >>> scale(0.0, 2.0, 100, 200)(0.5)
    125.0
    """
    span = high - low or 1.0
    return lambda value: start + (value - low) / span * (stop - start)


def round_ticks(low: float, high: float) -> list[str]:
    """Return three to eight round numbers in an interval, with as many decimals as they need.

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
    step = next((unit for unit in (5, 2) if unit * 10.0**power <= (high - low) / 3), 1)  # 0.3 / 3 is below 0.1
    unit = step * 10.0**power
    numbers = range(math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9) + 1)
    return [f"{number * unit:.{max(0, -power)}f}" for number in numbers]


def bottom_axis(low: float, high: float, x: Scale, top: float, label: str) -> str:
    """Return a horizontal axis with its ticks and label.

    Parameters
    ----------
    low, high : float
        Values at the ends of the axis.
    x : Scale
    top : float
        Vertical coordinate of the axis.
    label : str
    """
    ticks = "".join(
        f'<text x="{x(float(tick)):.1f}" y="{top + 17:.0f}" text-anchor="middle">{tick}</text>'
        for tick in round_ticks(low, high)
    )
    line = f'<line class="axis" x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{top:.0f}" y2="{top:.0f}"/>'
    middle = (x(low) + x(high)) / 2
    return f'{line}{ticks}<text x="{middle:.1f}" y="{top + 36:.0f}" text-anchor="middle">{escape(label)}</text>'


def side_axis(low: float, high: float, y: Scale, label: str) -> list[str]:
    """Return the ticks and the label of a vertical axis on the left.

    Parameters
    ----------
    low, high : float
    y : Scale
    label : str
    """
    ticks = [
        f'<text x="60" y="{y(float(tick)) + 4:.1f}" text-anchor="end">{tick}</text>' for tick in round_ticks(low, high)
    ]
    return [*ticks, f'<text x="12" y="14">{escape(label)}</text>']


def upright(mark: Mark, x: Scale, top: float, foot: float) -> str:
    """Return a vertical line at a marked value, with its label as a tooltip.

    Parameters
    ----------
    mark : Mark
    x : Scale
    top, foot : float
    """
    at = f"{x(mark.at):.1f}"
    return (
        f'<line class="mark {mark.kind}" x1="{at}" x2="{at}" y1="{top:.0f}" y2="{foot:.0f}">'
        f"<title>{escape(mark.label)}</title></line>"
    )


def level(mark: Mark, y: Scale, left: float, right: float) -> str:
    """Return a horizontal line at a marked value, with its label as a tooltip.

    Parameters
    ----------
    mark : Mark
    y : Scale
    left, right : float
    """
    at = f"{y(mark.at):.1f}"
    return (
        f'<line class="mark {mark.kind}" x1="{left:.0f}" x2="{right:.0f}" y1="{at}" y2="{at}">'
        f"<title>{escape(mark.label)}</title></line>"
    )


def frame(height: float, parts: Sequence[str], label: str) -> str:
    """Return the whole picture.

    Parameters
    ----------
    height : float
    parts : sequence of str
    label : str
        Description of the picture for screen readers.
    """
    body = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">{body}</svg>'


def short(name: str) -> str:
    """Return a name that fits beside a chart.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> short("bm25"), short("a name that is far too long")
    ('bm25', 'a name that is far to…')
    """
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
