"""Open polytopes inside a cell, and cutting them along planes, in whole numbers.

A polytope is given by its corners: barycentric coordinates in the cell, up to a factor. A plane is given by its values
at the vertices of the cell. Like a simplex, a polytope is before, on or behind a plane, or it is cut by it.

Corners u before and v behind a plane are the ends of an edge if no other corner lies on all sides that both lie on
(Motzkin, Raiffa, Thompson & Thrall 1953, The double description method).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import I64
from rankmax._kernels.compilation import njit

MOST_CORNERS, MOST_SIDES = 64, 60
"""Of a polytope."""
SMALL = 2.0**30
"""Coordinates and values are smaller: six products of such numbers fit into 63 bits."""
CUT = 2
"""How a plane stands to a polytope that it cuts; else 1, 0 and -1: the polytope is before, on, behind it."""


class Polytopes(NamedTuple):
    """Room for polytopes.

    Attributes
    ----------
    corners : int64, (capacity, MOST_CORNERS, n_vertices)
    sides : int64, (capacity, MOST_CORNERS)
        The sides that each corner lies on, as bits.
    n_corners, n_sides : int64, (capacity,)
    stands : int8, (capacity, n_planes)
        How each plane stands to the polytope.
    bound : int64, (capacity,)
        In units: the most that the metric can be worth inside.
    """

    corners: I64
    sides: I64
    n_corners: I64
    n_sides: I64
    stands: NDArray[np.int8]
    bound: I64


@njit(cache=True, nogil=True)
def begin_with_cell(polytopes: Polytopes, bound: int) -> None:
    """Write the cell itself to place 0, cut by all planes."""
    n_vertices = polytopes.corners.shape[2]
    for v in range(n_vertices):
        for u in range(n_vertices):
            polytopes.corners[0, v, u] = u == v
        polytopes.sides[0, v] = ((1 << n_vertices) - 1) ^ (1 << v)
    polytopes.n_corners[0] = polytopes.n_sides[0] = n_vertices
    polytopes.stands[0, :] = CUT
    polytopes.bound[0] = bound


@njit(cache=True, nogil=True)
def cut_polytope(polytopes: Polytopes, t: int, planes: I64, k: int) -> bool:
    """Write what lies before, behind and on plane k of polytope t to t, t + 1 and t + 2; return whether it fits."""
    n, n_sides, n_planes = polytopes.n_corners[t], polytopes.n_sides[t], polytopes.stands.shape[1]
    if n_sides == MOST_SIDES:
        return False  # no bit is left for the new side
    new_side = np.int64(1) << n_sides
    corners, sides, at = np.empty((n, planes.shape[1]), np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        for v in range(planes.shape[1]):
            corners[i, v] = polytopes.corners[t, i, v]
        at[i] = _value(planes, k, polytopes.corners, t, i)
        sides[i] = polytopes.sides[t, i] | new_side if at[i] == 0 else polytopes.sides[t, i]
    for target in range(t, t + 3):
        polytopes.n_corners[target], polytopes.n_sides[target] = 0, n_sides + 1
        polytopes.bound[target] = polytopes.bound[t]
        for other in range(n_planes):
            polytopes.stands[target, other] = polytopes.stands[t, other]
    for i in range(n):
        for target in range(t, t + 3):
            lies = at[i] >= 0 if target == t else at[i] <= 0 if target == t + 1 else at[i] == 0
            if lies and not _add_corner(polytopes, target, corners[i], sides[i]):
                return False
    between = np.empty(planes.shape[1], np.int64)
    for i in range(n):
        for j in range(n):
            if at[i] > 0 and at[j] < 0 and _is_edge(sides, i, j):
                if not _meet(corners[i], at[i], corners[j], at[j], between):
                    return False
                for target in range(t, t + 3):
                    if not _add_corner(polytopes, target, between, sides[i] & sides[j] | new_side):
                        return False
    for target in range(t, t + 3):
        for other in range(n_planes):
            if polytopes.stands[target, other] == CUT:
                polytopes.stands[target, other] = _stands(polytopes, target, planes, other)
    return True


@njit(cache=True, nogil=True)
def _value(planes: I64, k: int, corners: I64, t: int, i: int) -> int:
    """Return the value of plane k at corner i of polytope t: positive before the plane, negative behind it."""
    value = int(np.int64(0))
    for v in range(planes.shape[1]):
        value += planes[k, v] * corners[t, i, v]
    return value


@njit(cache=True, nogil=True)
def _add_corner(polytopes: Polytopes, t: int, corner: I64, sides: int) -> bool:
    """Add a corner to polytope t; return whether it fits."""
    n = polytopes.n_corners[t]
    if n == MOST_CORNERS:
        return False
    for v in range(corner.size):
        polytopes.corners[t, n, v] = corner[v]
    polytopes.sides[t, n] = sides
    polytopes.n_corners[t] = n + 1
    return True


@njit(cache=True, nogil=True)
def _is_edge(sides: I64, i: int, j: int) -> bool:
    """Whether two corners are the ends of an edge: no other lies on all sides that both lie on."""
    both = sides[i] & sides[j]
    n_on_both = 0
    for other in range(sides.size):
        n_on_both += sides[other] & both == both
    return bool(n_on_both == 2)


@njit(cache=True, nogil=True)
def _meet(a: I64, at_a: int, b: I64, at_b: int, between: I64) -> bool:
    """Write where the edge from a to b meets the plane at which they have these values; return whether it fits."""
    divisor = np.int64(0)
    for v in range(a.size):
        if float(at_a) * float(b[v]) - float(at_b) * float(a[v]) >= SMALL * SMALL:
            return False
        between[v] = at_a * b[v] - at_b * a[v]
        divisor = gcd(divisor, between[v])
    for v in range(a.size):
        between[v] //= divisor
        if between[v] >= SMALL:
            return False
    return True


@njit(cache=True, nogil=True)
def _stands(polytopes: Polytopes, t: int, planes: I64, k: int) -> int:
    """Return how a plane stands to an open polytope: 1, 0 or -1 where it is before, on or behind the plane, or CUT."""
    before = behind = False
    for i in range(polytopes.n_corners[t]):
        value = _value(planes, k, polytopes.corners, t, i)
        before |= value > 0
        behind |= value < 0
    return CUT if before and behind else int(before) - int(behind)


@njit(cache=True, nogil=True)
def swap_polytopes(polytopes: Polytopes, a: int, b: int) -> None:
    """Exchange the polytopes at two places."""
    corners, sides, stands = polytopes.corners, polytopes.sides, polytopes.stands
    for i in range(max(polytopes.n_corners[a], polytopes.n_corners[b])):
        sides[a, i], sides[b, i] = sides[b, i], sides[a, i]
        for v in range(corners.shape[2]):
            corners[a, i, v], corners[b, i, v] = corners[b, i, v], corners[a, i, v]
    for k in range(stands.shape[1]):
        stands[a, k], stands[b, k] = stands[b, k], stands[a, k]
    polytopes.n_corners[a], polytopes.n_corners[b] = polytopes.n_corners[b], polytopes.n_corners[a]
    polytopes.bound[a], polytopes.bound[b] = polytopes.bound[b], polytopes.bound[a]


@njit(cache=True, nogil=True)
def gcd(a: int, b: int) -> int:
    """Return the greatest common divisor; the other number where one is 0."""
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a
