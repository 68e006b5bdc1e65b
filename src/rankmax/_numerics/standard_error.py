"""The standard error of a mean over queries."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64


def standard_error(values: F64) -> float:
    """Return the standard error of a mean over queries; those without a value do not count.

    Parameters
    ----------
    values : array of float64, shape (n_queries,)
        NaN for queries that are left out.

    Examples
    --------
    >>> round(standard_error(np.array([0.0, 1.0, np.nan, 1.0, 0.0])), 6)
    0.288675
    >>> standard_error(np.array([0.5]))
    0.0
    """
    counted = values[~np.isnan(values)]
    return float(counted.std(ddof=1)) / counted.size**0.5 if counted.size > 1 else 0.0
