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
from rankmax.learners.direct.query_samples import tells_apart
from rankmax.line_search.line_search import LineSearch
from rankmax.line_search.linear_objective import exact_search
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric

SMOOTHNESSES: tuple[float, ...] = (STRAIGHT, 1000.0, 300.0, 100.0, 30.0)
"""Penalties on the distance of curves from straight lines that cross-validation selects from, in queries."""

ROUGHER: tuple[float, ...] = (10.0, 3.0)
"""Penalties that are tried, too, where the last of these is selected."""

_N_FOLDS = 5
_MANY_QUERIES = 2000  # beyond, one fold tells as much as five of fewer
_PRIOR = 40.0  # queries; as of LinearRanker
_N_CYCLES = 2
_SURE = 0.5  # standard errors by which a smoother curve may be worse on held-out queries, and still be taken


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
        losses: Sequence[Surrogate] = (CrossEntropy(), ProportionalCrossEntropy())
        return max(losses, key=lambda loss: self._mean(self._fit(loss, STRAIGHT).curves))

    @cached_property
    def search(self) -> LineSearch:
        """The line search of the metric over the training queries."""
        counted = ~np.isnan(self.values(np.zeros(self.basis.judgments.n_documents)))
        weights = np.where(counted, self.query_weights, 0.0)
        return exact_search(self.metric, self.basis.judgments, weights, self._value)

    @cached_property
    def straight(self) -> CurveFit:
        """The fit of straight lines."""
        return self._fit(self.loss, STRAIGHT)

    def fit(self, smoothness: float) -> CurveFit:
        """Return the convex fit with a given smoothness.

        Parameters
        ----------
        smoothness : float
        """
        if not math.isfinite(smoothness):
            return self.straight
        return self._fit(self.loss, smoothness, self.straight)

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


def selected(values: F64, weights: F64) -> int:
    """Return the number of the smoothest curves that are not clearly worse than the best on held-out queries.

    Parameters
    ----------
    values : array of float64, shape (n_smoothnesses, n_queries)
        Metric of each held-out query, the smoothest curves first; NaN where there is none.
    weights : array of float64, shape (n_queries,)

    Examples
    --------
    >>> selected(np.array([[0.5, 0.5, 0.5], [0.6, 0.7, 0.6], [0.6, 0.8, 0.5]]), np.ones(3))
    1
    """
    counted = ~np.isnan(values[0]) & (weights > 0)
    if not counted.any():
        return 0
    values, shares = values[:, counted], weights[counted] / weights[counted].sum()
    best = int(np.argmax(values @ shares))
    for row in range(best):
        shortfall = values[best] - values[row]
        mean = float(shortfall @ shares)
        error = math.sqrt(float((shares**2) @ (shortfall - mean) ** 2))
        if mean <= _SURE * error:
            return row
    return best
