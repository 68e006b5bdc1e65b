"""A metric over a data set as a function of linear weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.lines.golden_section import GoldenSection
from rankmax.lines.query_weights import weights_of_counted
from rankmax.lines.rescoring import RescoringSweep
from rankmax.lines.sampling import InexactSearch, SampledLine
from rankmax.lines.search import LineSearch
from rankmax.lines.step_function import Interval, StepFunction
from rankmax.lines.sweep import MetricSweep
from rankmax.metrics.base import Metric, RankedListMetric
from rankmax.metrics.evaluate import Evaluator

_SAME = 1e-9  # how far a recomputed value may be from the predicted one
_ATTEMPTS = 4  # intervals tried until the recomputed value is the predicted one
_VALUES_IN_A_BLOCK = 1 << 20  # of queries, at many points
_FRACTIONS = (0.5, 0.381966, 0.618034)  # where to stand in an interval: the middle, or beside it


@dataclass(frozen=True, eq=False)
class Point:
    """Weights with the scores they give and the objective's value.

    Attributes
    ----------
    weights : array, shape (n_features,)
    scores : array, shape (n_documents,)
    value : float
    """

    weights: F64
    scores: F64
    value: float


class LinearObjective:
    r"""The mean of a metric over queries when documents are ranked by w^T x.

    Parameters
    ----------
    data : RankingDataset
    metric : Metric
        Equal scores are ordered as in the data.
    query_weights : array-like, optional
        Weight of each query in the mean; equal when left out.
    line_search : InexactSearch, optional
        :class:`~rankmax.lines.golden_section.GoldenSection` or :class:`~rankmax.lines.fixed_steps.FixedSteps`. When
        left out, lines are searched exactly: by a :class:`~rankmax.lines.sweep.MetricSweep` where the metric has tables
        or is ERR, else by a :class:`~rankmax.lines.rescoring.RescoringSweep`, which leaves lines beyond its budget to a
        golden section.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
    >>> objective = LinearObjective(data, RR())
    >>> start = objective.at([1.0, 0.0])
    >>> start.value
    0.5
    >>> best = objective.climb(start, [0.0, 1.0])
    >>> best.weights, best.value
    (array([1., 4.]), 1.0)
    """

    def __init__(
        self,
        data: RankingDataset,
        metric: Metric,
        *,
        query_weights: ArrayLike | None = None,
        line_search: InexactSearch | None = None,
    ) -> None:
        self.data = data
        self.metric = metric
        self._evaluator = Evaluator([metric], data.judgments)
        counted = ~np.isnan(self._evaluator(np.zeros(data.n_documents))[0])
        self._left_out = np.flatnonzero(~counted)
        self._query_weights = weights_of_counted(query_weights, counted, metric)
        self._total_weight = self._query_weights.sum()
        self._line_search = self._bind(line_search)

    def _bind(self, search: InexactSearch | None) -> LineSearch:
        judgments, weights = self.data.judgments, self._query_weights
        if search is not None:
            return SampledLine(search, self._value, judgments.query_offsets)
        if isinstance(self.metric, RankedListMetric):
            otherwise = SampledLine(GoldenSection(), self._value, judgments.query_offsets)
            return RescoringSweep(self.metric, judgments, query_weights=weights, otherwise=otherwise)
        return MetricSweep(self.metric, judgments, query_weights=weights)

    @property
    def query_weights(self) -> F64:
        """Weight of each query in the mean; 0 where the metric leaves it out."""
        return self._query_weights

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return self.data.n_features

    def at(self, weights: ArrayLike) -> Point:
        """Return the point of some weights, everything computed from them afresh.

        Parameters
        ----------
        weights : array-like, shape (n_features,)
        """
        w = np.array(weights, np.float64)
        if not np.isfinite(w).all():
            raise InvalidDataError("weights must be finite numbers")
        scores = self._scores(w)
        return Point(readonly(w), scores, self._value(scores))

    def values(self, weights: ArrayLike) -> F64:
        """Return the value at each of many weights; the same bits as :meth:`at` gives one by one.

        Where features are dense and the metric has tables, several points are worked on at once.

        Parameters
        ----------
        weights : array-like, shape (n_points, n_features)

        Examples
        --------
        >>> from rankmax.metrics import RR
        >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
        >>> LinearObjective(data, RR()).values([[1.0, 0.0], [0.0, 1.0]])
        array([0.5, 1. ])
        """
        points = np.asarray(weights, np.float64)
        if points.ndim != 2 or points.shape[1] != self.n_features or not np.isfinite(points).all():
            raise InvalidDataError(f"weights must be rows of {self.n_features} finite numbers")
        if not isinstance(self.data.features, np.ndarray):
            return np.array([self._value(self._scores(w)) for w in points])
        found = []
        for first in range(0, len(points), block := max(1, _VALUES_IN_A_BLOCK // self.data.n_queries)):
            rows = self._evaluator.at_weights(self.data.features.T, points[first : first + block])
            found += [self._mean(row[0]) for row in rows]
        return np.array(found)

    def step_function(
        self, point: Point, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the objective along point + mu * direction, for low < mu < high.

        Parameters
        ----------
        point : Point
        direction : array-like, shape (n_features,)
        low, high : float
            low <= 0 <= high, possibly infinite.
        """
        return self._line_search.step_function(point.scores, self.slopes(direction), low=low, high=high)

    def climb(self, point: Point, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf) -> Point:
        """Return the best point on a line, in the middle of the widest best interval, or `point` if none is better.

        What is returned has been computed from its weights, and equals what the search predicted: where rounding breaks
        the prediction (the middle falls on a tie, or the interval is made of rounding) another place in the interval is
        tried, then the next best interval. (An inexact search takes the best of the places that it looked at.)

        Parameters
        ----------
        point, direction, low, high
            As in :meth:`step_function`.
        """
        step = np.asarray(direction, np.float64)
        best = point
        for interval in islice(self._line_search.peaks(point.scores, self.slopes(step), low=low, high=high), _ATTEMPTS):
            if interval.value <= best.value + _SAME:
                break
            for fraction in _FRACTIONS:
                moved = self.at(point.weights + _place(interval, fraction) * step)
                if moved.value > best.value:
                    best = moved
                if abs(moved.value - interval.value) <= _SAME:
                    return moved
        return best

    def slopes(self, direction: ArrayLike) -> F64:
        """Return how fast each document's score grows along a direction.

        Parameters
        ----------
        direction : array-like, shape (n_features,)
        """
        step = np.asarray(direction, np.float64)
        moving = np.flatnonzero(step)
        if moving.size == 1:
            column: F64 = step[moving[0]] * self.data.column(int(moving[0]))
            return column
        return self._scores(step)

    def _scores(self, weights: F64) -> F64:
        """Return the same bits as ``data.scores``, several times sooner where features are dense."""
        if not isinstance(self.data.features, np.ndarray) or weights.shape != (self.n_features,):
            return self.data.scores(weights)
        from rankmax.kernels.linear import times_weights

        scores = np.empty(self.data.n_documents)
        times_weights(self.data.features.T, weights, scores)
        return scores

    def _value(self, scores: F64) -> float:
        return self._mean(self._evaluator(scores)[0])

    def _mean(self, values: F64) -> float:
        values[self._left_out] = 0.0
        mean = float((values * self._query_weights).sum() / self._total_weight)
        if math.isnan(mean):
            query = self.data.query_ids[int(np.flatnonzero(np.isnan(values))[0])]
            raise InvalidDataError(
                f"{self.metric} is NaN for some ranking of query {query!r}; return a number, "
                "or leave queries out by no_relevant='skip'"
            )
        return mean


def _place(interval: Interval, fraction: float) -> float:
    if math.isfinite(interval.width):
        return interval.low + fraction * interval.width
    return interval.middle * (0.5 + fraction)
