"""Golden-section search along a line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankmax.errors import InvalidParameterError
from rankmax.line_search.sampling import InexactSearch

_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class GoldenSection(InexactSearch):
    r"""Evaluate points spread over the line, then narrow down around the best of them by the golden section.

    The line, infinite or not, is mapped to a finite one by :math:`t = \mu / (1 + |\mu|)`, and points are spread evenly
    over that. A golden section finds the maximum of a unimodal function; along a line a metric has many local maxima,
    so the points before it matter more.

    Parameters
    ----------
    n_places : int
        Number of points to evaluate first; 0 gives the plain golden section of the whole line.
    n_sections : int
        Number of sections: each narrows the interval to 0.618 of its width.

    Examples
    --------
    >>> seen = {}
    >>> def hill(mu):
    ...     seen[mu] = -abs(mu - 3)
    ...     return seen[mu]
    >>> GoldenSection().explore(hill, -math.inf, math.inf)
    >>> len(seen), round(max(seen, key=seen.get), 2)
    (31, 3.0)

    References
    ----------
    Kiefer 1953, Sequential minimax search for a maximum.
    """

    n_places: int = 16
    n_sections: int = 12

    def __post_init__(self) -> None:
        for name, number in (("n_places", self.n_places), ("n_sections", self.n_sections)):
            if number < 0:
                raise InvalidParameterError(f"GoldenSection: {name}={number} must be a nonnegative whole number")

    def explore(self, value: Callable[[float], float], low: float, high: float) -> None:
        """Evaluate the spread points, then narrow down."""
        first, last = _finite(low), _finite(high)

        def at(t: float) -> float:
            return value(t / (1 - abs(t)))

        spread = first + (last - first) * (np.arange(self.n_places) + 0.5) / max(self.n_places, 1)
        places = sorted({0.0, *spread.tolist()})
        best = int(np.argmax([at(t) for t in places]))
        edges = [first, *places, last]
        narrow_down(at, edges[best], edges[best + 2], self.n_sections)


def narrow_down(value: Callable[[float], float], left: float, right: float, n_sections: int) -> None:
    """Evaluate a function ever closer to its maximum between two points, by the golden section.

    Parameters
    ----------
    value : callable
        Function to maximize; it remembers the points it was evaluated at.
    left, right : float
    n_sections : int
        Number of sections: each narrows the interval to 0.618 of its width.

    Examples
    --------
    >>> seen = []
    >>> narrow_down(lambda x: seen.append(x) or -abs(x - 3), 0.0, 10.0, 2)
    >>> [round(x, 2) for x in seen]
    [3.82, 6.18, 2.36, 1.46]
    """
    inner, outer = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
    at_inner, at_outer = value(inner), value(outer)
    for _ in range(n_sections):
        if not left < inner < outer < right:  # no floats are left between
            break
        if at_inner >= at_outer:
            right, outer, at_outer = outer, inner, at_inner
            inner = right - _GOLDEN * (right - left)
            at_inner = value(inner)
        else:
            left, inner, at_inner = inner, outer, at_outer
            outer = left + _GOLDEN * (right - left)
            at_outer = value(outer)


def _finite(mu: float) -> float:
    return math.copysign(1.0, mu) if math.isinf(mu) else mu / (1 + abs(mu))
