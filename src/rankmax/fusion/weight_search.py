"""Search for nonnegative weights that maximize a metric, repeated for many sets of queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.bootstrap_counts import counts_in_samples
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.metrics.evaluator import evaluator_for
from rankmax.metrics.metric import Metric, RankedListMetric
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank
from rankmax.spaces.lattice import lattice_size, segment_points, simplex_lattice

MOST_WEIGHTS = 6
"""Largest number of weights for which a lattice covers the simplex."""

_N_BAGS = 50
_MOST_POINTS = 500
_FINEST = 200
_UNTHREADED = 1 << 18  # multiplications up to which OpenBLAS stays in one thread


def lattice_steps(n_weights: int) -> int:
    """Return the resolution of the lattice: the largest number of steps up to 200 with at most 500 points.

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
    """A metric over normalized data, to be maximized over nonnegative weights that add up to 1.

    Parameters
    ----------
    data : RankingDataset
        Normalized, dense data.
    metrics : sequence of Metric
        The first is maximized; the others are reported.
    """

    def __init__(self, data: RankingDataset, metrics: Sequence[Metric]) -> None:
        self.data = data
        self.metric = metrics[0]
        self._evaluator = evaluator_for(metrics, data.judgments)
        mixed = data.judgments if isinstance(data.judgments, MixedJudgments) else None
        self._groups = None if mixed is None else mixed.groups
        self._emphasis = None if mixed is None else mixed.emphasis

    @abstractmethod
    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return weights learned from the given queries.

        Parameters
        ----------
        queries : array of int64
        seed : int
            Random seed.
        """

    @abstractmethod
    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return the weights that maximize the metric over bootstrap samples of all queries, one row per sample.

        Parameters
        ----------
        n_samples : int
        seed : int
        """

    def values(self, weights: F64, queries: Sequence[I64] | None = None) -> F64:
        """Return the metrics per query for each of many weights, shape (n_points, n_metrics, n_queries).

        Parameters
        ----------
        weights : array, shape (n_points, n_features)
        queries : sequence of arrays of int64, optional
            For each of the weights, the queries to evaluate; the values of others are NaN.
        """
        return self._evaluator.at_weights(cast(F64, self.data.features).T, weights, queries)

    def scores(self, weights: F64) -> F64:
        """Return the fused score of each document.

        Parameters
        ----------
        weights : array, shape (n_features,)
        """
        return self.data.scores(weights)


