"""A metric over distributed data, as a function of linear weights."""

from __future__ import annotations

import math
import operator
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import F64, I64, readonly
from rankmax._numerics.exact_sums import rounded, rounded_rows
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.distributed_lines import CountedLine, Line, counted, facts_of, smoothed_sums_of
from rankmax.backends.partition import HeldPart
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.line_search.line_search import require_start_inside
from rankmax.line_search.objective import Objective, ScoredPoint, best_of_peaks
from rankmax.line_search.query_subset import Part
from rankmax.line_search.query_weights import require_query_weights, require_some_weight
from rankmax.line_search.smoothed_line import Smoothing, smoothed_peak, smoothed_values
from rankmax.line_search.sweep_facts import SweepFacts
from rankmax.metrics.metric import CascadeMetric, Metric, TabularMetric
from rankmax.spaces.parameter_space import Line as FeasibleLine

_WORTH_JOINING = 0.3  # seconds: where a line takes longer, the latency of the workers hardly counts
_MOST_JOINED = 16  # lines in one round
_FAR_OFF = 8.0  # times the typical step: buckets of another size say little, so the line is counted again

_T = TypeVar("_T")


class DistributedObjective(Objective):
    """The mean of a metric over distributed queries.

    It gives the same bits as :class:`~rankmax.line_search.linear_objective.LinearObjective` on the joined shards,
    however the data is split and distributed: sums over queries are exact (_numerics/digit_sums.py), those along a line
    are integers, and each part gets the facts that it needs about all others (grades, gains, total weight).

    A line search takes two rounds, or one if nothing can be gained: see :mod:`rankmax.backends.line_buckets`. Where
    line searches are short, several expected ones share a round.

    Parameters
    ----------
    data : DistributedDataset
    metric : TabularMetric or CascadeMetric
    query_weights : array-like, optional
        Weight of each query in the mean; equal by default.
    """

    data: DistributedDataset

    def __init__(self, data: DistributedDataset, metric: Metric, *, query_weights: ArrayLike | None = None) -> None:
        if not isinstance(metric, TabularMetric | CascadeMetric):
            raise IncompatibleError(
                f"{metric} is not tabular, so a backend cannot do its line searches; use a tabular metric "
                "(rankmax.metrics.from_tables makes one), or train without a backend"
            )
        self.data = data
        self.metric = metric
        weights = None
        if query_weights is not None:
            weights = data.by_part(require_query_weights(query_weights, data.n_queries))
        self._parts = data.backend.hold(HeldPart, data.partitions, metric, data.levels, each=weights)
        self._facts = SweepFacts.of_all(self.over_parts(facts_of))
        require_some_weight(self._facts.total_weight, metric)
        self._sizes: dict[bytes, float] = {}
        self._last_size = 1.0
        self._ahead: deque[F64] = deque()
        self._feasible: Callable[[F64, F64], FeasibleLine] | None = None
        self._n_joined = 1
        self._counted: dict[tuple[Any, ...], CountedLine] = {}

    @property
    def documents_by_part(self) -> tuple[int, ...]:
        """Number of documents of each shard."""
        return self.data.documents_by_part

    @property
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        return self.data.feature_spread

    def over_parts(
        self,
        function: Callable[..., _T],
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Return the results of a function for the parts, called and combined on the workers that hold them."""
        return self.data.backend.map(function, self._parts, *shared, each=each, combine=combine)

    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return per-query numbers, split by part."""
        return self.data.by_part(values)

    def sample(self, queries: I64) -> RankingDataset:
        """Return the data of some queries as local data."""
        return self.data.select(queries)

    def at(self, weights: ArrayLike) -> ScoredPoint:
        """Return the point of some weights; its scores stay on the workers."""
        w = readonly(np.array(weights, np.float64))
        if w.shape != (self.n_features,) or not np.isfinite(w).all():
            raise InvalidDataError(f"weights must be {self.n_features} finite numbers")
        digits = np.sum(self.over_parts(_value, w, combine=np.add), axis=0)
        return ScoredPoint(w, np.empty(0), rounded(digits) / self._facts.total_weight)

    def values(self, weights: ArrayLike) -> F64:
        """Return the value at each of many weights."""
        points = np.asarray(weights, np.float64)
        if points.ndim != 2 or points.shape[1] != self.n_features or not np.isfinite(points).all():
            raise InvalidDataError(f"weights must be rows of {self.n_features} finite numbers")
        return rounded_rows(np.sum(self.over_parts(_values, points, combine=np.add), axis=0)) / self._facts.total_weight

    def line_search(
        self, point: ScoredPoint, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf
    ) -> ScoredPoint:
        """Return the best point on a line, in the middle of the widest best interval, or `point` if none is better."""
        require_start_inside(low, high)
        step = np.asarray(direction, np.float64)
        line = self._count(point, step, low, high)
        if line.bound <= point.value + SAME_VALUE:
            self._n_joined = min(_MOST_JOINED, 2 * self._n_joined)
            return point
        found = best_of_peaks(line.peaks(point.value + SAME_VALUE), point, step, self.at)
        self._n_joined = 1 if found is not point else min(_MOST_JOINED, 2 * self._n_joined)
        return found

    def smoothed_search(
        self,
        point: ScoredPoint,
        direction: ArrayLike,
        smoothing: Smoothing,
        *,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> tuple[ScoredPoint, float]:
        """Return the point on a line with the highest smoothed value, and the gain in it over `point`."""
        require_start_inside(low, high)
        step = np.asarray(direction, np.float64)
        line = Line(point.weights, step, low, high, smoothing.width)
        parts = self.over_parts(smoothed_sums_of, self._facts, line, smoothing, combine=operator.add)
        values = self._facts.value(smoothed_values(reduce(operator.add, parts), smoothing))
        peak = smoothed_peak(values, smoothing, low, high)
        return (self.at(point.weights + peak.place * step), peak.gain) if peak.gain > 0 else (point, 0.0)

    def expect(self, directions: F64, line: Callable[[F64, F64], FeasibleLine]) -> None:
        """Announce the directions of the next line searches, so that several can be counted in one round."""
        self._ahead, self._feasible = deque(directions), line

    def _count(self, point: ScoredPoint, step: F64, low: float, high: float) -> CountedLine:
        """Return a line with its sums, counted together with others that are expected from the same point."""
        key = (point.weights.tobytes(), step.tobytes(), low, high)
        self._skip_to(point, step)
        if key not in self._counted:
            lines = [self._line(point, step, low, high), *self._expected(point)]
            began = time.monotonic()
            found = counted(self.over_parts, self._facts, lines)
            if time.monotonic() - began > _WORTH_JOINING * len(lines):
                self._n_joined = 1
            self._counted = {_key(line.line): self._sized(line, typical) for line, typical in found}
        return self._recounted(self._counted[key], point)

    def _sized(self, line: CountedLine, typical: float) -> CountedLine:
        self._sizes[line.line.direction.tobytes()] = self._last_size = typical
        return line

    def _recounted(self, line: CountedLine, point: ScoredPoint) -> CountedLine:
        """Return the line counted again in better buckets, where the first were unsuitable and a gain is possible."""
        typical = self._sizes[line.line.direction.tobytes()]
        unfit = not 1 / _FAR_OFF <= line.line.size / typical <= _FAR_OFF
        if line.bound <= point.value + SAME_VALUE or not unfit:
            return line
        ((again, _),) = counted(self.over_parts, self._facts, [replace(line.line, size=typical)])
        return again

    def _line(self, point: ScoredPoint, step: F64, low: float, high: float) -> Line:
        return Line(point.weights, step, low, high, self._sizes.get(step.tobytes(), self._last_size))

    def _skip_to(self, point: ScoredPoint, step: F64) -> None:
        """Discard the expected directions up to a given one; all of them, where that one was not expected."""
        while self._ahead and self._feasible is not None:
            if np.array_equal(self._feasible(point.weights, self._ahead.popleft()).direction, step):
                return

    def _expected(self, point: ScoredPoint) -> list[Line]:
        if self._feasible is None:
            return []
        next_ones = [self._feasible(point.weights, d) for d in list(self._ahead)[: self._n_joined - 1]]
        return [self._line(point, line.direction, line.low, line.high) for line in next_ones]


def _key(line: Line) -> tuple[Any, ...]:
    return line.weights.tobytes(), line.direction.tobytes(), line.low, line.high


def _value(part: Part, weights: F64) -> I64:
    return part.value(part.scores(weights))


def _values(part: Part, points: F64) -> I64:
    return part.values(points)
