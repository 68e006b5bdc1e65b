"""A user's compiled function, query by query."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba.core.errors import NumbaError

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax.errors import IncompatibleError


def apply_compiled(function: Callable[[F64], float], grades: F64, starts: I64, stops: I64) -> F64:
    """Return ``function(grades[start:stop])`` for each query.

    Parameters
    ----------
    function : numba dispatcher
        Takes a C-contiguous float64 array, returns a number.
    grades : float64, (n_documents,)
    starts, stops : int64, (n_queries,)

    Returns
    -------
    float64, (n_queries,)
    """
    values = np.empty(starts.size)
    try:
        _apply(function, grades, starts, stops, values)
    except NumbaError as error:
        raise IncompatibleError(
            f"numba cannot compile {function.__name__} for one float64 array of grades that returns a number: {error}"
        ) from None
    return values


@njit  # not cached: the compiled loop belongs to the user's function, which may change between runs
def _apply(function: Callable[[F64], float], grades: F64, starts: I64, stops: I64, values: F64) -> None:
    for query in range(starts.size):
        values[query] = function(grades[starts[query] : stops[query]])
