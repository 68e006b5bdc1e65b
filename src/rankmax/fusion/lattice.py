"""Evenly spread points of the simplex."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from rankmax.arrays import F64

MOST_WEIGHTS = 6
"""Up to so many weights the simplex is small enough to be covered."""

_MOST_POINTS = 500
_FINEST = 200


def lattice_resolution(n_weights: int) -> int:
    """Return how finely the simplex is covered: the largest n up to 200 for which about 500 points suffice.

    Parameters
    ----------
    n_weights : int

    Examples
    --------
    >>> [lattice_resolution(d) for d in (2, 3, 4, 5, 6)]
    [200, 30, 12, 8, 6]
    """
    n = _FINEST
    while n > 1 and comb(n + n_weights - 1, n_weights - 1) > _MOST_POINTS:
        n -= 1
    return n


def simplex_lattice(n_weights: int, resolution: int) -> F64:
    r"""Return all weights that are nonnegative multiples of 1/n and add up to 1.

    Parameters
    ----------
    n_weights : int
    resolution : int
        n.

    Examples
    --------
    >>> simplex_lattice(3, 2)
    array([[0. , 0. , 1. ],
           [0. , 0.5, 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5],
           [0.5, 0.5, 0. ],
           [1. , 0. , 0. ]])
    """
    # A point is where n_weights - 1 bars stand among the units that they divide.
    n_places = resolution + n_weights - 1
    bars = np.array(list(combinations(range(n_places), n_weights - 1)), np.int64)
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n_places)])
    points: F64 = (np.diff(edges, axis=1) - 1) / resolution
    return points
