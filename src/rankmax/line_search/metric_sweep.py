"""Exact sweep of a metric along a line: its steps and its maximum."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64, I32, I64, Bool, for_kernels
from rankmax.data.judgments import Judgments, balanced_tasks
from rankmax.errors import InvalidDataError
from rankmax.line_search.gain_classes import GainClasses
from rankmax.line_search.query_weights import require_query_weights, require_some_weight
from rankmax.line_search.smoothed_line import SmoothedPeak, SmoothedSums, Smoothing, smoothed_peak, smoothed_values
from rankmax.line_search.step_function import Interval, StepFunction
from rankmax.line_search.sweep_facts import SweepFacts, sweep_tables
from rankmax.metrics.metric import CascadeMetric, Metric

if TYPE_CHECKING:
    from rankmax._kernels.lines.swept_query import SweptMetric

_MOST_TASKS = 32
_DOCUMENTS_OF_A_TASK = 1024  # minimum
N_BUCKETS = 2048
"""Number of buckets of mu that the steps of a line are counted into."""
_STEPS_OF_A_GROUP = 65_536  # counted into buckets by one thread
_QUERIES_OF_A_BLOCK = 64  # queries whose steps are kept separately at once
_WORTH_THREADS = 1 << 16  # documents: with fewer, waking threads costs more than they save on a busy machine


@dataclass(frozen=True, eq=False)
class _Steps:
    """Unsorted steps of all tasks, in integer units."""

    steps: F64  # (n_tasks, capacity)
    changes: I64
    n_steps: I64  # (n_tasks,)
    starts: I64  # (n_tasks,) sums just to the right of low
    low: float
    high: float

    @property
    def start(self) -> int:
        """The sum just to the right of low."""
        return int(self.starts.sum())

    @property
    def end_to_end(self) -> tuple[F64, I64]:
        """The steps and changes of all tasks, concatenated."""
        used = list(enumerate(self.n_steps))
        return (
            np.concatenate([self.steps[task, :n] for task, n in used]),
            np.concatenate([self.changes[task, :n] for task, n in used]),
        )


@dataclass(frozen=True, eq=False)
class BucketSums:
    """The steps of a line, counted into buckets of mu.

    Attributes
    ----------
    start : int
        The sum just to the right of the line's lower end, in units.
    sums : array of int64, shape (n_buckets, 2)
        Sums of the changes in each bucket, and of the increases among them.
    typical_step : float
        Approximate median of abs(mu).
    n_steps : int
    """

    start: int
    sums: I64
    typical_step: float
    n_steps: int


class MetricSweep:
    r"""A metric bound to judgments, ready to be swept along lines of scores.

    Along scores + mu * slopes the weighted mean of the metric over queries is a step function of mu; this class finds
    it exactly. Sums are kept in integers: a document's contribution is rounded once, to a multiple of a fixed unit
    (2^-52 for metrics up to 1), so that the sum does not depend on the order of steps, queries or threads, equal values
    are equal, and a maximum is not missed or split by rounding.

    It keeps its buffers from one line to the next, so one object serves one thread at a time.

    Parameters
    ----------
    metric : TabularMetric or CascadeMetric
    judgments : Judgments
    query_weights : array, optional
        Weight of each query in the mean; by default equal.
    facts : SweepFacts, optional
        Facts about all queries, if these are only a part of them.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> judgments = Judgments.from_grades([1, 0], [0, 2])
    >>> sweep = MetricSweep(RR(), judgments)
    >>> function = sweep.step_function(np.array([0.0, 1.0]), np.array([1.0, 0.5]))
    >>> function.breakpoints, function.values
    (array([2.]), array([0.5, 1. ]))
    """

    def __init__(
        self,
        metric: Metric,
        judgments: Judgments,
        *,
        query_weights: F64 | None = None,
        facts: SweepFacts | None = None,
    ) -> None:
        self._gain, self._prefix, tables = sweep_tables(metric, judgments)
        self._cascade = isinstance(metric, CascadeMetric)
        weights = require_query_weights(query_weights, judgments.n_queries)
        self._facts = facts = facts or SweepFacts.of(metric, judgments, weights)
        require_some_weight(facts.total_weight, metric)
        counted = ~np.isnan(tables.offset)
        weights = np.where(counted, weights, 0.0) / facts.total_weight
        self._judgments = judgments
        self._discount = tables.discount
        self._cutoff = np.ascontiguousarray(tables.cutoff)
        self._weights, self._offsets = weights, tables.offset
        self._unit = np.where(counted, tables.norm, 0.0) * weights * facts.units_in_one
        n_tasks = min(_MOST_TASKS, 1 + judgments.n_documents // _DOCUMENTS_OF_A_TASK)
        self._tasks = balanced_tasks(judgments.documents_by_query, n_tasks)
        self._classes = GainClasses.of(
            judgments, self._gain, facts.gains, self._prefix, self._cutoff, cascade=self._cascade
        )
        self._capacity = 1024
        self._make_room(n_tasks, self._capacity)

    def step_function(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the metric along scores + mu * slopes, for low < mu < high.

        Breakpoints are the points where the value of some query changes, even if changes of others cancel it: inside
        an interval no query's value depends on mu.

        Parameters
        ----------
        scores, slopes : arrays, shape (n_documents,)
            Scores at mu = 0, and their rates of change.
        low, high : float
            Ends of the interval, with low <= 0 <= high; they may be infinite.
        """
        return self._assemble(self._sweep(scores, slopes, low, high))

    def values_by_query(
        self, scores: F64, slopes: F64, places: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> F64:
        """Return the metric of each query at many points of a line, ranking each query's documents only once.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        places : array, shape (n_places,)
            Values of mu, ascending, between low and high. At a breakpoint, the value to its right is returned.

        Returns
        -------
        array, shape (n_places, n_queries)
            NaN for queries of weight 0.

        Examples
        --------
        >>> from rankmax.metrics import RR
        >>> sweep = MetricSweep(RR(), Judgments.from_grades([1, 0, 1, 0], [0, 2, 4]))
        >>> sweep.values_by_query(np.array([0.0, 1.0, 0.0, 3.0]), np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.0, 2.0]))
        array([[0.5, 0.5],
               [1. , 0.5]])
        """
        n_queries = self._judgments.n_queries
        units = np.zeros((places.size + 1, n_queries), np.int64)  # changes before each point, and after the last
        starts = np.empty(n_queries, np.int64)
        for first in range(0, n_queries, _QUERIES_OF_A_BLOCK):
            tasks = np.arange(first, min(first + _QUERIES_OF_A_BLOCK, n_queries) + 1)
            found = self._sweep(scores, slopes, low, high, tasks)
            starts[tasks[:-1]] = found.starts
            steps, changes = found.end_to_end
            np.add.at(units, (np.searchsorted(places, steps), np.repeat(tasks[:-1], found.n_steps)), changes)
        weights = np.where(self._weights != 0, self._weights, np.nan)
        values: F64 = (starts + np.cumsum(units[:-1], axis=0)) / self._facts.units_in_one / weights + self._offsets
        return values

    def best(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Return the widest interval on which the metric is largest; like ``step_function(...).best()``, but faster.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        """
        from rankmax._kernels.lines.peaks import candidates

        found = self._sweep(scores, slopes, low, high)
        sums = self._count(found, None)[0]
        steps, units, bound = candidates(found.steps, found.changes, found.n_steps, self._buckets, sums, found.start)
        best = StepFunction(steps, self._facts.value(units), low, high).best()
        if best.is_narrow or best.value < self._facts.value(bound):  # the intervals that seemed best are rounding
            return self._assemble(found).best()
        return best

    def peaks(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Iterator[Interval]:
        """Yield the best interval, then others to fall back on, best first.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        """
        best = self.best(scores, slopes, low=low, high=high)
        yield best
        whole = self.step_function(scores, slopes, low=low, high=high)
        edges = whole.edges
        order = np.lexsort((-(edges[1:] - edges[:-1]), -whole.values))
        for i in order:
            interval = Interval(float(edges[i]), float(edges[i + 1]), float(whole.values[i]))
            if interval != best and not interval.is_narrow:
                yield interval

    def count(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf, size: float | None = None
    ) -> BucketSums:
        """Return the sums of steps in buckets of mu, which bound the metric in each of them.

        Buckets depend only on `size`, so those of several parts of the data add up.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        size : float, optional
            Value of abs(mu) within which half of the buckets are; by default that of a typical step.
        """
        self._found = self._sweep(scores, slopes, low, high)
        sums, typical = self._count(self._found, size)
        return BucketSums(self._found.start, sums.sum(axis=0), typical, int(self._found.n_steps.sum()))

    def smoothed_peak(
        self, scores: F64, slopes: F64, smoothing: Smoothing, *, low: float = -math.inf, high: float = math.inf
    ) -> SmoothedPeak:
        """Return the maximum of the smoothed metric; like ``step_function(...).smoothed(...).best()``, but faster.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`; steps beyond the ends are not made.
        smoothing : Smoothing
        """
        sums = self.smoothed_sums(scores, slopes, smoothing, low=low, high=high)
        return smoothed_peak(self._facts.value(smoothed_values(sums, smoothing)), smoothing, low, high)

    def smoothed_sums(
        self, scores: F64, slopes: F64, smoothing: Smoothing, *, low: float = -math.inf, high: float = math.inf
    ) -> SmoothedSums:
        """Return the sums of steps that determine the smoothed metric; those of parts of the data add up.

        Parameters
        ----------
        scores, slopes, smoothing, low, high
            As in :meth:`smoothed_peak`.
        """
        from rankmax._kernels.lines.step_moments import count_moments
        from rankmax._kernels.threads import in_threads

        found = self._sweep(scores, slopes, low, high)
        n_groups = self._n_groups(found)
        before, moments = SmoothedSums.room(n_groups, smoothing)
        grid = (smoothing.low, smoothing.cell)
        in_threads(
            count_moments, range(n_groups + 1), found.steps, found.changes, found.n_steps, *grid, before, moments
        )
        return SmoothedSums(found.start + int(before.sum()), moments.sum(axis=0))

    def within(self, buckets: Bool) -> tuple[F64, I64, I32]:
        """Return the steps of the last counted line that are in some of its buckets, unsorted.

        Parameters
        ----------
        buckets : array of bool, shape (n_buckets,)

        Returns
        -------
        steps, changes, buckets : arrays, shape (n_steps,)
            Values of mu, changes of the sum in units, and the bucket of each step.
        """
        rows = [slice(int(n)) for n in self._found.n_steps]
        chosen = [buckets[self._buckets[task, row]] for task, row in enumerate(rows)]
        steps, changes, places = (
            np.concatenate([array[task, row][chosen[task]] for task, row in enumerate(rows)])
            for array in (self._found.steps, self._found.changes, self._buckets)
        )
        return steps, changes, places

    def give_back(self) -> None:
        """Return the buffers for reuse by the next line."""
        capacity = self._capacity
        self._make_room(0, 0)
        self._capacity = capacity

    def _count(self, found: _Steps, size: float | None) -> tuple[I64, float]:
        """Return the sums of groups of steps, shape (n_groups, n_buckets, 2), and the size of a typical step."""
        from rankmax._kernels.lines.peaks import count_steps, typical_step
        from rankmax._kernels.threads import in_threads

        n_groups = self._n_groups(found)
        sums = np.empty((n_groups, N_BUCKETS, 2), np.int64)
        typical = typical_step(found.steps, found.n_steps)
        groups = range(n_groups + 1)
        width = typical if size is None else size
        in_threads(count_steps, groups, found.steps, found.changes, found.n_steps, width, self._buckets, sums)
        return sums, typical

    @staticmethod
    def _n_groups(found: _Steps) -> int:
        return min(found.n_steps.size, 1 + int(found.n_steps.sum()) // _STEPS_OF_A_GROUP)

    def _make_room(self, n_tasks: int, capacity: int) -> None:
        shape = (n_tasks, capacity)
        self._capacity = capacity
        self._steps, self._changes = np.empty(shape), np.empty(shape, np.int64)
        self._buckets = np.empty(shape, np.int32)

    def _sweep(self, scores: F64, slopes: F64, low: float, high: float, tasks: I64 | None = None) -> _Steps:
        from rankmax._kernels.lines.sweep import sweep_tasks
        from rankmax._kernels.lines.swept_query import Line, TaskSteps
        from rankmax._kernels.threads import in_threads, stretches

        if not low <= 0.0 <= high:
            raise InvalidDataError(f"the line's interval ({low}, {high}) must contain 0")
        threads = self._judgments.n_documents >= _WORTH_THREADS
        borders = range(self._tasks.size) if tasks is None else stretches(tasks.size - 1, threads=threads)
        tasks = self._tasks if tasks is None else tasks
        if tasks.size - 1 > len(self._steps):
            self._make_room(tasks.size - 1, self._capacity)
        n_steps = np.empty(tasks.size - 1, np.int64)
        starts = np.empty_like(n_steps)
        line = Line(for_kernels(scores), for_kernels(slopes), float(low), float(high))
        while True:
            room = TaskSteps(self._steps, self._changes, n_steps, starts)
            in_threads(sweep_tasks, borders, tasks, line, self._swept_metric, room)
            if (n_steps >= 0).all():
                return _Steps(self._steps, self._changes, n_steps, starts, low, high)
            self._make_room(len(self._steps), 4 * self._steps.shape[1])

    @cached_property
    def _swept_metric(self) -> SweptMetric:
        from rankmax._kernels.lines.swept_query import SweptMetric

        return SweptMetric(
            query_offsets=self._judgments.query_offsets,
            document_levels=self._judgments.document_levels,
            gain=self._gain,
            discount=self._discount,
            prefix=self._prefix,
            unit=self._unit,
            cutoff=self._cutoff,
            stop=float(self._cascade),
            by_class=self._classes.documents,
            class_starts=self._classes.starts,
            rises=self._classes.rises,
            pairs=self._classes.pairs,
        )

    def _assemble(self, found: _Steps) -> StepFunction:
        steps, changes = found.end_to_end
        order = np.argsort(steps, kind="stable")
        points, first = np.unique(steps[order], return_index=True)
        running = np.concatenate([[0], np.cumsum(changes[order])])
        after = running[np.append(first[1:], running.size - 1)] if points.size else running[:0]
        return StepFunction(
            points, self._facts.value(found.start + np.concatenate([[0], after])), found.low, found.high
        )
