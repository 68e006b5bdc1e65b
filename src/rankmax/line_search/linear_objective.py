"""A metric over local data as a function of linear weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import F64, I64, readonly
from rankmax._numerics.exact_sums import exact_sum, rounded, rounded_rows
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.judgments import Judgments
from rankmax.data.mixed_judgments import MixedJudgments, separated
from rankmax.errors import InvalidDataError
from rankmax.line_search.golden_section import GoldenSection
from rankmax.line_search.line_search import LineSearch
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.line_search.objective import Objective, ScoredPoint, best_of_peaks
from rankmax.line_search.query_subset import Part
from rankmax.line_search.query_weights import require_some_weight
from rankmax.line_search.rescored_line import RescoringSweep
from rankmax.line_search.sampling import InexactSearch, SampledLine
from rankmax.line_search.smoothed_line import Smoothing
from rankmax.line_search.step_function import StepFunction
from rankmax.metrics.metric import Metric, RankedListMetric

_T = TypeVar("_T")


class LinearObjective(Objective):
    r"""The mean of a metric over queries when documents are ranked by w^T x.

    Parameters
    ----------
    data : RankingDataset
        With :class:`~rankmax.data.mixed_judgments.MixedJudgments`, queries are repeated by source.
    metric : Metric
        Metric to maximize; documents with equal scores keep the order of the data.
    query_weights : array-like, optional
        Weight of each query in the mean; by default equal.
    line_search : InexactSearch, optional
        :class:`~rankmax.line_search.golden_section.GoldenSection` or
        :class:`~rankmax.line_search.fixed_steps.FixedSteps`. By default the line search is exact: a
        :class:`~rankmax.line_search.metric_sweep.MetricSweep` if the metric has tables or is ERR, otherwise a
        :class:`~rankmax.line_search.rescored_line.RescoringSweep`, which leaves lines beyond its budget to a golden
        section.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
    >>> objective = LinearObjective(data, RR())
    >>> start = objective.at([1.0, 0.0])
    >>> start.value
    0.5
    >>> best = objective.line_search(start, [0.0, 1.0])
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
        if isinstance(data.judgments, MixedJudgments):
            data, query_weights = separated(data, query_weights)
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
        return exact_search(self.metric, judgments, weights, self._value)

    @property
    def query_weights(self) -> F64:
        """Weight of each query in the mean; 0 for queries that the metric leaves out."""
        return self._part.query_weights

    @property
    def documents_by_part(self) -> tuple[int, ...]:
        """Number of documents of each part of the data; local data is one part."""
        return (self.n_documents,)

    def over_parts(
        self,
        function: Callable[..., _T],
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Return the function's result for the data, which is one part."""
        return [function(self._part, *shared, *(() if each is None else each))]

    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the values by query, as the only part."""
        return [values]

    @cached_property
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        return spread_within_queries(self.data)

    def sample(self, queries: I64) -> RankingDataset:
        """Return the data of some queries."""
        return self.data.select(queries)

    def at(self, weights: ArrayLike) -> ScoredPoint:
        """Return the point of given weights, with everything computed from them.

        Parameters
        ----------
        weights : array-like, shape (n_features,)
        """
        w = np.array(weights, np.float64)
        if not np.isfinite(w).all():
            raise InvalidDataError("weights must be finite numbers")
        scores = self._part.scores(readonly(w))
        return ScoredPoint(w, scores, self._value(scores))

    def values(self, weights: ArrayLike) -> F64:
        """Return the value at each of many weights; the same bits as :meth:`at` gives one by one.

        Where features are dense and the metric has tables, several points are evaluated in parallel.

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
        self, point: ScoredPoint, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the objective along point + mu * direction, for low < mu < high.

        Parameters
        ----------
        point : ScoredPoint
        direction : array-like, shape (n_features,)
        low, high : float
            Ends of the interval, with low <= 0 <= high; they may be infinite.
        """
        return self._line_search.step_function(point.scores, self.slopes(direction), low=low, high=high)

    def line_search(
        self, point: ScoredPoint, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf
    ) -> ScoredPoint:
        """Return the best point on a line, in the middle of the widest best interval, or `point` if none is better.

        The returned point is computed from its weights, and its value equals the search's prediction: where rounding
        breaks the prediction (the middle falls on a tie, or rounding made the interval), another point of the interval
        is tried, then the next best interval. (An inexact search returns the best of the points it evaluated.)

        Parameters
        ----------
        point, direction, low, high
            As in :meth:`step_function`.
        """
        step = np.asarray(direction, np.float64)
        peaks = self._line_search.peaks(point.scores, self.slopes(step), low=low, high=high)
        return best_of_peaks(peaks, point, step, self.at)

    def smoothed_search(
        self,
        point: ScoredPoint,
        direction: ArrayLike,
        smoothing: Smoothing,
        *,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> tuple[ScoredPoint, float]:
        """Return the point on a line with the highest smoothed value, and the gain in it over `point`.

        A line whose steps are not all known, as they are beyond the budget of a
        :class:`~rankmax.line_search.rescored_line.RescoringSweep` or the search is inexact, is searched without
        smoothing.

        Parameters
        ----------
        point, direction, low, high
            As in :meth:`step_function`.
        smoothing : Smoothing
        """
        step = np.asarray(direction, np.float64)
        peak = self._line_search.smoothed_peak(point.scores, self.slopes(step), smoothing, low=low, high=high)
        return (self.at(point.weights + peak.place * step), peak.gain) if peak.gain > 0 else (point, 0.0)

    def slopes(self, direction: ArrayLike) -> F64:
        """Return the rate at which each document's score grows along a direction.

        Parameters
        ----------
        direction : array-like, shape (n_features,)
        """
        return self._part.slopes(np.asarray(direction, np.float64))

    def _value(self, scores: F64) -> float:
        return rounded(self._part.value(scores)) / self._total_weight


def exact_search(metric: Metric, judgments: Judgments, query_weights: F64, value: Callable[[F64], float]) -> LineSearch:
    """Return the exact line search for a metric; one that has to score lists again leaves long lines to a section.

    Parameters
    ----------
    metric : Metric
    judgments : Judgments
    query_weights : array of float64, shape (n_queries,)
    value : callable
        Returns the weighted mean of the metric for given scores.
    """
    if isinstance(metric, RankedListMetric):
        otherwise = SampledLine(GoldenSection(), value, judgments.query_offsets)
        return RescoringSweep(metric, judgments, query_weights=query_weights, otherwise=otherwise)
    return MetricSweep(metric, judgments, query_weights=query_weights)
