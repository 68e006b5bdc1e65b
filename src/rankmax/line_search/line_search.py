"""The interface of line searches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

from rankmax._arrays import F64
from rankmax.errors import InvalidDataError
from rankmax.line_search.smoothed_line import SmoothedPeak, Smoothing
from rankmax.line_search.step_function import Interval, StepFunction


class LineSearch(Protocol):
    """A metric bound to judgments that can be maximized along scores + mu * slopes.

    :class:`~rankmax.line_search.metric_sweep.MetricSweep` does so for metrics with tables and
    :class:`~rankmax.line_search.rescored_line.RescoringSweep` for all others, both exactly;
    :class:`~rankmax.line_search.sampling.SampledLine` evaluates only some points.
    """

    def step_function(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the metric for low < mu < high, where low <= 0 <= high."""
        ...

    def peaks(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Iterator[Interval]:
        """Yield the interval where the metric is largest, then intervals to fall back on, best first."""
        ...

    def smoothed_peak(
        self, scores: F64, slopes: F64, smoothing: Smoothing, *, low: float = -math.inf, high: float = math.inf
    ) -> SmoothedPeak:
        """Return the maximum of the smoothed metric, or of the metric itself if not all steps are known."""
        ...


def require_start_inside(low: float, high: float) -> None:
    """Raise an error if 0, the start of a line, is outside its interval.

    Parameters
    ----------
    low, high : float

    Examples
    --------
    >>> require_start_inside(1.0, 2.0)
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: the line's interval (1.0, 2.0) must contain 0
    """
    if not low <= 0.0 <= high:
        raise InvalidDataError(f"the line's interval ({low}, {high}) must contain 0")
