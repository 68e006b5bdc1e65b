"""Linear fit of a surrogate loss, the start of direct maximization."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.errors import InvalidDataError
from rankmax.line_search.objective import Objective
from rankmax.line_search.query_subset import Part
from rankmax.losses.descent import minimize
from rankmax.losses.feature_products import FeatureProducts
from rankmax.losses.query_sums import LossSums, MeanLoss, loss_sums
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.metric_parameters import check_number, plain


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Result of :func:`fit_linear`.

    Attributes
    ----------
    weights : array of float64, shape (n_features,)
        Weights in the units of the data's features.
    value : float
        Mean loss plus the penalty.
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
    r"""Minimize a loss of the linear scores w^T x by L-BFGS.

    .. math:: \min_w L(X w) + \frac{ridge}{2} \sum_j (\sigma_j w_j)^2

    where :math:`\sigma_j` is the standard deviation of feature j within queries, so neither the search nor the penalty
    depends on the features' units. A feature that is constant within every query changes no ranking and gets weight 0.

    Parameters
    ----------
    loss : Surrogate
        Loss to minimize.
    data : RankingDataset
        Training queries.
    query_weights : array of float64, shape (n_queries,), optional
        Nonnegative weight of each query in the mean loss; by default equal. :math:`\sigma_j` does not depend on it.
    ridge : float
        Nonnegative penalty. At 0 there may be no minimum: the weights of a feature that orders every pair grow
        without bound.
    start : array-like, shape (n_features,), optional
        Initial weights; by default zeros.
    max_iterations : int
        Maximum number of iterations.
    tolerance : float
        Stop when no component of the gradient with respect to :math:`\sigma_j w_j` is larger.

    Examples
    --------
    >>> from rankmax.losses import CrossEntropy
    >>> X = [[1.0, 700.0], [3.0, 200.0], [2.0, 100.0], [2.0, 300.0]]
    >>> data = RankingDataset.from_arrays(X, [0, 1, 0, 1], qid=["a", "a", "b", "b"])
    >>> fit = fit_linear(CrossEntropy(alpha=2.0), data, ridge=0.0, tolerance=1e-9)
    >>> fit.weights.round(6), fit.converged
    (array([3.5 , 0.01]), True)
    """
    products = FeatureProducts.of(data)

    def sums(weights: F64) -> list[LossSums]:
        return [loss_sums(loss, data.judgments, products, products.scores(weights), query_weights)]

    given = _start(start, data)
    return _descend(sums, spread_within_queries(data), given, ridge, max_iterations, tolerance)


def fit_linear_over(loss: Surrogate, objective: Objective, *, ridge: float = 1e-3) -> LinearFit:
    """Minimize a loss as :func:`fit_linear` does, over the data and query weights of an objective.

    The data may be distributed over a backend; the result has the same bits.

    Parameters
    ----------
    loss : Surrogate
    objective : Objective
    ridge : float
        Nonnegative penalty.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.losses import CrossEntropy
    >>> from rankmax.metrics import AP
    >>> data = planted_linear(20, 10, 3, seed=1).data
    >>> there = fit_linear_over(CrossEntropy(), LinearObjective(data, AP()))
    >>> bool((there.weights == fit_linear(CrossEntropy(), data).weights).all())
    True
    """

    def sums(weights: F64) -> list[LossSums]:
        return objective.over_parts(_sums_of_part, loss, weights, combine=operator.add)

    return _descend(sums, objective.feature_spread, np.zeros(objective.n_features), ridge)


def _sums_of_part(part: Part, loss: Surrogate, weights: F64) -> LossSums:
    products = part.kept(_products)
    return loss_sums(loss, part.data.judgments, products, products.scores(weights), part.query_weights)


def _products(part: Part) -> FeatureProducts:
    return FeatureProducts.of(part.data)


def _descend(
    sums: Callable[[F64], Sequence[LossSums]],
    spread: F64,
    start: F64,
    ridge: float = 1e-3,
    max_iterations: int = 200,
    tolerance: float = 1e-3,
) -> LinearFit:
    check_number("fit_linear", "ridge", plain(ridge), "a nonnegative number", lambda value: value >= 0)
    scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)  # w = scale * v

    def objective(v: F64) -> tuple[float, F64]:
        mean = MeanLoss.of(sums(scale * v))
        return mean.value + ridge / 2 * float(v @ v), scale * mean.moments[0] + ridge * v

    found = minimize(objective, start * spread, max_iterations=max_iterations, tolerance=tolerance)
    return LinearFit(scale * found.parameters, found.value, found.n_iterations, found.converged)


def _start(start: ArrayLike | None, data: RankingDataset) -> F64:
    weights = np.zeros(data.n_features) if start is None else np.array(start, np.float64)
    if weights.shape != (data.n_features,):
        raise InvalidDataError(f"start has shape {weights.shape}; the data has {data.n_features} features")
    if not np.isfinite(weights).all():
        raise InvalidDataError("start has a weight that is not finite")
    return weights
