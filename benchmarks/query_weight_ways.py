"""Ways to let weights fit the query, for benchmarks/query_weights.py: learned ones and the rules that engines propose.

A way takes the training queries and returns the scores of all documents. All share the fixed weights, the query
features and the inner cross-validation of ``tune --by auto``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.splits import k_folds
from rankmax.fusion.candidates import LearnedWeights
from rankmax.fusion.decision import Prior, choose
from rankmax.fusion.linear_query_weights import PENALTIES, PRIOR, _Fit
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import ProportionalCrossEntropy
from rankmax.losses.descent import minimize
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.models.query_weights_model import FARTHEST
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.preprocessing.query_features import QueryFeature
from rankmax.spaces import Euclidean

Scores = F64
_TINY = 1e-12


class Ways:
    """All ways on one set of systems.

    Parameters
    ----------
    fixed : LearnedWeights
        Learned weights under one normalization.
    features : sequence of QueryFeature
    known : array, shape (n_queries, n_query_features)
    metric : Metric
    """

    def __init__(self, fixed: LearnedWeights, features: Sequence[QueryFeature], known: F64, metric: Metric) -> None:
        self.fixed, self.features, self.known, self.metric = fixed, features, known, metric
        self.data = fixed.search.data
        self.X = np.asarray(self.data.features)
        self._convex: dict[bytes, list[F64]] = {}

    def selected(self, queries: I64, fits: Callable[[I64], list[Scores]]) -> tuple[Scores, int]:
        """Return the scores of the way that does best inside the training queries, of which the first is the safe one.

        Parameters
        ----------
        queries : array of int64
        fits : callable
            Takes training queries, and returns the scores of every way.
        """
        inside: list[F64] = []
        for fold in k_folds(queries.size, 5, seed=self.fixed.seed):
            found = fits(queries[fold.train])
            inside = inside or [np.empty(queries.size) for _ in found]
            for values, scores in zip(inside, found, strict=True):
                values[fold.test] = self.values(scores)[queries[fold.test]]
        best = choose(np.array(inside), [Prior(0.0, PRIOR.queries), *[PRIOR] * (len(inside) - 1)])
        return fits(queries)[best], best

    def values(self, scores: Scores) -> F64:
        """Return the metric of each query."""
        values: F64 = evaluate_metrics([self.metric], scores, self.data.judgments)[0]
        return values

    def convex(self, queries: I64) -> list[Scores]:
        """Return fixed weights, and weights by auto at each penalty."""
        fit = _Fit(self.fixed, queries, self.known)
        return [fit.scores(one) for one in [fit.variation, *self._along(fit, queries)]]

    def exact(self, queries: I64) -> list[Scores]:
        """Return the same, and those of the largest penalty refined on the metric, halfway there."""
        fit = _Fit(self.fixed, queries, self.known)
        along = self._along(fit, queries)
        refined = [self._refined(fit, queries, one) for one in along[:1]]
        return [fit.scores(one) for one in [fit.variation, *along, *refined]]

    def _along(self, fit: _Fit, queries: I64) -> list[F64]:
        key = queries.tobytes()
        if key not in self._convex:
            self._convex[key] = fit.along(PENALTIES)
        return self._convex[key]

    def _refined(self, fit: _Fit, queries: I64, variation: F64) -> F64:
        data = self.data.select(queries)
        moves = np.flatnonzero(fit._moves)
        z = np.clip(fit._z[queries], -FARTHEST, FARTHEST)[data.judgments.query_of_document][:, moves]
        X = np.asarray(data.features)
        products = (z[:, :, None] * X[:, None, :]).reshape(X.shape[0], -1)
        columns = np.hstack([(X @ fit.weights)[:, None], products])
        names = tuple(map(str, range(columns.shape[1])))
        by_products = RankingDataset(np.asfortranarray(columns), names, data.judgments)
        start = np.concatenate([[1.0], variation[moves].ravel()])
        ascent = ExpectedMetricAscent(sigma=0.5, n_cycles=1).maximize(
            LinearObjective(by_products, self.metric), Euclidean(), start=start, rng=np.random.default_rng(0)
        )
        end = ascent.weights / max(ascent.weights[0], _TINY)
        found = variation.copy()
        found[moves] = ((start + end) / 2)[1:].reshape(len(moves), -1)
        return found

    def mixtures(self, n: int, queries: I64) -> list[Scores]:
        """Return fixed weights, and mixtures of n weight vectors with a soft gate at each penalty."""
        fit = _Fit(self.fixed, queries, self.known)
        return [fit.scores(fit.variation), *(self._mixture(fit, n, queries, penalty) for penalty in PENALTIES)]

    def _mixture(self, fit: _Fit, n: int, queries: I64, penalty: float) -> Scores:
        data = self.data.select(queries)
        X, judgments = np.asarray(data.features), data.judgments
        query = judgments.query_of_document
        spread = np.maximum(spread_within_queries(data), _TINY)
        every = np.where(fit._moves, np.clip(fit._z, -FARTHEST, FARTHEST), 0.0)
        every = np.hstack([every, np.ones((every.shape[0], 1))])
        z, base, loss = every[queries], X @ fit.weights, ProportionalCrossEntropy()
        unit = max(float(np.sqrt(np.mean(base**2))), _TINY)
        n_z, n_x = z.shape[1], X.shape[1]

        def cut(p: F64) -> tuple[float, F64, F64]:
            return p[0] / unit, p[1 : 1 + n * n_x].reshape(n, n_x) / spread, p[1 + n * n_x :].reshape(n, n_z)

        def at(p: F64) -> tuple[float, F64]:
            scale, vectors, gate = cut(p)
            shares = _softmax(z @ gate.T)
            each = X @ vectors.T
            mixed = (shares[query] * each).sum(axis=1)
            value, slope = loss.value_and_gradient(scale * base + mixed, judgments)
            by_vector = (shares[query] * slope[:, None]).T @ X / spread
            by_query = np.zeros((judgments.n_queries, n))
            np.add.at(by_query, query, slope[:, None] * shares[query] * (each - mixed[:, None]))
            value += penalty / 2 * float((p[1:] ** 2).sum())
            gradient = np.concatenate([[float(slope @ base) / unit], by_vector.ravel(), (by_query.T @ z).ravel()])
            gradient[1:] += penalty * p[1:]
            return value, gradient

        start = np.random.default_rng(0).normal(scale=0.3, size=1 + n * (n_x + n_z))
        start[0] = 1.0
        scale, vectors, gate = cut(minimize(at, start, tolerance=1e-3).parameters)
        weights = scale * fit.weights + _softmax(every @ gate.T) @ vectors
        return self.weighted(np.maximum(weights, 0.0))

    def weighted(self, by_query: F64) -> Scores:
        """Return the scores with weights of each query."""
        scores: F64 = (self.X * by_query[self.data.judgments.query_of_document]).sum(axis=1)
        return scores

    def entropy_rule(self) -> Scores:
        """Return scores by the entropy rule: a system's weight is 1 minus the entropy of its list."""
        own = [self._of("entropy", name) for name in self.data.feature_names]
        weights = 1 - np.array(own).T
        return self.weighted(np.where(weights.any(axis=1, keepdims=True), weights, 1.0))

    def variance_rule(self) -> Scores:
        """Return scores by the ratio of variances: a system's weight is its share of those of normalized scores."""
        weights = np.empty((self.data.n_queries, self.X.shape[1]))
        for q in range(self.data.n_queries):
            own = self.X[self.data.query_offsets[q] : self.data.query_offsets[q + 1]]
            weights[q] = [column[column != 0].var() if column.any() else 0.0 for column in own.T]
        return self.weighted(np.where(weights.any(axis=1, keepdims=True), weights, 1.0))

    def _of(self, kind: str, name: str) -> F64:
        k = self.features.index(QueryFeature(kind, name))
        column: F64 = self.known[:, k]
        return column

    def ceiling(self) -> F64:
        """Return the best value of each query over a lattice of weights, chosen with its judgments."""
        n = self.X.shape[1]
        steps = {2: 20, 3: 10, 4: 8}.get(n, 4)
        lattice = np.array(list(_compositions(steps, n))) / steps
        return np.max([self.values(self.X @ weights) for weights in lattice], axis=0)


