"""Weights of queries in a mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, Bool
from rankmax.errors import InvalidDataError
from rankmax.metrics.metric import Metric


def require_query_weights(query_weights: ArrayLike | None, n_queries: int) -> F64:
    """Return the weights of queries, which must have a positive sum or be nonnegative; by default 1 each.

    Negative weights occur in estimates that correct one judgment of a query by another.

    Parameters
    ----------
    query_weights : array-like, shape (n_queries,), optional
    n_queries : int

    Examples
    --------
    >>> require_query_weights([1, -2], 2)
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: query weights must be 2 finite numbers, nonnegative or with a positive sum
    """
    weights = np.ones(n_queries) if query_weights is None else np.asarray(query_weights, np.float64)
    well_formed = weights.shape == (n_queries,) and np.isfinite(weights).all()
    if not well_formed or ((weights < 0).any() and weights.sum() <= 0):
        raise InvalidDataError(f"query weights must be {n_queries} finite numbers, nonnegative or with a positive sum")
    return weights


def require_some_weight(total: float, metric: Metric) -> None:
    """Raise if no query counts.

    Parameters
    ----------
    total : float
        Total weight of the queries that the metric does not leave out.
    metric : Metric

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> require_some_weight(0.0, RR())
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: no query counts for RR: none has a relevant document and a weight
    """
    if total == 0:
        raise InvalidDataError(f"no query counts for {metric}: none has a relevant document and a weight")


def weights_of_counted(query_weights: ArrayLike | None, counted: Bool, metric: Metric) -> F64:
    """Return the weight of each query in the mean, 0 for queries that the metric leaves out.

    Parameters
    ----------
    query_weights : array-like, shape (n_queries,), optional
        Nonnegative weights; by default 1 each.
    counted : array of bool, shape (n_queries,)
    metric : Metric
        Metric to name in error messages.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> weights_of_counted([2, 1, 3], np.array([True, True, False]), RR(no_relevant="skip"))
    array([2., 1., 0.])
    """
    weights = np.where(counted, require_query_weights(query_weights, counted.size), 0.0)
    require_some_weight(float(weights.sum()), metric)
    return weights
