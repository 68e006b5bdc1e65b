"""Directions that lead up: gradients of the smoothed metric, in units of what they do to the scores."""

from __future__ import annotations

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.segments import QuerySegments
from rankmax.data.spread import spread_within_queries
from rankmax.lines.objective import LinearObjective
from rankmax.losses.products import FeatureProducts
from rankmax.metrics.base import CascadeMetric, TabularMetric

_DEPTH = 100  # ranks that push: bounds the pairs of a long list
_SAMPLE = 20_000  # documents from which features' correlations are estimated
_MOST_CORRELATED = 500  # features; with more, each counts for itself
_RIDGE = 1e-3  # in units of a feature's variance


class NaturalGradient:
    r"""The direction in which a smoothed metric rises most for a given change of scores.

    A metric is a step function of the weights, and has no gradient. Smoothed, it does: the order of two documents is
    taken for a smooth function of their difference in score, and the value of their order for what it is worth to a
    DCG with the metric's gains and cutoff (`kernels/smoothed.py`). That is close enough to every rank metric for a
    direction, along which the metric itself is then searched exactly.

    Features are often nearly the same, and then the steepest way up in the weights hardly changes the ranking. The
    natural gradient

    .. math:: (C + \lambda I)^{-1} X^T g

    with the covariance C of the features within queries, is the steepest for a given mean squared change of the scores,
    whatever units, and whichever of several equivalent features, the weights are for.

    Parameters
    ----------
    objective : LinearObjective

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> problem = planted_linear(50, 20, 3, seed=1)
    >>> objective = LinearObjective(problem.data, AP())
    >>> gradient = NaturalGradient(objective)
    >>> direction = gradient(objective.at([1.0, 1.0, 1.0]).scores, width=1.0)
    >>> objective.climb(objective.at([1.0, 1.0, 1.0]), direction).value > 0.9
    True

    References
    ----------
    Burges, Ragno & Le 2006, Learning to rank with nonsmooth cost functions, for pushing pairs by what their order is
    worth. Amari 1998, Natural gradient works efficiently in learning.
    """

    def __init__(self, objective: LinearObjective) -> None:
        judgments = objective.data.judgments
        gain, cutoff = _gain_and_cutoff(objective)
        self._offsets = judgments.query_offsets
        self._segments = QuerySegments(self._offsets)
        self._gains = np.ascontiguousarray(gain[judgments.document_levels])
        self._depth = np.minimum(cutoff, _DEPTH)
        self._discount = 1.0 / np.log2(np.arange(_DEPTH) + 2.0)
        ideal = _ideal_sums(self._gains, judgments, self._discount, self._depth)
        with np.errstate(divide="ignore", invalid="ignore"):
            self._scale = np.where(ideal > 0, objective.query_weights / ideal, 0.0)
        self._products = FeatureProducts.of(objective.data)
        spread = spread_within_queries(objective.data)
        self._unit = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        self._factor = _covariance_factor(objective.data, self._unit)

    def __call__(self, scores: F64, *, width: float, queries: F64 | None = None) -> F64:
        """Return the direction at a point.

        Parameters
        ----------
        scores : array, shape (n_documents,)
            Of the point.
        width : float
            How far apart two documents may be for their order to be open, in standard deviations of the scores within
            queries.
        queries : array, shape (n_queries,), optional
            How much each query counts besides its weight in the objective.
        """
        from rankmax.kernels.smoothed import push_scores

        scale = self._scale if queries is None else self._scale * queries
        pushes = np.empty(scores.size)
        width = width * (self.spread(scores) or 1.0)
        push_scores(scores, self._gains, self._offsets, self._discount, self._depth, scale, width, pushes)
        return self.toward(pushes)

    def toward(self, change: F64) -> F64:
        """Return the weights whose scores come nearest to a change of the documents' scores, up to a positive factor.

        Parameters
        ----------
        change : array, shape (n_documents,)
        """
        return self._whitened(self._products.moments(change) * self._unit)

    def random(self, size: float, rng: np.random.Generator) -> F64:
        """Return random weights whose scores have a given standard deviation, in no direction more than in others.

        Parameters
        ----------
        size : float
        rng : Generator
        """
        weights = self.toward(rng.normal(size=self._gains.size))
        return weights * (size / (self.spread(self._products.scores(weights)) or 1.0))

    def spread(self, scores: F64) -> float:
        """Return the standard deviation of scores within queries."""
        return self._segments.deviation(scores)

    def _whitened(self, steepness: F64) -> F64:
        """Return (C + lambda I)^-1 times how steep each standardised feature is, as weights of the features."""
        if self._factor is None:
            return steepness * self._unit
        from rankmax.kernels.covariance import solve_cholesky

        direction: F64 = solve_cholesky(self._factor, steepness) * self._unit
        return direction


def _gain_and_cutoff(objective: LinearObjective) -> tuple[F64, I64]:
    judgments, metric = objective.data.judgments, objective.metric
    if isinstance(metric, TabularMetric):
        tables = metric.tables(judgments)
        return tables.gain, tables.cutoff
    if isinstance(metric, CascadeMetric):
        cascade = metric.cascade(judgments)
        return cascade.stop, cascade.cutoff
    return np.arange(judgments.levels.size, dtype=np.float64), judgments.documents_by_query


def _ideal_sums(gains: F64, judgments: Judgments, discount: F64, depth: I64) -> F64:
    """Return the discounted sum of each query's gains in their best order."""
    query = judgments.query_of_document
    falling = gains[np.lexsort((-gains, query))]
    rank = np.arange(query.size) - judgments.query_offsets[query]
    counts = np.flatnonzero(rank < depth[query])
    sums = np.zeros(judgments.n_queries)
    np.add.at(sums, query[counts], falling[counts] * discount[rank[counts]])
    return sums


def _covariance_factor(data: RankingDataset, unit: F64) -> F64 | None:
    """Return the Cholesky factor of the standardised features' covariance within queries, made definite."""
    from rankmax.kernels.covariance import cholesky, products_of_columns

    if data.n_features > _MOST_CORRELATED:
        return None
    sample = data.select(np.arange(0, data.n_queries, -(-data.n_documents // _SAMPLE)))
    segments = QuerySegments(sample.query_offsets)
    columns = np.empty((data.n_features, sample.n_documents))
    for j in range(data.n_features):
        columns[j] = segments.centred(sample.column(j) * unit[j])
    covariance = np.empty((data.n_features, data.n_features))
    products_of_columns(columns, covariance)
    factor: F64 = cholesky(covariance / sample.n_documents + _RIDGE * np.eye(data.n_features))
    return factor