def gradient_gap(ways: Ways, n: int, queries: I64) -> float:
    """Return how far the mixture's gradient is from a numerical one, relatively; the check of the formulas."""
    seen: list[tuple[Callable[[F64], tuple[float, F64]], F64]] = []

    def watched(function: Callable[[F64], tuple[float, F64]], start: F64, **_: float) -> object:
        seen.append((function, start))
        raise StopIteration

    original = globals()["minimize"]
    globals()["minimize"] = watched
    try:
        ways._mixture(_Fit(ways.fixed, queries, ways.known), n, queries, 0.1)
    except StopIteration:
        pass
    finally:
        globals()["minimize"] = original
    function, start = seen[0]
    exact = function(start)[1]
    step = partial(_difference, function, start)
    numeric = np.array([step(i) for i in range(start.size)])
    return float(np.abs(exact - numeric).max() / np.abs(numeric).max())


def _difference(function: Callable[[F64], tuple[float, F64]], start: F64, i: int) -> float:
    unit = np.zeros(start.size)
    unit[i] = 1e-5
    return (function(start + unit)[0] - function(start - unit)[0]) / 2e-5


def _softmax(logits: F64) -> F64:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: F64 = raised / raised.sum(axis=1, keepdims=True)
    return shares


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    if parts == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in _compositions(total - first, parts - 1)]
