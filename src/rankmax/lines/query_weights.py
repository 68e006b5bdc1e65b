"""How much each query counts in the mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, Bool
from rankmax.errors import InvalidDataError
from rankmax.metrics.base import Metric


def weights_of_counted(query_weights: ArrayLike | None, counted: Bool, metric: Metric) -> F64:
    """Return the weight of each query in the mean, 0 where the metric leaves it out.

    Parameters
    ----------
    query_weights : array-like, shape (n_queries,), optional
        Numbers from 0; 1 each when left out.
    counted : array of bool, shape (n_queries,)
    metric : Metric
        For messages.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> weights_of_counted([2, 1, 3], np.array([True, True, False]), RR(no_relevant="skip"))
    array([2., 1., 0.])
    """
    weights = np.ones(counted.size) if query_weights is None else np.asarray(query_weights, np.float64)
    if weights.shape != counted.shape or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InvalidDataError(f"query weights must be {counted.size} numbers from 0")
    weights = np.where(counted, weights, 0.0)
    if weights.sum() == 0:
        raise InvalidDataError(f"no query counts for {metric}: none has a relevant document and a weight")
    return weights
