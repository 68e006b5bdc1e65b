"""Piecewise constant functions of one variable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, Bool
from rankmax.errors import InvalidDataError
from rankmax.line_search.smoothed_function import SmoothedFunction

_NARROW = 1e-10  # relative width below which an interval may be an artifact of rounding
_BESIDE = 0.236068  # share of the width; not a simple fraction, so that few documents tie at that point


def has_room(low: F64, high: F64) -> Bool:
    """Return which intervals are too wide, relative to their location, to be artifacts of rounding.

    Examples
    --------
    >>> has_room(np.array([1.0, 1.0, 2.0]), np.array([1.0 + 1e-15, 1.5, np.inf]))
    array([False,  True,  True])
    """
    finite_size = np.maximum(np.where(np.isinf(low), 0.0, np.abs(low)), np.where(np.isinf(high), 0.0, np.abs(high)))
    return high - low > _NARROW * finite_size


@dataclass(frozen=True)
class Interval:
    """An open interval on which a step function has one value; its ends may be infinite.

    Attributes
    ----------
    low, high : float
    value : float

    Examples
    --------
    >>> Interval(1.0, 3.0, value=0.5).middle, Interval(2.0, math.inf, value=0.5).middle
    (2.0, 4.0)
    """

    low: float
    high: float
    value: float

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """The point to choose: the center, or well beyond the finite end, or 0 on the whole line."""
        if math.isfinite(self.low) and math.isfinite(self.high):
            return self.low + 0.5 * (self.high - self.low)
        if math.isfinite(self.low):
            return self.low + max(1.0, abs(self.low))
        if math.isfinite(self.high):
            return self.high - max(1.0, abs(self.high))
        return 0.0

    @property
    def places(self) -> tuple[float, float, float]:
        """The middle, and one point on either side of it in case documents tie in the middle.

        A step function does not show the ties inside an interval: to the left and right of a tie the value may be the
        same, and on it different.

        Examples
        --------
        >>> Interval(-math.inf, math.inf, value=0.5).places
        (0.0, -0.236068, 0.236068)
        """
        ends = [abs(end) for end in (self.low, self.high) if math.isfinite(end)]
        room = self.width if len(ends) == 2 else max(1.0, *ends) if ends else 1.0
        return self.middle, self.middle - _BESIDE * room, self.middle + _BESIDE * room

    @property
    def is_narrow(self) -> bool:
        """Whether the interval is so short that it may be an artifact of rounding."""
        return not has_room(np.array([self.low]), np.array([self.high]))[0]


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A piecewise constant function on an open interval.

    Attributes
    ----------
    breakpoints : array, shape (n,)
        Points where the value changes, ascending.
    values : array, shape (n + 1,)
        ``values[i]`` is the value between breakpoints i - 1 and i.
    low, high : float
        Ends of the domain, possibly infinite.

    Examples
    --------
    >>> f = StepFunction(np.array([-1.0, 2.0]), np.array([0.2, 0.6, 0.4]))
    >>> f([-5.0, 0.0, 3.0])
    array([0.2, 0.6, 0.4])
    >>> f.best()
    Interval(low=-1.0, high=2.0, value=0.6)
    >>> (f + StepFunction(np.array([2.0]), np.array([0.0, 1.0]))).best()
    Interval(low=2.0, high=inf, value=1.4)
    """

    breakpoints: F64
    values: F64
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if self.values.shape != (self.breakpoints.size + 1,):
            raise InvalidDataError(
                f"{self.values.size} values for {self.breakpoints.size} breakpoints; one more is needed"
            )
        if (np.diff(self.breakpoints) < 0).any():
            raise InvalidDataError("breakpoints must ascend")

    def __call__(self, mu: ArrayLike) -> F64:
        """Return the value at each mu (at a breakpoint, that of the interval to its right)."""
        return self.values[np.searchsorted(self.breakpoints, mu, side="right")]

    def __add__(self, other: StepFunction) -> StepFunction:
        """Return the sum, on the interval where both are defined."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        points = np.union1d(self.breakpoints, other.breakpoints)
        points = points[(points > low) & (points < high)]
        left = np.searchsorted(self.breakpoints, np.append(points, np.inf), side="left")
        right = np.searchsorted(other.breakpoints, np.append(points, np.inf), side="left")
        return StepFunction(points, self.values[left] + other.values[right], low, high)

    @property
    def edges(self) -> F64:
        """The ends of the domain with the breakpoints between them."""
        return np.concatenate([[self.low], self.breakpoints, [self.high]])

    def rows(self) -> list[tuple[float, float, float]]:
        """Return low end, high end and value of every interval, from left to right."""
        edges = self.edges.tolist()
        return list(zip(edges[:-1], edges[1:], self.values.tolist(), strict=True))

    def best(self) -> Interval:
        """Return the widest of the intervals with the largest value, ignoring artifacts of rounding."""
        low, high = self.edges[:-1], self.edges[1:]
        width = high - low
        roomy = has_room(low, high)
        allowed = np.flatnonzero(roomy) if roomy.any() else np.arange(self.values.size)
        top = allowed[self.values[allowed] == self.values[allowed].max()]
        chosen = int(top[np.argmax(width[top])])
        return Interval(float(low[chosen]), float(high[chosen]), float(self.values[chosen]))

    def reaching(self, level: float) -> Interval:
        """Return the widest interval around the best one on which no value is below a level.

        Parameters
        ----------
        level : float
            At most the best value.

        Examples
        --------
        >>> f = StepFunction(np.array([-1.0, 2.0, 3.0]), np.array([0.2, 0.5, 0.6, 0.4]))
        >>> f.reaching(0.45)
        Interval(low=-1.0, high=3.0, value=0.5)
        """
        best = int(np.searchsorted(self.breakpoints, self.best().low, side="right")) if self.breakpoints.size else 0
        below = np.flatnonzero(self.values < level)
        after = int(np.searchsorted(below, best))
        first = int(below[after - 1]) + 1 if after else 0
        last = int(below[after]) if after < below.size else self.values.size
        return Interval(float(self.edges[first]), float(self.edges[last]), float(self.values[first:last].min()))

    def peaks(self) -> Iterator[Interval]:
        """Yield the best interval, then the others that are not artifacts of rounding, best first.

        Examples
        --------
        >>> f = StepFunction(np.array([-1.0, 2.0]), np.array([0.2, 0.6, 0.4]))
        >>> [interval.value for interval in f.peaks()]
        [0.6, 0.4, 0.2]
        """
        best = self.best()
        yield best
        low, high = self.edges[:-1], self.edges[1:]
        for i in np.lexsort((low - high, -self.values)):
            interval = Interval(float(low[i]), float(high[i]), float(self.values[i]))
            if interval != best and not interval.is_narrow:
                yield interval

    def smoothed(self, sigma: float) -> SmoothedFunction:
        """Return the expected value when Gaussian noise is added to the variable.

        Parameters
        ----------
        sigma : float
            Standard deviation of the noise.

        Examples
        --------
        >>> f = StepFunction(np.array([-1.0, 2.0]), np.array([0.2, 0.6, 0.4]))
        >>> f.smoothed(0.5)(0.5).round(4), f.smoothed(0.001)(0.5).round(4)
        (np.float64(0.5992), np.float64(0.6))
        """
        return SmoothedFunction(self.breakpoints, self.values, sigma, self.low, self.high)
