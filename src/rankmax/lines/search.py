"""What a search along a line has to offer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

from rankmax.arrays import F64
from rankmax.errors import InvalidDataError
from rankmax.lines.step_function import Interval, StepFunction


class LineSearch(Protocol):
    """A metric bound to judgments that can be followed along scores + mu * slopes.

    :class:`~rankmax.lines.sweep.MetricSweep` does it for metrics with tables,
    :class:`~rankmax.lines.rescoring.RescoringSweep` for all others, both exactly;
    :class:`~rankmax.lines.sampling.SampledLine` looks at some places only.
    """

    def step_function(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the metric for low < mu < high, where low <= 0 <= high."""
        ...

    def peaks(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Iterator[Interval]:
        """Yield where the metric is largest, then where to fall back on, best first."""
        ...


def require_start_inside(low: float, high: float) -> None:
    """Raise an error where 0, the start of a line, is outside its interval.

    Parameters
    ----------
    low, high : float

    Examples
    --------
    >>> require_start_inside(1.0, 2.0)
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: the line's interval (1.0, 2.0) must hold 0
    """
    if not low <= 0.0 <= high:
        raise InvalidDataError(f"the line's interval ({low}, {high}) must hold 0")