class LatticeSearch(WeightSearch):
    r"""Weight search for up to six weights, over the metric of each query at a lattice of points, computed once.

    Any set of queries, each counted any number of times, then costs one matrix product. So weights are learned by
    bagging: the maximum is found for 50 bootstrap samples of the queries, and averaged. Of a dozen ways to choose, this
    did best on held-out queries (``benchmarks/fusion_choices.py``); preferring a single system that does better on the
    training queries takes most of the gain away.

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
    >>> from rankmax.data import planted_linear
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
        swept = not any(isinstance(metric, RankedListMetric) for metric in metrics)
        if n_weights == 2 and swept and not isinstance(data.judgments, MixedJudgments):
            self.points = segment_points(n_steps)
            self.tables = self._swept(metrics)
        else:
            self.points = simplex_lattice(n_weights, n_steps) / n_steps
            self.tables = self.values(self.points)

    def _swept(self, metrics: Sequence[Metric]) -> F64:
        """Return the values at the points of a segment from exact step functions, ranking each query once."""
        first, second = self.data.column(0), self.data.column(1)
        places = self.points[:, 0]
        sweeps = (MetricSweep(metric, self.data.judgments) for metric in metrics)
        by_metric = [sweep.values_by_query(second, first - second, places, low=0.0, high=1.0) for sweep in sweeps]
        return np.stack(by_metric, axis=1)

    @property
    def table(self) -> F64:
        """The metric to maximize, by point and query."""
        return self.tables[:, 0]

    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return the average of the maxima of bootstrap samples."""
        bagged: F64 = self._maxima(queries, _N_BAGS, seed).mean(axis=0)
        return bagged

    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return the maxima of bootstrap samples."""
        return self._maxima(np.arange(self.data.n_queries), n_samples, seed)

    def _maxima(self, queries: I64, n_samples: int, seed: int) -> F64:
        """Return for each sample the mean of the points where its mean is largest."""
        sums = _product(self._counts(queries, n_samples, seed), self.table[:, queries].T)
        best = (sums >= sums.max(axis=1, keepdims=True) - SAME_VALUE).astype(np.float64)
        maxima: F64 = best @ self.points / best.sum(axis=1, keepdims=True)
        return maxima

    def _counts(self, queries: I64, n_samples: int, seed: int) -> F64:
        """Return how often each query is in each sample, times its emphasis; each group is sampled by itself."""
        if self._groups is None or self._emphasis is None:
            return counts_in_samples(queries.size, n_samples, seed)
        counts = np.empty((n_samples, queries.size))
        for group in np.unique(self._groups):
            members = np.flatnonzero(self._groups[queries] == group)
            if members.size:
                counts[:, members] = counts_in_samples(members.size, n_samples, seed + int(group))
        return counts * self._emphasis[queries]


class RankConstantSearch(LatticeSearch):
    r"""Weight search over the same lattice for Qdrant's reciprocal rank fusion, which is not linear in the weights.

    .. math:: s(d) = \sum_i \frac{w_i}{r_i(d) + k w_i / \bar w}

    Parameters
    ----------
    data : RankingDataset
        Raw scores.
    metrics : sequence of Metric
    normalization : QdrantReciprocalRank

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
    >>> search = RankConstantSearch(planted_linear(30, 10, 2, seed=1).data, [AP()], QdrantReciprocalRank())
    >>> search.tables.shape, search.fit(np.arange(20)).shape
    ((200, 1, 30), (2,))
    """

    def __init__(self, data: RankingDataset, metrics: Sequence[Metric], normalization: QdrantReciprocalRank) -> None:
        with np.errstate(divide="ignore"):
            self._ranks = 1.0 / cast(F64, ReciprocalRank(0.0).apply(data).features)  # infinite if not retrieved
        self._normalization = normalization
        super().__init__(data, metrics)

    def values(self, weights: F64, queries: Sequence[I64] | None = None) -> F64:
        """Return the metrics per query for each of many weights; see :class:`WeightSearch`."""
        return np.array([self._evaluator(self.scores(row)) for row in weights])

    def scores(self, weights: F64) -> F64:
        """Return the fused score of each document; see :class:`WeightSearch`."""
        fused: F64 = (1.0 / (self._ranks + self._normalization.constants(weights[None])[0])) @ weights
        return fused

    def _swept(self, metrics: Sequence[Metric]) -> F64:
        return self.values(self.points)


class AscentSearch(WeightSearch):
    """Weight search for more weights: exact line searches from the minimum of a smooth surrogate, per set of queries.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric
    """

    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return the weights of a :class:`~rankmax.learners.direct.linear_ranker.LinearRanker` on the simplex."""
        return self._weights(self.data.select(queries), seed)

    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return weights learned from bootstrap samples."""
        samples = counts_in_samples(self.data.n_queries, n_samples, seed)
        return np.array([self._weights(self.data, seed, counts) for counts in samples])

    def _weights(self, data: RankingDataset, seed: int, counts: F64 | None = None) -> F64:
        from rankmax.learners.direct.linear_ranker import LinearRanker  # heavy, and a lattice does not need it

        ranker = LinearRanker(self.metric, space="simplex", smoothing=0.0, n_restarts=1, seed=seed)
        return ranker.fit_dataset(data, query_weights=counts).model_.weights


def weight_search(data: RankingDataset, metrics: Sequence[Metric]) -> WeightSearch:
    """Return the search that suits the number of weights.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> [type(weight_search(planted_linear(5, 5, d, seed=1).data, [AP()])).__name__ for d in (2, 20)]
    ['LatticeSearch', 'AscentSearch']
    """
    return (LatticeSearch if data.n_features <= MOST_WEIGHTS else AscentSearch)(data, metrics)


def _product(left: F64, right: F64) -> F64:
    """Return a matrix product computed a few rows at a time: with more, BLAS would start threads and wait."""
    rows = max(1, _UNTHREADED // right.size)
    return np.concatenate([left[first : first + rows] @ right for first in range(0, len(left), rows)])
