"""Natural gradients of the smoothed metric as search directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments
from rankmax.data.query_segments import QuerySegments
from rankmax.line_search.objective import Objective
from rankmax.line_search.query_subset import Part
from rankmax.losses.feature_products import FeatureProducts, total_moments
from rankmax.metrics.metric import CascadeMetric, TabularMetric

_DEPTH = 100  # ranks that contribute, which bounds the pairs of a long list
_SAMPLE = 20_000  # documents from which the correlations of features are estimated
_MOST_CORRELATED = 500  # features; with more, correlations are ignored
_NORMALS_AT_ONCE = 1 << 20
_RIDGE = 1e-3  # in units of a feature's variance


class NaturalGradient:
    r"""The direction in which a smoothed metric increases most for a given change of scores.

    A metric is a step function of the weights, and has no gradient. Smoothed, it does: the order of two documents is
    replaced by a smooth function of their difference in score, and weighted by its effect on a DCG with the metric's
    gains and cutoff (`_kernels/metrics/smoothed_gradient.py`). That is close enough to every rank metric for a
    direction, along which the exact line search then maximizes the metric itself.

    Features are often nearly equal, and then the direction of steepest ascent in the weights hardly changes the
    ranking. The natural gradient

    .. math:: (C + \lambda I)^{-1} X^T g

    with the covariance C of the features within queries, is the steepest for a given mean squared change of the scores,
    whatever the units of the features, and whichever of several equivalent features have the weights.

    Parameters
    ----------
    objective : Objective

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> problem = planted_linear(50, 20, 3, seed=1)
    >>> objective = LinearObjective(problem.data, AP())
    >>> gradient = NaturalGradient(objective)
    >>> direction = gradient(np.ones(3), width=1.0)
    >>> objective.line_search(objective.at([1.0, 1.0, 1.0]), direction).value > 0.9
    True

    References
    ----------
    Burges, Ragno & Le 2006, Learning to rank with nonsmooth cost functions, for weighting pairs by the effect of their
    order. Amari 1998, Natural gradient works efficiently in learning.
    """

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        spread = objective.feature_spread
        self._unit = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        self._factor = _covariance_factor(objective, self._unit)

    def __call__(self, weights: F64, *, width: float, queries: F64 | Bool | None = None) -> F64:
        """Return the direction at given weights.

        Parameters
        ----------
        weights : array, shape (n_features,)
            Weights of the point.
        width : float
            Width of the smoothing: the difference of scores at which the order of two documents becomes clear, in
            standard deviations of the scores within queries.
        queries : array, shape (n_queries,), optional
            Factor of each query in addition to its weight in the objective.
        """
        counts = None if queries is None else self._objective.by_part(queries)
        open_within = width * (self.spread(weights) or 1.0)
        pushes = self._objective.over_parts(_pushed, weights, open_within, each=counts, combine=np.add)
        return self._whitened(total_moments(pushes))

    def random(self, size: float, rng: np.random.Generator) -> F64:
        """Return random weights whose scores have a given standard deviation, without a preferred direction.

        They are a least-squares fit to scores drawn independently for each document.

        Parameters
        ----------
        size : float
        rng : Generator
        """
        states = _normal_states(rng, self._objective.documents_by_part)
        weights = self._whitened(total_moments(self._objective.over_parts(_noise, each=states, combine=np.add)))
        return weights * (size / (self.spread(weights) or 1.0))

    def spread(self, weights: F64) -> float:
        """Return the standard deviation of scores within queries."""
        return self._objective.score_spread(weights)

    def _whitened(self, moments: F64) -> F64:
        """Return (C + lambda I)^-1 times the slope along each standardized feature, as weights of the features."""
        steepness = moments * self._unit
        if self._factor is None:
            return steepness * self._unit
        from rankmax._kernels.numerics.covariance import solve_cholesky

        direction: F64 = solve_cholesky(self._factor, steepness) * self._unit
        return direction


class _Pushes:
    """Tables for the smoothed gradient on a part of the data."""

    def __init__(self, part: Part) -> None:
        judgments = part.data.judgments
        gain, cutoff = _gain_and_cutoff(part)
        self.offsets = judgments.query_offsets
        self.gains = np.ascontiguousarray(gain[judgments.document_levels])
        self.depth = np.minimum(cutoff, _DEPTH)
        self.discount = 1.0 / np.log2(np.arange(_DEPTH) + 2.0)
        ideal = _ideal_sums(self.gains, judgments, self.discount, self.depth)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.scale = np.where(ideal > 0, part.query_weights / ideal, 0.0)
        self.products = FeatureProducts.of(part.data)


def _pushed(part: Part, weights: F64, width: float, queries: F64 | Bool | None = None) -> I64 | F64:
    """Return X^T g of a part, where g is the smoothed gradient by document."""
    from rankmax._kernels.metrics.smoothed_gradient import push_scores

    own = part.kept(_Pushes)
    scale = own.scale if queries is None else own.scale * queries.astype(np.float64)
    scores = part.scores(weights)
    pushes = np.empty(scores.size)
    push_scores(scores, own.gains, own.offsets, own.discount, own.depth, scale, width, pushes)
    return own.products.partial_moments(pushes)


def _noise(part: Part, state: dict[str, Any]) -> I64 | F64:
    """Return X^T g of a part for a g of random numbers."""
    source = getattr(np.random, state["bit_generator"])()
    source.state = state
    rng = np.random.Generator(source)
    return part.kept(_Pushes).products.partial_moments(rng.normal(size=part.data.n_documents))


def _normal_states(rng: np.random.Generator, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Draw normal variates for all documents; return the state before those of each part, which can draw its own."""
    states = []
    for size in sizes:
        states.append(dict(rng.bit_generator.state))
        for first in range(0, size, _NORMALS_AT_ONCE):
            rng.normal(size=min(_NORMALS_AT_ONCE, size - first))
    return states


