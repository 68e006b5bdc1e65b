"""Local maxima of a surface over the simplex of three weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.spaces.lattice import simplex_lattice

_STEPS = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1], [-1, 1, 0], [-1, 0, 1], [0, -1, 1]])  # to the neighbors


def n_steps_of(n_points: int) -> int:
    """Return the number K of steps of the lattice that has (K + 1)(K + 2) / 2 points.

    Parameters
    ----------
    n_points : int

    Examples
    --------
    >>> [n_steps_of(len(simplex_lattice(3, n))) for n in (1, 2, 40)]
    [1, 2, 40]
    """
    return (math.isqrt(8 * n_points + 1) - 3) // 2


@dataclass(frozen=True)
class LocalMaxima:
    """The shape of a surface.

    Attributes
    ----------
    n_maxima : int
        Number of points, or connected points of equal value, without a higher neighbor.
    best : float
        The highest value.
    share_near_best : float
        Share of the points from which an ascent, always to the highest neighbor, ends near the highest value.
    """

    n_maxima: int
    best: float
    share_near_best: float


def local_maxima(values: F64, *, near: float = 0.01) -> LocalMaxima:
    """Return the shape of a surface given by its values on a lattice.

    Parameters
    ----------
    values : array
        Values in the order of :func:`~rankmax.spaces.lattice.simplex_lattice`.
    near : float
        Largest distance below the highest value, as a share of it, that counts as near.

    Examples
    --------
    >>> local_maxima(np.array([0.5, 0.2, 0.4]))  # three points, all neighbors
    LocalMaxima(n_maxima=1, best=0.5, share_near_best=1.0)
    """
    n_steps = n_steps_of(values.size)
    points = simplex_lattice(3, n_steps)
    number = np.full((n_steps + 1, n_steps + 1), -1)
    number[points[:, 0], points[:, 1]] = np.arange(points.shape[0])
    moved = points[:, None] + _STEPS
    inside = ((moved >= 0) & (moved <= n_steps)).all(axis=2)
    clipped = np.clip(moved, 0, n_steps)
    # Neighbors outside the lattice are replaced by the point itself, which changes nothing.
    own = np.arange(points.shape[0])[:, None]
    neighbors = np.where(inside, number[clipped[..., 0], clipped[..., 1]], own)
    highest = neighbors[own[:, 0], np.argmax(values[neighbors], axis=1)]
    step = np.where(values[highest] > values, highest, own[:, 0])
    ends = step
    while not np.array_equal(ends, step[ends]):
        ends = step[ends]
    best = float(values.max())
    return LocalMaxima(_n_maxima(values, neighbors), best, float((values[ends] >= (1 - near) * best).mean()))


def _n_maxima(values: F64, neighbors: I64) -> int:
    """Return the number of plateaus without a higher neighbor, by flood fill."""
    seen = np.zeros(values.size, np.bool_)
    n_maxima = 0
    for first in range(values.size):
        if seen[first]:
            continue
        waiting, is_maximum = [first], True
        seen[first] = True
        while waiting:
            around = neighbors[waiting.pop()]
            is_maximum &= bool((values[around] <= values[first]).all())
            for other in np.unique(around[(values[around] == values[first]) & ~seen[around]]).tolist():
                seen[other] = True
                waiting.append(other)
        n_maxima += is_maximum
    return n_maxima
