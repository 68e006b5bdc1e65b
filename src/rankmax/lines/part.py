"""The queries of an objective, or some of them: what work on documents has to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.exact_sums import digits_of
from rankmax.errors import InvalidDataError
from rankmax.lines.query_weights import require_query_weights
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import Evaluator

_POINTS = 2  # whose scores are remembered: where an ascent stands, and what it looked at last
_VALUES_IN_A_BLOCK = 1 << 20  # of queries, at many points

_T = TypeVar("_T")


class Part:
    """A data set, a metric and a weight for each query.

    An objective has one part in this process, or several that engines keep elsewhere; sums over queries are returned as
    digits (data/exact_sums.py), so that it makes no difference to any bit.

    Parameters
    ----------
    data : RankingDataset
    metric : Metric
    query_weights : array-like, optional
        Equal when left out.

    Attributes
    ----------
    query_weights : array of float64, shape (n_queries,)
        0 where the metric leaves a query out.

    Examples
    --------
    >>> from rankmax.data.exact_sums import rounded
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
        """Return the documents' scores; those of the last points are remembered.

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
        """Return how fast each document's score grows along a direction.

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
        return self._digits(self._evaluator(scores)[0])

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
                digits[p] = self._digits(row[0])
        return digits

    def kept(self, make: Callable[[Part], _T]) -> _T:
        """Return what a function makes of this part, made once.

        Parameters
        ----------
        make : callable
        """
        if make not in self._kept:
            self._kept[make] = make(self)
        made: _T = self._kept[make]
        return made

    def _times(self, weights: F64) -> F64:
        """Return the same bits as ``data.scores``, several times sooner where features are dense."""
        if not isinstance(self.data.features, np.ndarray) or weights.shape != (self.data.n_features,):
            return self.data.scores(weights)
        from rankmax.kernels.linear import times_weights

        scores = np.empty(self.data.n_documents)
        times_weights(self.data.features.T, weights, scores)
        return scores

    def _digits(self, values: F64) -> I64:
        values[self._left_out] = 0.0
        missing = np.isnan(values)
        if missing.any():
            query = self.data.query_ids[int(np.flatnonzero(missing)[0])]
            raise InvalidDataError(
                f"{self.metric} is NaN for some ranking of query {query!r}; return a number, "
                "or leave queries out by no_relevant='skip'"
            )
        return digits_of(values * self.query_weights)
