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
from rankmax.lines.step_function import Interval, StepFunction
from rankmax.lines.sweep import MetricSweep
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import Evaluator

_SAME = 1e-9  # how far a recomputed value may be from the predicted one
_ATTEMPTS = 4  # intervals tried until the recomputed value is the predicted one
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
    metric : TabularMetric or CascadeMetric
        Equal scores are ordered as in the data.
    query_weights : array-like, optional
        Weight of each query in the mean; equal when left out.

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

    def __init__(self, data: RankingDataset, metric: Metric, *, query_weights: ArrayLike | None = None) -> None:
        weights = None if query_weights is None else np.asarray(query_weights, np.float64)
        self.data = data
        self.metric = metric
        self._sweep = MetricSweep(metric, data.judgments, query_weights=weights)
        self._evaluator = Evaluator([metric], data.judgments)
        self._query_weights = np.ones(data.n_queries) if weights is None else weights

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
        scores = self.data.scores(w)
        return Point(readonly(w), readonly(scores), self._mean(scores))

    def values(self, weights: ArrayLike) -> F64:
        """Return the value at each of many weights; the same bits as :meth:`at` gives one by one.

        Scores are summed feature by feature, as those of one point are, and each feature is read once for all points.
        Takes memory for two numbers for each point and document.

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
        scores = np.zeros((len(points), self.data.n_documents))
        for j in range(self.n_features):
            scores += np.multiply.outer(points[:, j], self.data.column(j))
        return np.array([self._mean(row) for row in scores])

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
        return self._sweep.step_function(point.scores, self.slopes(direction), low=low, high=high)

    def climb(self, point: Point, direction: ArrayLike, *, low: float = -math.inf, high: float = math.inf) -> Point:
        """Return the best point on a line, in the middle of the widest best interval, or `point` if none is better.

        What is returned has been computed from its weights, and equals what the sweep predicted: where rounding breaks
        the prediction (the middle falls on a tie, or the interval is made of rounding) another place in the interval is
        tried, then the next best interval.

        Parameters
        ----------
        point, direction, low, high
            As in :meth:`step_function`.
        """
        step = np.asarray(direction, np.float64)
        best = point
        for interval in islice(self._sweep.peaks(point.scores, self.slopes(step), low=low, high=high), _ATTEMPTS):
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
        return self.data.scores(step)

    def _mean(self, scores: F64) -> float:
        values = self._evaluator(scores)[0]
        counted = ~np.isnan(values)
        return float(np.average(values[counted], weights=self._query_weights[counted]))


def _place(interval: Interval, fraction: float) -> float:
    if math.isfinite(interval.width):
        return interval.low + fraction * interval.width
    return interval.middle * (0.5 + fraction)
