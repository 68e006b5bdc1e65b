"""Linear scores that minimise a surrogate: where direct maximisation starts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.spread import spread_within_queries
from rankmax.errors import InvalidDataError
from rankmax.lines.base import Objective
from rankmax.lines.part import Part
from rankmax.losses.base import Surrogate
from rankmax.losses.descent import minimise
from rankmax.losses.products import FeatureProducts
from rankmax.losses.sums import LossSums, MeanLoss, loss_sums
from rankmax.metrics.parameters import check_number, plain


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
    products = FeatureProducts.of(data)

    def sums(weights: F64) -> list[LossSums]:
        return [loss_sums(loss, data.judgments, products, products.scores(weights), query_weights)]

    given = _start(start, data)
    return _descend(sums, spread_within_queries(data), given, ridge, max_iterations, tolerance)


def fit_linear_over(loss: Surrogate, objective: Objective) -> LinearFit:
    """Minimise a loss as :func:`fit_linear` does, with the data and the weights of queries that an objective has.

    The data may lie with an engine: the bits are the same.

    Parameters
    ----------
    loss : Surrogate
    objective : Objective

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
    >>> from rankmax.losses.cross_entropy import CrossEntropy
    >>> from rankmax.metrics import AP
    >>> data = planted_linear(20, 10, 3, seed=1).data
    >>> there = fit_linear_over(CrossEntropy(), LinearObjective(data, AP()))
    >>> bool((there.weights == fit_linear(CrossEntropy(), data).weights).all())
    True
    """

    def sums(weights: F64) -> list[LossSums]:
        return objective.over_parts(_sums_of_part, loss, weights, combine=operator.add)

    return _descend(sums, objective.feature_spread, np.zeros(objective.n_features))


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
    check_number("fit_linear", "ridge", plain(ridge), "a number from 0", lambda value: value >= 0)
    scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)  # w = scale * v

    def objective(v: F64) -> tuple[float, F64]:
        mean = MeanLoss.of(sums(scale * v))
        return mean.value + ridge / 2 * float(v @ v), scale * mean.moments[0] + ridge * v

    found = minimise(objective, start * spread, max_iterations=max_iterations, tolerance=tolerance)
    return LinearFit(scale * found.parameters, found.value, found.n_iterations, found.converged)


def _start(start: ArrayLike | None, data: RankingDataset) -> F64:
    weights = np.zeros(data.n_features) if start is None else np.array(start, np.float64)
    if weights.shape != (data.n_features,):
        raise InvalidDataError(f"start has shape {weights.shape}; the data has {data.n_features} features")
    if not np.isfinite(weights).all():
        raise InvalidDataError("start has a weight that is not finite")
    return weights
