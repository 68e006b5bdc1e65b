"""Sweeping a metric along a line: where it steps, and where it is largest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.judgments import Judgments, balanced_tasks
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.lines.step_function import Interval, StepFunction, has_room
from rankmax.metrics.base import CascadeMetric, Metric, TabularMetric

_TASKS = 32
_BUCKETS = 2048
_FEW_STEPS = 20_000  # sorting this many is quicker than counting them into buckets


@dataclass(frozen=True, eq=False)
class _Steps:
    """Unsorted steps of all tasks, in integer units."""

    steps: F64  # (n_tasks, capacity)
    changes: I64
    n_steps: I64  # (n_tasks,)
    start: int
    low: float
    high: float

    def flat(self) -> tuple[F64, I64]:
        parts = [(self.steps[t, :n], self.changes[t, :n]) for t, n in enumerate(self.n_steps)]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


class MetricSweep:
    r"""A metric bound to judgments, ready to be swept along lines of scores.

    Along scores + mu * slopes the weighted mean of the metric over queries is a step function of mu; this class finds
    it exactly. Sums are kept in integers: a document's contribution is rounded once, to a multiple of a fixed unit
    (2^-52 for metrics up to 1), so that the sum does not depend on the order of steps, queries or threads, equal values
    are equal, and a maximum is not missed or split by rounding.

    Parameters
    ----------
    metric : TabularMetric or CascadeMetric
    judgments : Judgments
    query_weights : array, optional
        Weight of each query in the mean; equal when left out.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> judgments = Judgments.from_grades([1, 0], [0, 2])
    >>> sweep = MetricSweep(RR(), judgments)
    >>> function = sweep.step_function(np.array([0.0, 1.0]), np.array([1.0, 0.5]))
    >>> function.breakpoints, function.values
    (array([2.]), array([0.5, 1. ]))
    """

    def __init__(self, metric: Metric, judgments: Judgments, *, query_weights: F64 | None = None) -> None:
        if isinstance(metric, TabularMetric):
            tables = metric.tables(judgments)
            self._gain, self._prefix, self._cascade = tables.gain, tables.prefix, False
        elif isinstance(metric, CascadeMetric):
            stops = metric.cascade(judgments)
            self._gain, self._prefix, self._cascade = stops.stop, np.ones(1), True
            tables = stops  # type: ignore[assignment]
        else:
            raise IncompatibleError(
                f"{metric} has no tables, so a line cannot be swept exactly; use a tabular metric "
                "(rankmax.metrics.from_tables makes one) or a line search that rescores"
            )
        weights = np.ones(judgments.n_queries) if query_weights is None else np.asarray(query_weights, np.float64)
        if weights.shape != (judgments.n_queries,) or not (np.isfinite(weights) & (weights >= 0)).all():
            raise InvalidDataError(f"query weights must be {judgments.n_queries} numbers from 0")
        counted = ~np.isnan(tables.offset)
        weights = np.where(counted, weights, 0.0)
        if weights.sum() == 0:
            raise InvalidDataError(f"no query counts for {metric}: none has a relevant document and a weight")
        weights = weights / weights.sum()
        self._judgments = judgments
        self._discount = tables.discount
        self._cutoff = np.ascontiguousarray(tables.cutoff)
        self._offset = float((weights * np.where(counted, tables.offset, 0.0)).sum())
        scaled = np.where(counted, tables.norm, 0.0) * weights
        self._scale = _units_in_one(scaled, self._gain, self._discount, self._prefix)
        self._unit = scaled * self._scale
        self._tasks = balanced_tasks(judgments.documents_by_query, _TASKS)
        self._capacity = 1024

    def step_function(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the metric along scores + mu * slopes, for low < mu < high.

        Breakpoints are where the value of some query changes, even if others make up for it: inside an interval no
        query's value depends on mu.

        Parameters
        ----------
        scores, slopes : arrays, shape (n_documents,)
        low, high : float
            low <= 0 <= high, possibly infinite.
        """
        found = self._sweep(scores, slopes, low, high)
        return self._assemble(*found.flat(), found.start, low, high)

    def best(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Return the widest interval on which the metric is largest; like ``step_function(...).best()``, but faster.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        """
        return next(self.peaks(scores, slopes, low=low, high=high))

    def peaks(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Iterator[Interval]:
        """Yield the best interval, then others to fall back on, best first.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        """
        found = self._sweep(scores, slopes, low, high)
        by_buckets = found.n_steps.sum() > _FEW_STEPS
        if by_buckets:
            yield self._best_by_buckets(found)
        whole = self._assemble(*found.flat(), found.start, low, high)
        best = whole.best()
        if not by_buckets:
            yield best
        edges = whole.edges
        order = np.lexsort((-(edges[1:] - edges[:-1]), -whole.values))
        for i in order:
            interval = Interval(float(edges[i]), float(edges[i + 1]), float(whole.values[i]))
            if interval != best and not interval.is_narrow:
                yield interval

    def _sweep(self, scores: F64, slopes: F64, low: float, high: float) -> _Steps:
        from rankmax.kernels.sweep import sweep_line

        if not low <= 0.0 <= high:
            raise InvalidDataError(f"the line's interval ({low}, {high}) must hold 0")
        n_tasks = self._tasks.size - 1
        while True:
            steps = np.empty((n_tasks, self._capacity))
            changes = np.empty((n_tasks, self._capacity), np.int64)
            n_steps = np.empty(n_tasks, np.int64)
            starts = np.empty(n_tasks, np.int64)
            sweep_line(
                np.ascontiguousarray(scores, np.float64),
                np.ascontiguousarray(slopes, np.float64),
                self._judgments.query_offsets,
                self._judgments.document_levels,
                self._tasks,
                float(low),
                float(high),
                self._gain,
                self._discount,
                self._prefix,
                self._unit,
                self._cutoff,
                self._cascade,
                steps,
                changes,
                n_steps,
                starts,
            )
            if (n_steps >= 0).all():
                return _Steps(steps, changes, n_steps, int(starts.sum()), low, high)
            self._capacity *= 4

    def _value(self, units: I64 | int) -> F64:
        return np.asarray(units) / self._scale + self._offset

    def _assemble(self, steps: F64, changes: I64, start: int, low: float, high: float) -> StepFunction:
        order = np.argsort(steps, kind="stable")
        points, first = np.unique(steps[order], return_index=True)
        running = np.concatenate([[0], np.cumsum(changes[order])])
        after = running[np.append(first[1:], running.size - 1)] if points.size else running[:0]
        return StepFunction(points, self._value(start + np.concatenate([[0], after])), low, high)

    def _best_by_buckets(self, found: _Steps) -> Interval:
        from rankmax.kernels.peaks import count_steps, gather_steps

        n_tasks = found.n_steps.size
        sums, rises = np.empty((n_tasks, _BUCKETS), np.int64), np.empty((n_tasks, _BUCKETS), np.int64)
        firsts, lasts = np.empty((n_tasks, _BUCKETS)), np.empty((n_tasks, _BUCKETS))
        busiest = int(np.argmax(found.n_steps))
        scale = float(np.median(np.abs(found.steps[busiest, : min(found.n_steps[busiest], 501)]))) or 1.0
        count_steps(found.steps, found.changes, found.n_steps, scale, sums, rises, firsts, lasts)
        rise, first, last = rises.sum(axis=0), firsts.min(axis=0), lasts.max(axis=0)
        border = found.start + np.concatenate([[0], np.cumsum(sums.sum(axis=0))])  # value entering each bucket
        filled = np.flatnonzero(first <= last)
        # The stretch before each filled bucket, and the one after the last.
        ends = np.append(first[filled], found.high)
        begins = np.concatenate([[found.low], last[filled]])
        values = np.append(border[filled], border[-1])
        intervals = _Widest()
        intervals.add(begins, ends, values)
        wanted = np.zeros(_BUCKETS, np.int64)
        wanted[filled] = border[filled] + rise[filled] >= intervals.value
        steps, changes = gather_steps(found.steps, found.changes, found.n_steps, scale, wanted, _BUCKETS)
        order = np.argsort(steps, kind="stable")
        steps, changes = steps[order], changes[order]
        # Between the steps of one bucket; at a bucket's first step the running sum restarts from its border.
        bounds = np.flatnonzero(wanted)
        starts = np.searchsorted(steps, first[bounds], side="left")
        running = np.cumsum(changes)
        for bucket, begin, end in zip(bounds, starts, np.append(starts[1:], steps.size), strict=True):
            here = border[bucket] + running[begin:end] - (running[begin - 1] if begin else 0)
            intervals.add(steps[begin : end - 1], steps[begin + 1 : end], here[:-1])
        return Interval(intervals.low, intervals.high, float(self._value(intervals.value)))


class _Widest:
    """The widest of the best intervals seen so far."""

    def __init__(self) -> None:
        self.value = np.iinfo(np.int64).min
        self.low = self.high = 0.0

    def add(self, low: F64, high: F64, value: I64) -> None:
        width = high - low
        roomy = np.flatnonzero(has_room(low, high))
        if not roomy.size:
            return
        best = int(value[roomy].max())
        if best < self.value:
            return
        top = roomy[value[roomy] == best]
        widest = top[np.argmax(width[top])]
        if best > self.value or width[widest] > self.high - self.low:
            self.value, self.low, self.high = best, float(low[widest]), float(high[widest])


def _units_in_one(norm: F64, gain: F64, discount: F64, prefix: F64) -> float:
    """Return a power of two such that the largest possible sum stays far below 2^63."""
    largest = np.abs(gain).max(initial=0.0) * np.abs(discount).sum() * np.abs(prefix).max(initial=1.0)
    bound = float(np.abs(norm).sum() * largest)
    return 2.0 ** min(52, 60 - math.ceil(math.log2(max(bound, 1.0))))
