r"""Weights that fit the query: linear in query features, shrunk to fixed weights.

With z the standardized features of a query, the score of a document is :math:`x^T (w + V^T z)`: linear in V, with the
columns :math:`x_j z_k`. The fixed weights w are learned first. V then minimizes a convex loss with a penalty,

.. math:: \min_{a, V} L\bigl(x^T (a w + V^T z)\bigr) + \frac{\lambda}{2} \sum_{kj} (\sigma_j V_{kj})^2

where :math:`\sigma_j` is the spread of :math:`x_j` within queries. The penalty, among which one so large that V is 0,
is selected by cross-validation within the training queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.splits import k_folds
from rankmax.fusion.candidates import LearnedWeights
from rankmax.fusion.decision import Prior, choose
from rankmax.losses.cross_entropy import ProportionalCrossEntropy
from rankmax.losses.descent import minimize
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.models.query_weights_model import FARTHEST, query_weights
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.query_features import QueryFeature

AUTO = "auto"
"""The column that stands for all query features."""
PENALTIES = (1.0, 0.1, 0.01)
"""Penalties to select from, besides no variation."""
PRIOR = Prior(-0.1, 100.0)
"""Of weights that fit the query, relative to fixed ones: they have many more parameters."""
_INNER_FOLDS = 5


@dataclass(frozen=True, eq=False)
class QueryWeightsFusion:
    """Weighted sums with weights linear in query features.

    Attributes
    ----------
    normalization : Normalization
    weights : array, shape (n_systems,)
        Weights at the means of the query features.
    variation : array, shape (n_query_features, n_systems)
        Change of the weights for a standard deviation; all 0 where no variation is selected.
    means, deviations : arrays, shape (n_query_features,)
    penalty : float or None
        The penalty that was selected; None for no variation.
    values : array, shape (n_metrics, n_queries)
        Metric values per query.
    """

    normalization: Normalization
    weights: F64
    variation: F64
    means: F64
    deviations: F64
    penalty: float | None
    values: F64


@dataclass(frozen=True, eq=False)
class QueryWeights:
    """Learned weights that are linear in query features.

    Attributes
    ----------
    features : sequence of QueryFeature
    known : array, shape (n_queries, n_query_features)
        Query features of all queries.
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.preprocessing import Unchanged
    >>> from rankmax.fusion.weight_search import LatticeSearch
    >>> from rankmax.metrics import AP
    >>> X, y, qid = [], [], []
    >>> for q in range(40):  # the first system is right for odd queries, the second for even ones
    ...     X += [[1 - q % 2, q % 2], [q % 2, 1 - q % 2]]
    ...     y += [0, 1]
    ...     qid += [q, q]
    >>> data = RankingDataset.from_arrays(np.array(X, float), y, qid=qid)
    >>> fixed = LearnedWeights("learned", "learned", Unchanged(), LatticeSearch(data, [AP()]), Prior(0.0, 1.0))
    >>> learner = QueryWeights([QueryFeature("column", "parity")], np.arange(40.0)[:, None] % 2, [AP()])
    >>> fusion = learner.fit(np.arange(40), fixed)
    >>> print(fixed.fit([np.arange(40)])[0].values.mean(), fusion.values.mean())
    0.75 1.0
    """

    features: Sequence[QueryFeature]
    known: F64
    metrics: Sequence[Metric]

    @property
    def name(self) -> str:
        """Name of the row in the results table."""
        return f"by {AUTO}"

    def fit(self, queries: I64, fixed: LearnedWeights) -> QueryWeightsFusion:
        """Learn weights from some queries.

        Parameters
        ----------
        queries : array of int64
        fixed : LearnedWeights
            Weights that are the same for all queries: supplies the normalization, and the weights w.
        """
        penalty = self._selected(queries, fixed)
        fitted = _Fit(fixed, queries, self.known)
        variation = fitted.variation if penalty is None else fitted.along((penalty,))[0]
        scores = fitted.scores(variation)
        values = evaluate_metrics(self.metrics, scores, fixed.search.data.judgments)
        return QueryWeightsFusion(
            fixed.normalization, fitted.weights, variation, fitted.means, fitted.deviations, penalty, values
        )

    def _selected(self, queries: I64, fixed: LearnedWeights) -> float | None:
        """Return the penalty that does best on queries held out within `queries`, or None."""
        judgments, metric = fixed.search.data.judgments, self.metrics[:1]
        values = np.empty((1 + len(PENALTIES), queries.size))
        for fold in k_folds(queries.size, min(_INNER_FOLDS, queries.size), seed=fixed.seed):
            fitted = _Fit(fixed, queries[fold.train], self.known)
            for i, variation in enumerate([fitted.variation, *fitted.along(PENALTIES)]):
                every = evaluate_metrics(metric, fitted.scores(variation), judgments)[0]
                values[i, fold.test] = every[queries[fold.test]]
        best = choose(values, [Prior(0.0, PRIOR.queries), *[PRIOR] * len(PENALTIES)])
        return PENALTIES[best - 1] if best else None


class _Fit:
    """Fixed weights and standardized query features, both of some training queries."""

    def __init__(self, fixed: LearnedWeights, queries: I64, known: F64) -> None:
        self.data = fixed.search.data
        self.weights = fixed.search.fit(queries, seed=fixed.seed)
        self.means = known[queries].mean(axis=0)
        spread = known[queries].std(axis=0)
        constant = spread <= 1e-12 * np.maximum(np.abs(self.means), 1e-300)
        self.deviations = np.where(constant, 1.0, spread)
        self._z = (known - self.means) / self.deviations
        self._moves = ~constant
        self._queries = queries
        self.variation = np.zeros((known.shape[1], self.weights.size))

    def scores(self, variation: F64) -> F64:
        """Return the scores of all documents."""
        by_query = query_weights(self.weights, variation, self._z)
        scores: F64 = (_dense(self.data) * by_query[self.data.judgments.query_of_document]).sum(axis=1)
        return scores

    def along(self, penalties: Sequence[float]) -> list[F64]:
        """Return the variation at each of some penalties, each found from the one before."""
        data = self.data.select(self._queries)
        X, judgments = _dense(data), data.judgments
        z = np.where(self._moves, np.clip(self._z[self._queries], -FARTHEST, FARTHEST), 0.0)
        base, query, starts = X @ self.weights, judgments.query_of_document, judgments.query_offsets[:-1]
        spread = np.maximum(spread_within_queries(data), 1e-12)
        loss, shape = ProportionalCrossEntropy(), self.variation.shape
        unit = max(float(np.sqrt(np.mean(base**2))), 1e-12)
        occupied = np.flatnonzero(judgments.documents_by_query)

        def at(penalty: float, parameters: F64) -> tuple[float, F64]:
            scale, scaled = parameters[0] / unit, parameters[1:].reshape(shape)
            moved = (z @ (scaled / spread))[query]
            value, gradient = loss.value_and_gradient(scale * base + (X * moved).sum(axis=1), judgments)
            by_query = np.zeros((judgments.n_queries, X.shape[1]))
            by_query[occupied] = np.add.reduceat(X * gradient[:, None], starts[occupied], axis=0)
            slope = z.T @ by_query / spread + penalty * scaled
            value += penalty / 2 * float((scaled**2).sum())
            return value, np.concatenate([[float(gradient @ base) / unit], slope.ravel()])

        found, start = [], np.concatenate([[1.0], np.zeros(self.variation.size)])
        for penalty in penalties:
            start = minimize(partial(at, penalty), start, tolerance=1e-3).parameters
            scale = max(start[0] / unit, 1e-6)
            found.append(start[1:].reshape(shape) / spread / scale)
        return found


def _dense(data: RankingDataset) -> F64:
    return np.asarray(data.features)
