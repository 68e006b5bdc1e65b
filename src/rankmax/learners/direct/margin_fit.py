"""SVM-map over the queries of an objective, with their weights: a part of the surrogate that ascents start from."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, rounded
from rankmax.learners.structural.margin_problem import CuttingPlane, MarginSums, plane_of
from rankmax.learners.structural.one_slack import OneSlackSolver
from rankmax.learners.structural.oracles.separation_oracle import tells
from rankmax.learners.structural.oracles.tabular import TabularOracle
from rankmax.line_search.objective import Objective
from rankmax.line_search.query_subset import Part
from rankmax.losses.feature_products import FeatureProducts
from rankmax.metrics.average_precision import AveragePrecision
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import Metric

_C = 10.0
_TOLERANCE = 1e-3  # of the mean loss
_MAX_ROUNDS = 1000


def fit_margins_over(objective: Objective) -> F64 | None:
    r"""Return the weights of SVM-map over an objective's data and query weights; None where no query has both kinds.

    .. math:: \min_w \frac12 \sum_j (\sigma_j w_j)^2 + C R(w)

    where R is the weighted mean of the queries' slacks
    (:class:`~rankmax.learners.structural.margin_problem.MarginProblem`), C is 10, and :math:`\sigma_j` is the standard
    deviation of feature j within queries, so units of features do not matter. A binary metric says which grades are
    relevant; for others they begin at 1. Sums are exact, so shards change no bit.

    Parameters
    ----------
    objective : Objective

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> objective = LinearObjective(planted_linear(30, 10, 3, seed=1).data, AP())
    >>> objective.at(fit_margins_over(objective)).value > 0.95
    True
    """
    slack = _WeightedSlack(objective)
    if slack.total_weight == 0:
        return None
    found = OneSlackSolver(slack, tolerance=_TOLERANCE, max_iterations=_MAX_ROUNDS).solve(_C)
    if found.stopped_by == "interrupted":
        raise KeyboardInterrupt
    weights: F64 = slack.scale * found.weights
    return weights


class _WeightedSlack:
    """Weighted mean slack over all parts as a function of the weights of standardized features."""

    def __init__(self, objective: Objective) -> None:
        spread = objective.feature_spread
        self.scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)
        self._objective = objective
        self.total_weight = rounded(np.sum(objective.over_parts(_weight, combine=np.add), axis=0))

    @property
    def n_weights(self) -> int:
        """Number of features."""
        return self._objective.n_features

    def cut(self, weights: F64) -> CuttingPlane:
        """Return the cutting plane at the given weights."""
        parts = self._objective.over_parts(_sums, self.scale * weights, combine=operator.add)
        plane = plane_of(parts, self.total_weight, has_threshold=False)
        return CuttingPlane(self.scale * plane.normal, plane.offset)


class _Margins:
    """The constraints of one part of an objective; features are not copied."""

    def __init__(self, part: Part) -> None:
        metric, judgments = _average_precision(part.metric), part.data.judgments
        kept = tells(metric, judgments) & (part.query_weights > 0)
        self._oracle = TabularOracle(metric, judgments.select(kept)) if kept.any() else None
        self._products = FeatureProducts.of(part.data)
        self._documents = np.flatnonzero(np.repeat(kept, judgments.documents_by_query))
        self._by_document = np.repeat(part.query_weights, judgments.documents_by_query)[self._documents]
        self.query_weights = part.query_weights[kept]

    def sums(self, scores: F64) -> MarginSums:
        """Return the weighted sums of the most violated constraints."""
        margins, losses = np.zeros(scores.size), np.zeros(0)
        if self._oracle is not None:
            found = self._oracle.most_violated(scores[self._documents])
            margins[self._documents] = found.margins * self._by_document
            losses = found.losses * self.query_weights
        return MarginSums(self._products.partial_moments(margins), digits_of(margins), digits_of(losses))


def _average_precision(metric: Metric) -> AveragePrecision:
    return replace(AveragePrecision(), rel=metric.rel) if isinstance(metric, BinaryMetric) else AveragePrecision()


def _weight(part: Part) -> I64:
    return digits_of(part.kept(_Margins).query_weights)


def _sums(part: Part, weights: F64) -> MarginSums:
    return part.kept(_Margins).sums(part.scores(weights))
