"""Sweeps over curves: smoothed exact line searches for the metric itself, from the curves of a convex fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.learners.additive.curve_fit import CurveFit
from rankmax.learners.additive.knot_basis import ABSENT, Curves, KnotBasis
from rankmax.line_search.line_search import LineSearch
from rankmax.line_search.smoothed_line import Smoothing

_REACH = 8.0  # standard deviations of the scores: as far as one line goes; the next cycle may go on
_REACH_OF_A_KNOT = 3.0


@dataclass(frozen=True, eq=False)
class _Line:
    """A line search over one curve.

    Attributes
    ----------
    rises : array of float64, shape (n_rises,)
        What a step of 1 adds to the curve's rises.
    absent : float
        What it adds to the value for absent documents.
    slope : float
        What it adds to the slope of the line that the curve is compared with.
    column : array of float64, shape (n_documents,)
        What it adds to the scores.
    unit : float
        Scores that a step of 1 moves by, in which noise is measured.
    reach : float
        Largest step, in standard deviations of the scores.
    """

    rises: F64
    absent: float
    slope: float
    column: F64
    unit: float
    reach: float


@dataclass(frozen=True, eq=False)
class CurveSweeps:
    r"""Cycles of line searches over the slope, the size and the knots of each curve.

    A line search moves to where the expected metric under Gaussian noise of the step is highest, less the penalty on
    the distance of the curve from a straight line that it was fitted with. By the slope of a curve all documents move,
    and by its size; by the value at a knot only those between the neighboring knots.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, in standard deviations of the scores within queries.
    n_cycles : int
    penalty : array of float64, shape (n_features,)
        Half of the penalty on the squared distances of a curve's rises from those of a line; infinite for straight
        lines, whose knots are left alone.
    signs : array of float64, shape (n_features,)
        1 for a curve that must not fall, -1 for one that must not rise, 0 for others.
    knots : bool
        Whether to search the values at knots, too.
    """

    sigma: float
    n_cycles: int
    penalty: F64
    signs: F64
    knots: bool = True

    def ascend(self, basis: KnotBasis, search: LineSearch, start: CurveFit) -> Curves:
        """Return the curves after the last cycle.

        Parameters
        ----------
        basis : KnotBasis
        search : LineSearch
            The metric over the documents of the basis.
        start : CurveFit
            Curves to start from, and the lines that they are compared with.
        """
        rises, absents, slopes = start.curves.rises.copy(), start.curves.absents.copy(), start.slopes.copy()
        scores = basis.scores(start.curves)
        for _ in range(self.n_cycles):
            spread = basis.spread(scores) or 1.0
            for j in np.flatnonzero(basis.feature_spread > 0).tolist():
                for line in self._lines(basis, j, rises, absents, slopes):
                    off = rises[j] - slopes[j] * basis.lengths[j]
                    bend = line.rises - line.slope * basis.lengths[j]
                    cost = self.penalty[j] if math.isfinite(self.penalty[j]) else 0.0
                    smoothing = Smoothing(
                        self.sigma * spread / line.unit,
                        line.reach * spread / line.unit,
                        2 * cost * float(off @ bend),
                        cost * float(bend @ bend),
                    )
                    low, high = _feasible(self.signs[j] * rises[j], self.signs[j] * line.rises)
                    peak = search.smoothed_peak(scores, line.column, smoothing, low=low, high=high)
                    if peak.gain > 0:
                        rises[j] += peak.place * line.rises
                        if self.signs[j]:  # up to rounding, it is feasible
                            rises[j] = self.signs[j] * np.maximum(self.signs[j] * rises[j], 0.0)
                        absents[j] += peak.place * line.absent
                        slopes[j] += peak.place * line.slope
                        scores = scores + peak.place * line.column
            scores = basis.scores(Curves(rises, absents))  # without the rounding of many steps
        return Curves(rises, absents)

    def _lines(self, basis: KnotBasis, j: int, rises: F64, absents: F64, slopes: F64) -> Iterator[_Line]:
        """Yield the lines of one curve, each from where the one before has led."""
        straight = basis.lengths[j]
        yield _Line(straight, 0.0, 1.0, basis.column(j, straight), basis.feature_spread[j], _REACH)
        if not math.isfinite(self.penalty[j]):
            return
        column = basis.column(j, rises[j], absents[j])
        if (height := basis.spread(column)) > 0:
            yield _Line(rises[j].copy(), float(absents[j]), float(slopes[j]), column, height, _REACH)
        n_values = basis.n_values(j)
        for place in range(n_values if self.knots and n_values > 2 else 0):
            moved = np.zeros(straight.size)
            if place > 0:
                moved[place - 1] = 1.0
            if place < n_values - 1:
                moved[place] = -1.0
            hat = basis.hat(j, place)
            mean = float(hat @ (basis.codes[j] != ABSENT)) / max(int(basis.counts[j, :ABSENT].sum()), 1)
            yield _Line(moved, -mean, 0.0, hat, 1.0, _REACH_OF_A_KNOT)  # curves keep the mean 0, so others move


def _feasible(rises: F64, change: F64) -> tuple[float, float]:
    """Return the steps mu at which rises + mu * change stays nonnegative; all where both are 0, as without a sign.

    Examples
    --------
    >>> _feasible(np.array([1.0, 2.0]), np.array([1.0, -4.0]))
    (-1.0, 0.5)
    """
    grows, shrinks = change > 0, change < 0
    low = float(np.max(-rises[grows] / change[grows], initial=-math.inf))
    high = float(np.min(-rises[shrinks] / change[shrinks], initial=math.inf))
    return min(low, 0.0), max(high, 0.0)
