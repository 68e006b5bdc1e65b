"""Linear scores that minimise a surrogate: where direct maximisation starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.segments import QuerySegments, StoredSegments
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.losses.base import Surrogate
from rankmax.metrics.parameters import check_number, plain

if TYPE_CHECKING:
    from scipy.sparse import csc_array


@dataclass(frozen=True, eq=False)
class LinearFit:
    """What :func:`fit_linear` found.

    Attributes
    ----------
    weights : array of float64, shape (n_features,)
        In the units of the data's features.
    value : float
        The mean loss plus the penalty.
    n_iterations : int
    converged : bool
        Whether the gradient fell to the tolerance.
    """

    weights: F64
    value: float
    n_iterations: int
    converged: bool


def fit_linear(
    loss: Surrogate,
    data: RankingDataset,
    *,
    query_weights: F64 | None = None,
    ridge: float = 1e-3,
    start: ArrayLike | None = None,
    max_iterations: int = 200,
    tolerance: float = 1e-3,
) -> LinearFit:
    r"""Minimise a loss of the linear scores w^T x by L-BFGS.

    .. math:: \min_w L(X w) + \frac{ridge}{2} \sum_j (\sigma_j w_j)^2

    where :math:`\sigma_j` is the standard deviation of feature j within queries: neither the search nor the penalty
    depends on the features' units. A feature that is constant within every query changes no ranking and gets weight 0.

    Parameters
    ----------
    loss : Surrogate
    data : RankingDataset
    query_weights : array of float64, shape (n_queries,), optional
        Weight of each query in the mean loss, from 0; equal when left out. :math:`\sigma_j` does not depend on it.
    ridge : float
        From 0. At 0 there may be no minimum: the weights of a feature that orders every pair grow without bound.
    start : array-like, shape (n_features,), optional
        Weights to start from; None: zeros.
    max_iterations : int
    tolerance : float
        Stop when no component of the gradient by :math:`\sigma_j w_j` is larger.

    Examples
    --------
    >>> from rankmax.losses.cross_entropy import CrossEntropy
    >>> X = [[1.0, 700.0], [3.0, 200.0], [2.0, 100.0], [2.0, 300.0]]
    >>> data = RankingDataset.from_arrays(X, [0, 1, 0, 1], qid=["a", "a", "b", "b"])
    >>> fit = fit_linear(CrossEntropy(alpha=2.0), data, ridge=0.0, tolerance=1e-9)
    >>> fit.weights.round(6), fit.converged
    (array([3.5 , 0.01]), True)
    """
    from scipy.optimize import minimize

    check_number("fit_linear", "ridge", plain(ridge), "a number from 0", lambda value: value >= 0)
    check_number("fit_linear", "tolerance", plain(tolerance), "a number from 0", lambda value: value >= 0)
    max_iterations = plain(max_iterations)
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 1:
        raise InvalidParameterError(f"fit_linear: max_iterations={max_iterations} must be a whole number from 1")
    products = _products(data)
    spread = _spread_within_queries(data)
    scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)  # w = scale * v

    def objective(v: F64) -> tuple[float, F64]:
        scores = products.scores(scale * v)
        value, gradient = loss.value_and_gradient(scores, data.judgments, query_weights=query_weights)
        return value + ridge / 2 * float(v @ v), scale * products.moments(gradient) + ridge * v

    found = minimize(
        objective,
        _start(start, data) * spread,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iterations, "maxfun": 20 * max_iterations, "gtol": tolerance, "ftol": 0.0},
    )
    return LinearFit(
        weights=scale * found.x,
        value=float(found.fun),
        n_iterations=int(found.nit),
        converged=bool(np.abs(found.jac).max(initial=0.0) <= tolerance),
    )


@dataclass(frozen=True)
class _DenseProducts:
    """X w and X^T g of feature-major dense features."""

    columns: Any

    def scores(self, weights: F64) -> F64:
        from rankmax.kernels.linear import times_weights

        scores = np.empty(self.columns.shape[1])
        times_weights(self.columns, weights, scores)
        return scores

    def moments(self, gradient: F64) -> F64:
        from rankmax.kernels.linear import n_blocks, transposed_times

        parts = np.empty((n_blocks(gradient.size), self.columns.shape[0]))
        transposed_times(self.columns, gradient, parts)
        moments: F64 = parts.sum(axis=0)
        return moments


@dataclass(frozen=True)
class _SparseProducts:
    """X w and X^T g of sparse features."""

    features: Any

    def scores(self, weights: F64) -> F64:
        scores: F64 = self.features @ weights
        return scores

    def moments(self, gradient: F64) -> F64:
        moments: F64 = self.features.T @ gradient
        return moments


def _products(data: RankingDataset) -> _DenseProducts | _SparseProducts:
    if isinstance(data.features, np.ndarray):
        return _DenseProducts(data.features.T)
    return _SparseProducts(data.features.astype(np.float64))


def _start(start: ArrayLike | None, data: RankingDataset) -> F64:
    weights = np.zeros(data.n_features) if start is None else np.array(start, np.float64)
    if weights.shape != (data.n_features,):
        raise InvalidDataError(f"start has shape {weights.shape}; the data has {data.n_features} features")
    if not np.isfinite(weights).all():
        raise InvalidDataError("start has a weight that is not finite")
    return weights


def _spread_within_queries(data: RankingDataset) -> F64:
    """Return each feature's standard deviation within queries, exactly 0 where it is constant in each."""
    if isinstance(data.features, np.ndarray):
        queries = QuerySegments(data.query_offsets)
        return np.array([_column_spread(data.column(j), queries) for j in range(data.n_features)])
    return _sparse_spread(data, data.features)


def _column_spread(column: F64, queries: QuerySegments) -> float:
    from_first = column - queries.spread(column[queries.starts])  # exactly 0 where constant
    largest = float(np.abs(from_first).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    from_first /= largest  # so that no square overflows
    deviation = from_first - queries.spread(queries.reduce(np.add, from_first) / queries.lengths)
    return largest * float(np.sqrt(np.mean(deviation**2)))


def _sparse_spread(data: RankingDataset, features: csc_array) -> F64:
    stored = StoredSegments.of(data)
    values = np.array(features.data, np.float64)
    largest = np.zeros(data.n_features)
    np.maximum.at(largest, stored.feature, stored.reduce(np.maximum, np.abs(values)))
    values /= np.repeat(np.where(largest > 0, largest, 1.0), np.diff(features.indptr))  # so that no square overflows
    n_documents = np.diff(data.query_offsets)[stored.query]
    n_zeros = n_documents - stored.lengths
    mean = stored.reduce(np.add, values) / n_documents
    squares = stored.reduce(np.add, (values - stored.spread(mean)) ** 2) + n_zeros * mean**2
    constant = (n_zeros == 0) & (stored.reduce(np.minimum, values) == stored.reduce(np.maximum, values))
    total = np.bincount(stored.feature, np.where(constant, 0.0, squares), minlength=data.n_features)
    return largest * np.sqrt(total / max(data.n_documents, 1))