def _gain_and_cutoff(part: Part) -> tuple[F64, I64]:
    judgments, metric = part.data.judgments, part.metric
    if isinstance(metric, TabularMetric):
        tables = metric.tables(judgments)
        return tables.gain, tables.cutoff
    if isinstance(metric, CascadeMetric):
        cascade = metric.cascade(judgments)
        return cascade.stop, cascade.cutoff
    return np.arange(judgments.levels.size, dtype=np.float64), judgments.documents_by_query


def _ideal_sums(gains: F64, judgments: Judgments, discount: F64, depth: I64) -> F64:
    """Return the discounted sum of each query's gains in the ideal order."""
    query = judgments.query_of_document
    falling = gains[np.lexsort((-gains, query))]
    rank = np.arange(query.size) - judgments.query_offsets[query]
    counts = np.flatnonzero(rank < depth[query])
    sums = np.zeros(judgments.n_queries)
    np.add.at(sums, query[counts], falling[counts] * discount[rank[counts]])
    return sums


def _covariance_factor(objective: Objective, unit: F64) -> F64 | None:
    """Return the Cholesky factor of the standardized features' covariance within queries, made definite."""
    from rankmax._kernels.numerics.covariance import cholesky, products_of_columns

    n_features = objective.n_features
    if n_features > _MOST_CORRELATED:
        return None
    sample = objective.sample(np.arange(0, objective.n_queries, -(-objective.n_documents // _SAMPLE)))
    segments = QuerySegments(sample.query_offsets)
    columns = np.empty((n_features, sample.n_documents))
    for j in range(n_features):
        columns[j] = segments.centered(sample.column(j) * unit[j])
    covariance = np.empty((n_features, n_features))
    products_of_columns(columns, covariance)
    factor: F64 = cholesky(covariance / sample.n_documents + _RIDGE * np.eye(n_features))
    return factor
