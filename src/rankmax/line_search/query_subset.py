"""A part of an objective's queries: data, metric and query weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.line_search.query_weights import require_query_weights
from rankmax.metrics.evaluator import Evaluator
from rankmax.metrics.metric import Metric

_POINTS = 2  # points whose scores are cached: the current one of an ascent, and the last one evaluated
_VALUES_IN_A_BLOCK = 1 << 20  # values of queries, over many points

_T = TypeVar("_T")


class Part:
    """A data set, a metric and a weight for each query.

    An objective has one local part, or several that are distributed over a backend; sums over queries are returned
    as digits (_numerics/digit_sums.py), so that the partition changes no bit.

    Parameters
    ----------
    data : RankingDataset
    metric : Metric
    query_weights : array-like, optional
        Weight of each query in the mean; by default equal.

    Attributes
    ----------
    query_weights : array of float64, shape (n_queries,)
        Weights of the queries; 0 for queries that the metric leaves out.

    Examples
    --------
    >>> from rankmax._numerics.exact_sums import rounded
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7])
    >>> part = Part(data, RR())
    >>> rounded(part.value(part.scores(np.array([1.0, 0.0]))))
    0.5
    """

    def __init__(self, data: RankingDataset, metric: Metric, query_weights: ArrayLike | None = None) -> None:
        self.data = data
        self.metric = metric
        self._evaluator = Evaluator([metric], data.judgments)
        self.counted = ~np.isnan(self._evaluator(np.zeros(data.n_documents))[0])
        self.query_weights = np.where(self.counted, require_query_weights(query_weights, data.n_queries), 0.0)
        self._left_out = np.flatnonzero(~self.counted)
        self._scores: dict[bytes, F64] = {}
        self._kept: dict[Callable[..., Any], Any] = {}

    def scores(self, weights: F64) -> F64:
        """Return the documents' scores; those of the last points are cached.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        key = weights.tobytes()
        scores = self._scores.pop(key, None)
        self._scores[key] = self._times(weights) if scores is None else scores
        while len(self._scores) > _POINTS:
            del self._scores[next(iter(self._scores))]
        return self._scores[key]

    def slopes(self, direction: F64) -> F64:
        """Return the rate at which each document's score grows along a direction.

        Parameters
        ----------
        direction : array of float64, shape (n_features,)
        """
        moving = np.flatnonzero(direction)
        if moving.size == 1:
            column: F64 = direction[moving[0]] * self.data.column(int(moving[0]))
            return column
        return self._times(direction)

    def value(self, scores: F64) -> I64:
        """Return the digits of the weighted sum of the metric over queries.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
        """
        return digits_of(self.weighted_values(scores))

    def weighted_values(self, scores: F64) -> F64:
        """Return the metric of each query times its weight; 0 for queries that the metric leaves out.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
        """
        return self._weighted(self._evaluator(scores)[0])

    def values(self, points: F64) -> I64:
        """Return the digits of the weighted sum at each of many weights.

        Parameters
        ----------
        points : array of float64, shape (n_points, n_features)
        """
        digits = np.repeat(digits_of(np.empty(0))[np.newaxis], len(points), axis=0)
        if not isinstance(self.data.features, np.ndarray):
            for p, weights in enumerate(points):
                digits[p] = self.value(self._times(weights))
            return digits
        for first in range(0, len(points), block := max(1, _VALUES_IN_A_BLOCK // max(1, self.data.n_queries))):
            rows = self._evaluator.at_weights(self.data.features.T, points[first : first + block])
            for p, row in enumerate(rows, start=first):
                digits[p] = digits_of(self._weighted(row[0]))
        return digits

    def kept(self, make: Callable[[Part], _T]) -> _T:
        """Return a function's result for this part, computed once.

        Parameters
        ----------
        make : callable
        """
        if make not in self._kept:
            self._kept[make] = make(self)
        made: _T = self._kept[make]
        return made

    def _times(self, weights: F64) -> F64:
        """Return the same bits as ``data.scores``, several times faster for dense features."""
        if not isinstance(self.data.features, np.ndarray) or weights.shape != (self.data.n_features,):
            return self.data.scores(weights)
        from rankmax._kernels.numerics.matrix_products import times_weights

        scores = np.empty(self.data.n_documents)
        times_weights(self.data.features.T, weights, scores)
        return scores

    def _weighted(self, values: F64) -> F64:
        values[self._left_out] = 0.0
        missing = np.isnan(values)
        if missing.any():
            query = self.data.query_ids[int(np.flatnonzero(missing)[0])]
            raise InvalidDataError(
                f"{self.metric} is NaN for some ranking of query {query!r}; return a number, "
                "or leave queries out by no_relevant='skip'"
            )
        weighted: F64 = values * self.query_weights
        return weighted
