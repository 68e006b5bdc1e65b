"""The most that a cell is worth, found by cutting it along the planes on which documents tie.

Cuts in the middle of edges never reach a point such as (1/3, 1/3, 1/3). Where many planes meet in one, which features
of small whole numbers see to, the bound of the cells around it stays too high however small they are. So such a cell is
cut in another way: at a plane, into what lies before it, on it and behind it. The parts are open polytopes, given by
their corners; like a simplex, one is before, on or behind a plane, or it is cut by it. A part that is worth no more
than what is known is done with, and where no plane cuts a part any more, it has one value.

Corners are whole numbers: barycentric coordinates in the cell, up to a factor. As planes pass close by the vertices of
a small cell, the differences of scores there are small multiples of a unit, so that nothing is rounded and little can
overflow. (What might is given up.) Corners u before and v behind a plane are the ends of an edge if no other corner
lies on all sides that both lie on (Motzkin, Raiffa, Thompson & Thrall 1953, The double description method).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rankmax.arrays import F64, I32, I64
from rankmax.kernels.cell_bounds import LayeredMetric
from rankmax.kernels.cell_parts import value_inside
from rankmax.kernels.cell_stack import Cells

MOST_PLANES = 512
MOST_PARTS = 512
"""That a cell is cut into before it is given up."""
_CORNERS, _SIDES, _WAITING = 64, 60, 128  # of a part; parts that wait
_SMALL, _LARGE = 2.0**30, 2.0**52  # six products of small numbers fit into 63 bits, those of a plane into a float
_CUT = 2  # by a plane; else 1, 0 and -1: before, on, behind it


class _Parts(NamedTuple):
    """Room for the parts that wait: corners, the sides (bits) that each lies on, and how planes stand to the part."""

    corners: I64  # (n_waiting, n_corners, n_vertices)
    sides: I64  # (n_waiting, n_corners)
    n_corners: I64
    n_sides: I64
    stands: NDArray[np.int8]  # (n_waiting, n_planes)
    bound: I64


@njit(cache=True, nogil=True)
def bound_by_faces(
    problem: LayeredMetric, cell: Cells, known: int, signs: NDArray[np.int8], more: I32, counts: I64, weights: F64
) -> tuple[int, bool]:
    """Return the most that a cell is worth, and whether that is more than `known` and to be had at `weights`.

    Parts that are worth no more than `known` are not cut. Where there are too many others, or numbers are too large,
    the cell's own bound is returned.
    """
    n_pairs, n_vertices = cell.sizes[0, 1], cell.sizes[0, 0]
    given_up = int(cell.bound[0]), False
    planes, n_tied = np.empty((MOST_PLANES, n_vertices), np.int64), np.zeros(MOST_PLANES, np.int64)
    plane, side = np.empty(n_pairs, np.int64), np.empty(n_pairs, np.int8)
    n_planes = _find_planes(problem, cell, planes, n_tied, plane, side)
    if n_planes < 0:
        return given_up
    parts = _whole(n_vertices, n_planes, given_up[0])
    bound, found = int(np.int64(-(1 << 62))), False
    n_parts = 0
    top = 1
    while top > 0:
        top -= 1
        if parts.bound[top] <= known:
            bound = max(bound, parts.bound[top])
            continue
        chosen = -1
        for k in range(n_planes):
            if parts.stands[top, k] == _CUT and (chosen < 0 or n_tied[k] > n_tied[chosen]):
                chosen = k
        if chosen < 0:
            bound = known = int(parts.bound[top])
            found = True
            _mean(cell, parts, top, weights)
            continue
        n_parts += 3
        if n_parts > MOST_PARTS or top + 3 > _WAITING or not _cut(parts, top, planes, chosen):
            return given_up
        for t in range(top, top + 3):
            for p in range(n_pairs):
                stands = parts.stands[t, plane[p]]
                signs[p] = 1 if stands == _CUT else side[p] * stands
            parts.bound[t] = min(int(value_inside(problem, cell, signs, more, counts)), parts.bound[t])
        for t in range(top, top + 2):
            if parts.bound[t] > parts.bound[top + 2]:
                _swap(parts, t, top + 2)
        top += 3
    return bound, found


@njit(cache=True, nogil=True)
def _whole(n_vertices: int, n_planes: int, bound: int) -> _Parts:
    """Return room with the cell itself as the only part."""
    parts = _Parts(
        np.zeros((_WAITING, _CORNERS, n_vertices), np.int64),
        np.zeros((_WAITING, _CORNERS), np.int64),
        np.zeros(_WAITING, np.int64),
        np.zeros(_WAITING, np.int64),
        np.zeros((_WAITING, n_planes), np.int8),
        np.zeros(_WAITING, np.int64),
    )
    for v in range(n_vertices):
        parts.corners[0, v, v] = 1
        parts.sides[0, v] = ((1 << n_vertices) - 1) ^ (1 << v)
    parts.n_corners[0] = parts.n_sides[0] = n_vertices
    for k in range(n_planes):
        parts.stands[0, k] = _CUT
    parts.bound[0] = bound
    return parts


@njit(cache=True, nogil=True)
def _find_planes(
    problem: LayeredMetric, cell: Cells, planes: I64, n_tied: I64, plane: I64, side: NDArray[np.int8]
) -> int:
    """Write the planes on which pairs tie, by their values at the vertices, and each pair's; return how many there are.

    -1 where features or vertices are not multiples of a unit that keeps the values small, or there are too many.
    """
    n_vertices, n_features = planes.shape[1], problem.rows.shape[1]
    unit = _unit(cell)
    if problem.multiple == 0.0 or unit == 0.0:
        return -1
    n_planes = 0
    values = np.empty(n_vertices, np.int64)
    for p in range(cell.sizes[0, 1]):
        divisor = first = int(np.int64(0))
        for v in range(n_vertices):
            value = magnitude = 0.0
            for j in range(n_features):
                difference = (problem.rows[cell.high[p], j] - problem.rows[cell.low[p], j]) * problem.multiple
                term = cell.vertices[0, v, j] * unit * difference
                value += term
                magnitude += abs(term)
            if magnitude >= _LARGE:
                return -1
            values[v] = int(value)
            divisor = _gcd(divisor, values[v])
            first = values[v] if first == 0 else first
        side[p] = 1 if first > 0 else -1
        found = 0
        for v in range(n_vertices):
            values[v] = side[p] * (values[v] // divisor)
            if abs(values[v]) >= _SMALL:
                return -1
        while found < n_planes and not _equal(planes, found, values):
            found += 1
        if found == MOST_PLANES:
            return -1
        if found == n_planes:
            n_planes += 1
            for v in range(n_vertices):
                planes[found, v] = values[v]
        plane[p] = found
        n_tied[found] += 1
    return n_planes


@njit(cache=True, nogil=True)
def _equal(planes: I64, k: int, values: I64) -> bool:
    v = 0
    while v < values.size and planes[k, v] == values[v]:
        v += 1
    return bool(v == values.size)


@njit(cache=True, nogil=True)
def _unit(cell: Cells) -> float:
    """Return the least power of two that makes whole numbers of the vertices, or 0 where it is too large."""
    unit = 1.0
    for v in range(cell.sizes[0, 0]):
        for j in range(cell.vertices.shape[2]):
            while cell.vertices[0, v, j] * unit != np.floor(cell.vertices[0, v, j] * unit):
                unit *= 2.0
                if unit > _LARGE:
                    return 0.0
    return unit


@njit(cache=True, nogil=True)
def _gcd(a: int, b: int) -> int:
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a


@njit(cache=True, nogil=True)
def _cut(parts: _Parts, t: int, planes: I64, k: int) -> bool:
    """Write the parts before, behind and on plane k of part t to t, t + 1 and t + 2; return whether they fit."""
    n, n_sides, n_planes = parts.n_corners[t], parts.n_sides[t], parts.stands.shape[1]
    if n_sides == _SIDES:
        return False
    new_side = np.int64(1) << n_sides
    corners, sides, at = np.empty((n, planes.shape[1]), np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        for v in range(planes.shape[1]):
            corners[i, v] = parts.corners[t, i, v]
        at[i] = _value(planes, k, parts.corners, t, i)
        sides[i] = parts.sides[t, i] | new_side if at[i] == 0 else parts.sides[t, i]
    for target in range(t, t + 3):
        parts.n_corners[target], parts.n_sides[target], parts.bound[target] = 0, n_sides + 1, parts.bound[t]
        for other in range(n_planes):
            parts.stands[target, other] = parts.stands[t, other]
    for i in range(n):
        for target in range(t, t + 3):
            lies = at[i] >= 0 if target == t else at[i] <= 0 if target == t + 1 else at[i] == 0
            if lies and not _add(parts, target, corners[i], sides[i]):
                return False
    between = np.empty(planes.shape[1], np.int64)
    for i in range(n):
        for j in range(n):
            if at[i] > 0 and at[j] < 0 and _is_edge(sides, i, j):
                if not _meet(corners[i], at[i], corners[j], at[j], between):
                    return False
                for target in range(t, t + 3):
                    if not _add(parts, target, between, sides[i] & sides[j] | new_side):
                        return False
    for target in range(t, t + 3):
        for other in range(n_planes):
            if parts.stands[target, other] == _CUT:
                parts.stands[target, other] = _stands(parts, target, planes, other)
    return True


@njit(cache=True, nogil=True)
def _value(planes: I64, k: int, corners: I64, t: int, i: int) -> int:
    value = int(np.int64(0))
    for v in range(planes.shape[1]):
        value += planes[k, v] * corners[t, i, v]
    return value


@njit(cache=True, nogil=True)
def _add(parts: _Parts, t: int, corner: I64, sides: int) -> bool:
    n = parts.n_corners[t]
    if n == _CORNERS:
        return False
    for v in range(corner.size):
        parts.corners[t, n, v] = corner[v]
    parts.sides[t, n] = sides
    parts.n_corners[t] = n + 1
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
        if float(at_a) * float(b[v]) - float(at_b) * float(a[v]) >= _SMALL * _SMALL:
            return False
        between[v] = at_a * b[v] - at_b * a[v]
        divisor = _gcd(divisor, between[v])
    for v in range(a.size):
        between[v] //= divisor
        if between[v] >= _SMALL:
            return False
    return True


@njit(cache=True, nogil=True)
def _stands(parts: _Parts, t: int, planes: I64, k: int) -> int:
    """Return how a plane stands to an open part: 1, 0 or -1 where the part is before, on or behind it, or _CUT."""
    before = behind = False
    for i in range(parts.n_corners[t]):
        value = _value(planes, k, parts.corners, t, i)
        before |= value > 0
        behind |= value < 0
    return _CUT if before and behind else int(before) - int(behind)


@njit(cache=True, nogil=True)
def _swap(parts: _Parts, a: int, b: int) -> None:
    for i in range(max(parts.n_corners[a], parts.n_corners[b])):
        parts.sides[a, i], parts.sides[b, i] = parts.sides[b, i], parts.sides[a, i]
        for v in range(parts.corners.shape[2]):
            parts.corners[a, i, v], parts.corners[b, i, v] = parts.corners[b, i, v], parts.corners[a, i, v]
    for k in range(parts.stands.shape[1]):
        parts.stands[a, k], parts.stands[b, k] = parts.stands[b, k], parts.stands[a, k]
    parts.n_corners[a], parts.n_corners[b] = parts.n_corners[b], parts.n_corners[a]
    parts.bound[a], parts.bound[b] = parts.bound[b], parts.bound[a]


@njit(cache=True, nogil=True)
def _mean(cell: Cells, parts: _Parts, t: int, weights: F64) -> None:
    """Write weights inside a part, up to a factor; free of rounding where the corners are simple."""
    corner = np.empty(weights.size)
    unit = _unit(cell)
    total = 0.0
    for j in range(weights.size):
        weights[j] = 0.0
    for i in range(parts.n_corners[t]):
        divisor = int(np.int64(0))
        for j in range(weights.size):
            corner[j] = 0.0
            for v in range(parts.corners.shape[2]):
                corner[j] += parts.corners[t, i, v] * cell.vertices[0, v, j] * unit
            divisor = _gcd(divisor, int(corner[j]))
        for j in range(weights.size):
            weights[j] += corner[j] / divisor
            total += abs(corner[j] / divisor)
    factor = 2.0 ** -np.ceil(np.log2(total))
    for j in range(weights.size):
        weights[j] *= factor
