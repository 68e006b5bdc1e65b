"""Training of curves on one set of queries: smoothness by cross-validation, fit, sweeps, bags, products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.bootstrap_counts import counts_in_one_sample
from rankmax.data.splits import k_folds
from rankmax.learners.additive.curve_fit import STRAIGHT, CurveFit, bending_penalty, fit_curves, telling_queries
from rankmax.learners.additive.curve_sweeps import CurveSweeps
from rankmax.learners.additive.knot_basis import Curves, KnotBasis
from rankmax.learners.query_samples import tells_apart
from rankmax.line_search.line_search import LineSearch
from rankmax.line_search.linear_objective import exact_search
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric

DEFAULT_SMOOTHNESS = 100.0
"""Penalty on the distance of curves from straight lines, in queries, unless another is clearly better."""

SMOOTHNESSES: tuple[float, ...] = (STRAIGHT, 300.0, DEFAULT_SMOOTHNESS, 30.0, 10.0, 3.0)
"""Penalties that cross-validation selects from."""

_N_FOLDS = 5
_MANY_QUERIES = 2000  # beyond, one fold tells as much as five of fewer
_PRIOR = 40.0  # queries; as of LinearRanker
_N_CYCLES = 2
_SURE = 2.0  # standard errors by which another smoothness has to be better than the default on held-out queries
_LOSSES: tuple[Surrogate, ...] = (CrossEntropy(), ProportionalCrossEntropy())


@dataclass(frozen=True, eq=False)
class CurveTraining:
    """Data and settings that the fits of one training share.

    Attributes
    ----------
    basis : KnotBasis
    metric : Metric
    query_weights : array of float64, shape (n_queries,)
    signs : array of float64, shape (n_features,)
        1 for a curve that must not fall, -1 for one that must not rise, 0 for others.
    smoothing : float
        Standard deviation of the noise of line searches, in standard deviations of the scores; 0 for no searches.
    shrinkage : float
        Share of the convex fit in the curves.
    sweep_knots : bool
        Whether line searches move the values at knots, besides slopes and sizes.
    """

    basis: KnotBasis
    metric: Metric
    query_weights: F64
    signs: F64
    smoothing: float
    shrinkage: float
    sweep_knots: bool = False

    @cached_property
    def loss(self) -> Surrogate:
        """The surrogate whose straight lines have the higher metric on the training queries."""
        means = [self._mean(fit.curves) for fit in self._lines]
        return _LOSSES[int(np.argmax(means))]

    @cached_property
    def search(self) -> LineSearch:
        """The line search of the metric over the training queries."""
        counted = ~np.isnan(self.values(np.zeros(self.basis.judgments.n_documents)))
        weights = np.where(counted, self.query_weights, 0.0)
        return exact_search(self.metric, self.basis.judgments, weights, self._value)

    @cached_property
    def straight(self) -> CurveFit:
        """The fit of straight lines."""
        return self._averaged(self._lines)

    @cached_property
    def _lines(self) -> list[CurveFit]:
        """Straight lines by each surrogate."""
        return [self._fit(loss, STRAIGHT) for loss in _LOSSES]

    def fit(self, smoothness: float) -> CurveFit:
        """Return the average of the convex fits to both surrogates with a given smoothness.

        As of the linear learner's start, the share of each is the probability that it is the better one.

        Parameters
        ----------
        smoothness : float
        """
        if not math.isfinite(smoothness):
            return self.straight
        starts = zip(_LOSSES, self._lines, strict=True)
        return self._averaged([self._fit(loss, smoothness, lines) for loss, lines in starts])

    def _averaged(self, fits: Sequence[CurveFit]) -> CurveFit:
        first, second = (self.basis.scores(fit.curves) for fit in fits)
        share = _probability_positive(self.values(first) - self.values(second), self.query_weights)
        shares, spreads = (share, 1 - share), [self.basis.spread(scores) or 1.0 for scores in (first, second)]
        one, other = (fit.times(part / spread) for fit, part, spread in zip(fits, shares, spreads, strict=True))
        average = one + other
        spread = self.basis.spread(self.basis.scores(average.curves)) or 1.0
        return average.times(float(np.dot(shares, spreads)) / spread)

    def held_out_values(self, smoothnesses: Sequence[float], seed: int) -> F64:
        """Return the metric of each query by curves of each smoothness, learned without the query.

        Parameters
        ----------
        smoothnesses : sequence of float
        seed : int

        Returns
        -------
        array, shape (n_smoothnesses, n_queries)
            NaN for queries that were not held out, or that the metric leaves out.
        """
        n_queries = self.basis.judgments.n_queries
        values = np.full((len(smoothnesses), n_queries), np.nan)
        if n_queries < _N_FOLDS:
            return values
        folds = k_folds(n_queries, _N_FOLDS, seed=seed, stratified=self._richness)
        for fold in folds if n_queries <= _MANY_QUERIES else folds[:1]:
            learned, held_out = self.select(fold.train), self.basis.select(fold.test)
            near: CurveFit | None = None
            for row, smoothness in enumerate(smoothnesses):
                near = learned._fit(self.loss, smoothness, near)
                scores = held_out.scores(near.curves)
                values[row, fold.test] = evaluate_metrics([self.metric], scores, held_out.judgments)[0]
        return values

    def select(self, queries: I64) -> CurveTraining:
        """Return the same training over some queries.

        Parameters
        ----------
        queries : array of int64
        """
        return replace(self, basis=self.basis.select(queries), query_weights=self.query_weights[queries])

    def curves(self, smoothness: float) -> Curves:
        """Return the curves for all queries: the average of the convex fit and of what sweeps from it find.

        Parameters
        ----------
        smoothness : float
        """
        fit = self.fit(smoothness)
        if self.smoothing == 0 or self.shrinkage == 1:
            return self.scaled(fit.curves)
        penalty = (
            bending_penalty(self.basis, smoothness) if math.isfinite(smoothness) else np.full(self.signs.size, np.inf)
        )
        n = telling_queries(self.loss, self.basis, self.query_weights)
        sweeps = CurveSweeps(self.smoothing, _N_CYCLES, penalty / (2 * n), self.signs, self.sweep_knots)
        found = sweeps.ascend(self.basis, self.search, fit)
        return self.scaled(fit.curves).times(self.shrinkage) + self.scaled(found).times(1 - self.shrinkage)

    def bag(self, seed: int, number: int) -> CurveTraining:
        """Return the same training with the queries of a bootstrap sample.

        Parameters
        ----------
        seed, number : int
        """
        telling = (tells_apart(self.metric, self.basis.judgments) & (self.query_weights > 0)).astype(np.float64)
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number + 1,)))
        return replace(self, query_weights=self.query_weights * counts_in_one_sample(telling, rng))

    def scaled(self, curves: Curves) -> Curves:
        """Return curves whose scores have the standard deviation 1 within queries, unless all scores are equal.

        Parameters
        ----------
        curves : Curves
        """
        spread = self.basis.spread(self.basis.scores(curves))
        return curves.times(1 / spread) if spread > 0 else curves

    @cached_property
    def _richness(self) -> I64:
        """Number of relevant documents by query, up to 3: folds shall be alike in it."""
        judgments = self.basis.judgments
        found = judgments.query_of_document[judgments.grades >= 1]
        return np.minimum(np.bincount(found, minlength=judgments.n_queries), 3)

    def _fit(self, loss: Surrogate, smoothness: float, start: CurveFit | None = None) -> CurveFit:
        return fit_curves(
            loss,
            self.basis,
            smoothness=smoothness,
            prior=_PRIOR,
            query_weights=self.query_weights,
            signs=self.signs,
            start=start,
        )

    def _mean(self, curves: Curves) -> float:
        return self._value(self.basis.scores(curves))

    def _value(self, scores: F64) -> float:
        values = self.values(scores)
        counted = ~np.isnan(values)
        if not self.query_weights[counted].any():
            return 0.0
        return float(np.average(values[counted], weights=self.query_weights[counted]))

    def values(self, scores: F64) -> F64:
        """Return the metric of each query for given scores; NaN where it leaves the query out.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
        """
        values: F64 = evaluate_metrics([self.metric], scores, self.basis.judgments)[0]
        return values


def selected(values: F64, weights: F64, default: int) -> int:
    """Return the number of the curves that held-out queries select.

    That is the default, unless others are better than it by two standard errors of the mean difference over queries;
    of these the best.

    Parameters
    ----------
    values : array of float64, shape (n_smoothnesses, n_queries)
        Metric of each held-out query; NaN where there is none.
    weights : array of float64, shape (n_queries,)
    default : int

    Examples
    --------
    >>> selected(np.array([[0.5, 0.5, 0.5], [0.6, 0.7, 0.6], [0.6, 0.9, 0.5]]), np.ones(3), 0)
    1
    """
    counted = ~np.isnan(values[0]) & (weights > 0)
    n = int(np.count_nonzero(counted))
    if n < 2:
        return default
    shares = weights[counted] / weights[counted].sum()
    gains = values[:, counted] - values[default, counted]
    means = gains @ shares
    errors = np.sqrt((gains - means[:, None]) ** 2 @ shares**2 * (n / (n - 1)))
    means[means <= _SURE * errors * (1 + 1e-9)] = 0.0  # for a difference in one query of two, up to rounding
    best = int(np.argmax(means))
    return best if means[best] > 0 else default


def _probability_positive(differences: F64, weights: F64) -> float:
    r"""Return the probability that a weighted mean of differences is positive, by the normal approximation.

    .. math:: \Phi\left(\frac{\sum_q a_q d_q}{\sqrt{\sum_q a_q^2 d_q^2}}\right)

    Examples
    --------
    >>> round(_probability_positive(np.array([0.1, 0.1, 0.1, 0.1, np.nan]), np.ones(5)), 3)
    0.977
    """
    weighted = (weights * differences)[~np.isnan(differences)]
    squares = float(weighted @ weighted)
    return 0.5 * math.erfc(-float(weighted.sum()) / math.sqrt(2 * squares)) if squares > 0 else 0.5
