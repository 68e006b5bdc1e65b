"""Nested buckets of mu: the possible positions of a line's maximum, found from sums instead of all steps.

Steps of a line are counted into buckets: for each the sum of its changes and the sum of its rises. The former give the
value at every border between buckets, and with the latter bound the value inside. Only buckets whose bound reaches the
best border value are of further interest; where they hold too many steps they are divided again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, Bool

_DIVISIONS = 4096  # of all buckets of interest together


@dataclass(frozen=True, eq=False)
class Division:
    """Buckets of interest, each divided into the same number of buckets of the next level.

    Attributes
    ----------
    chosen : array of int64, shape (n_chosen,)
        Numbers of the buckets, ascending.
    low, scale : arrays of float64, shape (n_chosen,)
        Lower end of each, and its number of new buckets per unit of mu.
    n_new : int
        Number of new buckets in each.
    """

    chosen: I64
    low: F64
    scale: F64
    n_new: int

    @property
    def n_buckets(self) -> int:
        """Number of new buckets."""
        return self.chosen.size * self.n_new

    def find(self, steps: F64, buckets: I64) -> I64:
        """Return the new bucket of each step, all of which are in buckets of interest.

        Parameters
        ----------
        steps : array of float64, shape (n_steps,)
        buckets : array of int64, shape (n_steps,)
        """
        place = np.searchsorted(self.chosen, buckets)
        with np.errstate(invalid="ignore", over="ignore"):
            inside = np.nan_to_num((steps - self.low[place]) * self.scale[place], nan=0.0)
        return place * self.n_new + np.clip(inside, 0, self.n_new - 1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Buckets:
    """The sums of all steps of a line in its buckets, in the order of mu.

    Attributes
    ----------
    border : array of int64, shape (n_buckets,)
        Value at the lower end of each, in units.
    sums : array of int64, shape (n_buckets, 2)
        Sum of the changes in each, and sum of its rises.
    edges : arrays of float64, shape (n_buckets, 2)
        Approximate ends of each.
    reached : int
        A value that is reached somewhere.

    Examples
    --------
    >>> sums = np.array([[3, 3], [-2, 4], [0, 0], [-1, 0]])
    >>> buckets = Buckets.first(10, sums, size=1.0)
    >>> buckets.border, buckets.reach, buckets.of_interest
    (array([10, 13, 11, 11]), array([13, 17, 11, 11]), array([0, 1]))
    """

    border: I64
    sums: I64
    edges: F64
    reached: int

    @classmethod
    def first(cls, start: int, sums: I64, size: float) -> Buckets:
        """Return the buckets that a sweep counts its steps into.

        Parameters
        ----------
        start : int
            The value at the lower end of the line.
        sums : array of int64, shape (n_buckets, 2)
        size : float
            As in :meth:`~rankmax.line_search.metric_sweep.MetricSweep.count`.
        """
        after = start + np.cumsum(sums[:, 0])
        border = np.concatenate([[start], after[:-1]])
        places = np.clip(
            np.linspace(-1, 1, len(sums) + 1), -1 + 1e-6, 1 - 1e-6
        )  # find_buckets of _kernels/lines/event_sorting.py
        edges = np.sign(places) * size * np.abs(places) / (1 - np.abs(places))
        return cls(border, sums, np.stack([edges[:-1], edges[1:]], axis=1), max(start, int(after.max())))

    @property
    def reach(self) -> I64:
        """Upper bound of the value in each."""
        return self.border + self.sums[:, 1]

    @property
    def of_interest(self) -> I64:
        """Numbers of the buckets that may hold the maximum."""
        return np.flatnonzero(self.reach >= self.reached)

    def divided(self) -> Division:
        """Return the division of the buckets of interest."""
        chosen = self.of_interest
        n_new = max(2, _DIVISIONS // chosen.size)
        low, high = self.edges[chosen].T
        with np.errstate(divide="ignore"):
            scale = np.where(high > low, n_new / (high - low), 0.0)
        return Division(chosen, low, scale, n_new)

    def within(self, division: Division, sums: I64) -> Buckets:
        """Return the new buckets, with their sums.

        Parameters
        ----------
        division : Division
        sums : array of int64, shape (n_new_buckets, 2)
        """
        old = division.chosen
        changes = sums[:, 0].reshape(old.size, -1)
        after = self.border[old][:, None] + np.cumsum(changes, axis=1)
        border = np.concatenate([self.border[old][:, None], after[:, :-1]], axis=1).ravel()
        low, high = self.edges[old].T
        cuts = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, division.n_new + 1)
        edges = np.stack([cuts[:, :-1].ravel(), cuts[:, 1:].ravel()], axis=1)
        return Buckets(border, sums, edges, max(self.reached, int(after.max())))

    def values(self, steps: F64, changes: I64, buckets: I64) -> tuple[F64, I64]:
        """Return the sorted steps, and the value left of each and right of the last.

        Parameters
        ----------
        steps : array of float64, shape (n_steps,)
        changes, buckets : arrays of int64, shape (n_steps,)
        """
        order = np.argsort(steps, kind="stable")
        changes, buckets = changes[order], buckets[order]
        before = np.concatenate([[0], np.cumsum(changes)])
        first = np.concatenate([[True], buckets[1:] != buckets[:-1]]) if buckets.size else np.empty(0, np.bool_)
        # Steps between two buckets of interest are left out: each bucket begins with the value at its border.
        shift = (self.border[buckets] - before[:-1])[first][np.cumsum(first) - 1]
        left = before[:-1] + shift
        last = left[-1:] + changes[-1:] if left.size else np.array([self.reached])
        return steps[order], np.concatenate([left, last])


def sums_in(buckets: I64, changes: I64, n_buckets: int) -> I64:
    """Return the sums of changes and of rises in each bucket.

    Parameters
    ----------
    buckets, changes : arrays of int64, shape (n_steps,)
    n_buckets : int

    Examples
    --------
    >>> sums_in(np.array([0, 2, 2]), np.array([5, -3, 1]), 3)
    array([[ 5,  5],
           [ 0,  0],
           [-2,  1]])
    """
    sums = np.zeros((n_buckets, 2), np.int64)
    np.add.at(sums[:, 0], buckets, changes)
    np.add.at(sums[:, 1], buckets, np.maximum(changes, 0))
    return sums


def find(steps: F64, first: I64, divisions: Sequence[Division]) -> tuple[Bool, I64]:
    """Return which steps are in buckets of interest at every level, and their buckets at the last.

    Parameters
    ----------
    steps : array of float64, shape (n_steps,)
    first : array of int64, shape (n_steps,)
        Buckets of the steps at the first level.
    divisions : sequence of Division
    """
    kept, buckets = np.arange(steps.size), first
    for division in divisions:
        inside = np.isin(buckets, division.chosen)
        kept, buckets = kept[inside], buckets[inside]
        buckets = division.find(steps[kept], buckets)
    chosen = np.zeros(steps.size, np.bool_)
    chosen[kept] = True
    return chosen, buckets
