"""Finding nonnegative weights that maximise a metric, over and over for other sets of queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np

from rankmax.arrays import F64, I64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.lines.sweep import MetricSweep
from rankmax.metrics.base import Metric, RankedListMetric
from rankmax.metrics.evaluate import Evaluator
from rankmax.spaces.lattice import lattice_size, segment_points, simplex_lattice

MOST_WEIGHTS = 6
"""Up to so many weights the simplex is small enough to be covered."""

_N_BAGS = 50
_MOST_POINTS = 500
_FINEST = 200
_UNTHREADED = 1 << 18  # multiplications up to which OpenBLAS works in one thread
_SAME = 1e-9  # means that differ by less are the same, rounded differently


def lattice_steps(n_weights: int) -> int:
    """Return how finely the simplex is covered: the largest number of steps up to 200 with at most 500 points.

    Parameters
    ----------
    n_weights : int

    Examples
    --------
    >>> [lattice_steps(d) for d in (2, 3, 4, 5, 6)]
    [200, 30, 12, 8, 6]
    """
    return max(n for n in range(1, _FINEST + 1) if n == 1 or lattice_size(n_weights, n) <= _MOST_POINTS)


class WeightSearch(ABC):
    """A metric over normalised data, to be maximised over nonnegative weights that add up to 1.

    Parameters
    ----------
    data : RankingDataset
        Normalised, dense.
    metrics : sequence of Metric
        The first is maximised; the others are told beside it.
    """

    def __init__(self, data: RankingDataset, metrics: Sequence[Metric]) -> None:
        self.data = data
        self.metric = metrics[0]
        self._evaluator = Evaluator(metrics, data.judgments)

    @abstractmethod
    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return weights learned from some queries.

        Parameters
        ----------
        queries : array of int64
        seed : int
            Of what is random.
        """

    @abstractmethod
    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return the weights that maximise the metric over bootstrap samples of all queries, one a row.

        Parameters
        ----------
        n_samples : int
        seed : int
        """

    def values(self, weights: F64) -> F64:
        """Return the metrics by query for each of many weights, shape (n_points, n_metrics, n_queries).

        Parameters
        ----------
        weights : array, shape (n_points, n_features)
        """
        return self._evaluator.at_weights(cast(F64, self.data.features).T, weights)


class LatticeSearch(WeightSearch):
    r"""For up to six weights: the metric of each query at points all over the simplex, computed once.

    Any set of queries, each counted any number of times, then costs one product of matrices. So weights are learned by
    bagging: the maximum is found for 50 bootstrap samples of the queries, and averaged. Of a dozen ways to choose, this
    served other queries best (``benchmarks/fusion_choices.py``); to prefer a system alone that does better on the
    queries learned from takes most of the gain away.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric

    Attributes
    ----------
    points : array, shape (n_points, n_features)
    tables : array, shape (n_points, n_metrics, n_queries)

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> search = LatticeSearch(planted_linear(30, 10, 3, seed=1).data, [AP()])
    >>> search.points.shape, search.tables.shape
    ((496, 3), (496, 1, 30))
    >>> bool(search.values(search.fit(np.arange(20))[None]).mean() > search.table.mean())
    True

    References
    ----------
    Breiman 1996, Bagging predictors.
    """

    def __init__(self, data: RankingDataset, metrics: Sequence[Metric]) -> None:
        super().__init__(data, metrics)
        n_weights, n_steps = data.n_features, lattice_steps(data.n_features)
        if n_weights == 2 and not any(isinstance(metric, RankedListMetric) for metric in metrics):
            self.points = segment_points(n_steps)
            self.tables = self._swept(metrics)
        else:
            self.points = simplex_lattice(n_weights, n_steps) / n_steps
            self.tables = self.values(self.points)

    def _swept(self, metrics: Sequence[Metric]) -> F64:
        """Return the values at points of a segment from exact step functions, each query being ranked once."""
        first, second = self.data.column(0), self.data.column(1)
        places = self.points[:, 0]
        sweeps = (MetricSweep(metric, self.data.judgments) for metric in metrics)
        by_metric = [sweep.values_by_query(second, first - second, places, low=0.0, high=1.0) for sweep in sweeps]
        return np.stack(by_metric, axis=1)

    @property
    def table(self) -> F64:
        """The metric to maximise, by point and query."""
        return self.tables[:, 0]

    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return the average of the maxima of bootstrap samples."""
        bagged: F64 = self._maxima(self.table[:, queries], _N_BAGS, seed).mean(axis=0)
        return bagged

    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return the maxima of bootstrap samples."""
        return self._maxima(self.table, n_samples, seed)

    def _maxima(self, table: F64, n_samples: int, seed: int) -> F64:
        """Return for each sample the mean of the points where its mean is largest."""
        sums = _product(bootstrap_counts(table.shape[1], n_samples, seed), table.T)
        best = (sums >= sums.max(axis=1, keepdims=True) - _SAME).astype(np.float64)
        maxima: F64 = best @ self.points / best.sum(axis=1, keepdims=True)
        return maxima


class AscentSearch(WeightSearch):
    """For more weights: exact line searches from the minimum of a smooth surrogate, anew for each set of queries.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric
    """

    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return the weights of a :class:`~rankmax.learners.linear_ranker.LinearRanker` on the simplex."""
        return self._weights(self.data.select(queries), seed)

    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return weights learned from bootstrap samples."""
        samples = bootstrap_counts(self.data.n_queries, n_samples, seed)
        return np.array([self._weights(self.data, seed, counts) for counts in samples])

    def _weights(self, data: RankingDataset, seed: int, counts: F64 | None = None) -> F64:
        from rankmax.learners.linear_ranker import LinearRanker  # which brings more than a lattice needs

        ranker = LinearRanker(self.metric, space="simplex", n_restarts=1, seed=seed)
        return ranker.fit_dataset(data, query_weights=counts).model_.weights


def weight_search(data: RankingDataset, metrics: Sequence[Metric]) -> WeightSearch:
    """Return the search that suits the number of weights.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> [type(weight_search(planted_linear(5, 5, d, seed=1).data, [AP()])).__name__ for d in (2, 20)]
    ['LatticeSearch', 'AscentSearch']
    """
    return (LatticeSearch if data.n_features <= MOST_WEIGHTS else AscentSearch)(data, metrics)


def _product(left: F64, right: F64) -> F64:
    """Return the product of two matrices, a few rows at a time: for more, BLAS would start threads and wait."""
    rows = max(1, _UNTHREADED // right.size)
    return np.concatenate([left[first : first + rows] @ right for first in range(0, len(left), rows)])


@lru_cache(maxsize=8)
def bootstrap_counts(n_queries: int, n_samples: int, seed: int) -> F64:
    """Return how often each query is in each bootstrap sample; kept, as folds of one size ask for the same again.

    Parameters
    ----------
    n_queries, n_samples, seed : int

    Examples
    --------
    >>> bootstrap_counts(4, 3, 0).sum(axis=1)
    array([4., 4., 4.])
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=n_samples)
    return readonly(counts.astype(np.float64))
