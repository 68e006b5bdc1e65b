"""Inexact line search at a few points, for metrics that cannot be swept exactly, and for comparison."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.errors import IncompatibleError
from rankmax.line_search.line_search import require_start_inside
from rankmax.line_search.smoothed_line import SmoothedPeak, Smoothing
from rankmax.line_search.step_function import Interval, StepFunction


class InexactSearch(ABC):
    """Base of line searches that evaluate a few points of a line: a frozen set of parameters."""

    @abstractmethod
    def explore(self, value: Callable[[float], float], low: float, high: float) -> None:
        """Evaluate promising points between low and high; the best of them is taken.

        Parameters
        ----------
        value : callable
            Returns the value at a point. The line starts at 0; at 1 and -1 the direction contributes as much to the
            scores as the start does.
        low, high : float
            Ends of the interval, with low <= 0 <= high; they may be infinite.
        """


class SampledLine:
    r"""An inexact search bound to a function of scores.

    Points are measured in units of s / t, where s and t are the standard deviations within queries of scores and of
    slopes, so the result of a search depends neither on the length of the direction nor on the units of features. (If
    all scores are equal, every mu > 0 ranks alike, and the unit is 1.)

    Parameters
    ----------
    search : InexactSearch
    value : callable
        Returns the mean of a metric, given scores.
    query_offsets : array of int64

    Examples
    --------
    >>> from rankmax.line_search import FixedSteps
    >>> line = SampledLine(FixedSteps(), lambda scores: float(scores[0] > scores[1]), np.array([0, 2]))
    >>> [(peak.low > 2, peak.value) for peak in line.peaks(np.array([0.0, 1.0]), np.array([1.0, 0.5]))]
    [(True, 1.0)]
    """

    def __init__(self, search: InexactSearch, value: Callable[[F64], float], query_offsets: I64) -> None:
        self._search = search
        self._value = value
        self._query_offsets = query_offsets

    def step_function(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Raise an error: the steps between the points are not known."""
        raise IncompatibleError(
            f"{self._search} evaluates only some points of a line, so it has no step function; leave line_search out"
        )

    def peaks(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Iterator[Interval]:
        """Yield the best point found, as an interval without width; the start if no point is better.

        Parameters
        ----------
        scores, slopes : arrays, shape (n_documents,)
            Scores at mu = 0, and their rates of change.
        low, high : float
            Ends of the interval, with low <= 0 <= high; they may be infinite.
        """
        require_start_inside(low, high)
        spread, pace = self._spread(scores), self._spread(slopes)
        best_place, best_value = 0.0, self._value(scores)
        unit = spread / pace if spread > 0 and pace > 0 else 1.0

        def value(place: float) -> float:
            nonlocal best_place, best_value
            found = self._value(scores + place * unit * slopes)
            if found > best_value:
                best_place, best_value = place, found
            return found

        if pace > 0:
            self._search.explore(value, low / unit, high / unit)
        yield Interval(best_place * unit, best_place * unit, best_value)

    def smoothed_peak(
        self, scores: F64, slopes: F64, smoothing: Smoothing, *, low: float = -math.inf, high: float = math.inf
    ) -> SmoothedPeak:
        """Return the best point found, without smoothing: the steps between the points are not known.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`peaks`.
        smoothing : Smoothing
        """
        best = next(self.peaks(scores, slopes, low=low, high=high))
        return SmoothedPeak(best.low, best.value - self._value(scores))

    def _spread(self, column: F64) -> float:
        """Return the standard deviation within queries, exactly 0 if scores are constant within each."""
        sizes = np.diff(self._query_offsets)
        starts = self._query_offsets[:-1][sizes > 0]
        from_first = column - np.repeat(column[starts], sizes[sizes > 0])
        means = np.add.reduceat(from_first, starts) / sizes[sizes > 0]
        return float(np.std(from_first - np.repeat(means, sizes[sizes > 0])))
