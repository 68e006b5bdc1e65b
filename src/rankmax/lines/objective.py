"""A metric over a data set as a function of linear weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax.arrays import F64, I64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.exact_sums import exact_sum, rounded, rounded_rows
from rankmax.data.spread import spread_within_queries
from rankmax.errors import InvalidDataError
from rankmax.lines.base import Objective, Point, best_of_peaks
from rankmax.lines.golden_section import GoldenSection
from rankmax.lines.part import Part
from rankmax.lines.query_weights import require_some_weight
from rankmax.lines.rescoring import RescoringSweep
from rankmax.lines.sampling import InexactSearch, SampledLine
from rankmax.lines.search import LineSearch
from rankmax.lines.step_function import StepFunction
from rankmax.lines.sweep import MetricSweep
from rankmax.metrics.base import Metric, RankedListMetric

_T = TypeVar("_T")


class LinearObjective(Objective):
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

    data: RankingDataset

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
        self._part = Part(data, metric, query_weights)
        self._total_weight = exact_sum(self._part.query_weights)
        require_some_weight(self._total_weight, metric)
        self._line_search = self._bind(line_search)

    def _bind(self, search: InexactSearch | None) -> LineSearch:
        judgments, weights = self.data.judgments, self.query_weights
        if search is not None:
            return SampledLine(search, self._value, judgments.query_offsets)
        if isinstance(self.metric, RankedListMetric):
            otherwise = SampledLine(GoldenSection(), self._value, judgments.query_offsets)
            return RescoringSweep(self.metric, judgments, query_weights=weights, otherwise=otherwise)
        return MetricSweep(self.metric, judgments, query_weights=weights)

    @property
    def query_weights(self) -> F64:
        """Weight of each query in the mean; 0 where the metric leaves it out."""
        return self._part.query_weights

    @property
    def documents_by_part(self) -> tuple[int, ...]:
        """Number of documents of each part of the data: here there is one."""
        return (self.n_documents,)

    def over_parts(
        self,
        function: Callable[..., _T],
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Return what a function says of the data, which is one part."""
        return [function(self._part, *shared, *(() if each is None else each))]

    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return a number for each query as the only part."""
        return [values]

    @cached_property
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        return spread_within_queries(self.data)

    def sample(self, queries: I64) -> RankingDataset:
        """Return the data of some queries."""
        return self.data.select(queries)

    def at(self, weights: ArrayLike) -> Point:
        """Return the point of some weights, everything computed from them afresh.

        Parameters
        ----------
        weights : array-like, shape (n_features,)
        """
        w = np.array(weights, np.float64)
        if not np.isfinite(w).all():
            raise InvalidDataError("weights must be finite numbers")
        scores = self._part.scores(readonly(w))
        return Point(w, scores, self._value(scores))

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
        return rounded_rows(self._part.values(points)) / self._total_weight

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
        peaks = self._line_search.peaks(point.scores, self.slopes(step), low=low, high=high)
        return best_of_peaks(peaks, point, step, self.at)

    def slopes(self, direction: ArrayLike) -> F64:
        """Return how fast each document's score grows along a direction.

        Parameters
        ----------
        direction : array-like, shape (n_features,)
        """
        return self._part.slopes(np.asarray(direction, np.float64))

    def _value(self, scores: F64) -> float:
        return rounded(self._part.value(scores)) / self._total_weight
