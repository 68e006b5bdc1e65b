"""The most that a cell is worth, found by cutting it along the planes on which documents tie.

Cuts in the middle of edges never reach a point such as (1/3, 1/3, 1/3). Where many planes meet in one, which features
of small whole numbers see to, the bound of the cells around it stays too high however small they are. So such a cell is
cut in another way: at a plane, into what lies before it, on it and behind it. The parts are open polytopes, given by
their corners; like a simplex, one is before, on or behind a plane, or it is cut by it. A part that is worth no more
than what is known is done with, and where no plane cuts a part any more, it has one value.

All numbers are whole. As planes pass close by the vertices of a small cell, the differences of scores there are small
multiples of a unit, so that nothing is rounded and little can overflow. (What might is given up.) For the parts see
cell_polytopes.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64
from rankmax._kernels.cells.cell_points import value_of_orders
from rankmax._kernels.cells.cell_polytopes import (
    CUT,
    MOST_CORNERS,
    SMALL,
    Polytopes,
    begin_with_cell,
    cut_polytope,
    gcd,
    swap_polytopes,
)
from rankmax._kernels.cells.cell_stack import Cells, Scratch
from rankmax._kernels.cells.layered_metric import LayeredMetric
from rankmax._kernels.compilation import njit

MOST_PLANES = 512
MOST_PARTS = 512
"""That a cell is cut into before it is given up."""
_WAITING = 128  # parts at once
_LARGE = 2.0**52  # values of planes fit into a float


class _TiePlanes(NamedTuple):
    """The planes on which the open pairs of a cell tie, each given by its values at the vertices."""

    values: I64  # (MOST_PLANES, n_vertices)
    n_tied: I64  # (MOST_PLANES,) pairs that tie there
    of_pair: I64  # (n_pairs,)
    side: NDArray[np.int8]  # (n_pairs,) 1 where `high` is ahead before the plane, -1 where behind it


@njit(cache=True, nogil=True)
def bound_by_arrangement(
    metric: LayeredMetric, cell: Cells, known: int, scratch: Scratch, weights: F64
) -> tuple[int, bool]:
    """Return the most that a cell is worth, and whether that is more than `known` and to be had at `weights`.

    Parts that are worth no more than `known` are not cut. Where there are too many others, or numbers are too large,
    the cell's own bound is returned.
    """
    given_up = int(cell.bound[0]), False
    planes = _room_for_planes(cell)
    n_planes = _find_planes(metric, cell, planes)
    if n_planes < 0:
        return given_up
    parts = _room_for_parts(cell, n_planes)
    begin_with_cell(parts, given_up[0])
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
            if parts.stands[top, k] == CUT and (chosen < 0 or planes.n_tied[k] > planes.n_tied[chosen]):
                chosen = k
        if chosen < 0:  # it has one value
            bound = known = int(parts.bound[top])
            found = True
            _find_weights(cell, parts, top, weights)
            continue
        n_parts += 3
        if n_parts > MOST_PARTS or top + 3 > _WAITING or not cut_polytope(parts, top, planes.values, chosen):
            return given_up
        for t in range(top, top + 3):
            for p in range(cell.n_pairs[0]):
                stands = parts.stands[t, planes.of_pair[p]]
                scratch.orders[p] = 1 if stands == CUT else planes.side[p] * stands
            parts.bound[t] = min(int(value_of_orders(metric, cell, scratch)), parts.bound[t])
        for t in range(top, top + 2):  # the most promising goes on top
            if parts.bound[t] > parts.bound[top + 2]:
                swap_polytopes(parts, t, top + 2)
        top += 3
    return bound, found


@njit(cache=True, nogil=True)
def _room_for_planes(cell: Cells) -> _TiePlanes:
    n_pairs = cell.n_pairs[0]
    return _TiePlanes(
        values=np.empty((MOST_PLANES, cell.n_vertices[0]), np.int64),
        n_tied=np.zeros(MOST_PLANES, np.int64),
        of_pair=np.empty(n_pairs, np.int64),
        side=np.empty(n_pairs, np.int8),
    )


@njit(cache=True, nogil=True)
def _room_for_parts(cell: Cells, n_planes: int) -> Polytopes:
    return Polytopes(
        corners=np.empty((_WAITING, MOST_CORNERS, cell.n_vertices[0]), np.int64),
        sides=np.empty((_WAITING, MOST_CORNERS), np.int64),
        n_corners=np.zeros(_WAITING, np.int64),
        n_sides=np.zeros(_WAITING, np.int64),
        stands=np.empty((_WAITING, n_planes), np.int8),
        bound=np.zeros(_WAITING, np.int64),
    )


@njit(cache=True, nogil=True)
def _find_planes(metric: LayeredMetric, cell: Cells, planes: _TiePlanes) -> int:
    """Write the planes on which pairs tie; return how many there are.

    -1 where features or vertices are not multiples of a unit that keeps the values small, or there are too many.
    """
    side = planes.side
    n_vertices, n_features = planes.values.shape[1], metric.rows.shape[1]
    unit = _unit(cell)
    if metric.multiple == 0.0 or unit == 0.0:
        return -1
    n_planes = 0
    values = np.empty(n_vertices, np.int64)
    for p in range(cell.n_pairs[0]):
        high, low = cell.pairs.high[p], cell.pairs.low[p]
        divisor = first = int(np.int64(0))
        for v in range(n_vertices):
            value = magnitude = 0.0
            for j in range(n_features):
                difference = (metric.rows[high, j] - metric.rows[low, j]) * metric.multiple
                term = cell.vertices[0, v, j] * unit * difference
                value += term
                magnitude += abs(term)
            if magnitude >= _LARGE:
                return -1
            values[v] = int(value)
            divisor = gcd(divisor, values[v])
            first = values[v] if first == 0 else first
        side[p] = 1 if first > 0 else -1
        found = 0
        for v in range(n_vertices):
            values[v] = side[p] * (values[v] // divisor)
            if abs(values[v]) >= SMALL:
                return -1
        while found < n_planes and not _equal(planes.values[found], values):
            found += 1
        if found == MOST_PLANES:
            return -1
        if found == n_planes:
            n_planes += 1
            for v in range(n_vertices):
                planes.values[found, v] = values[v]
        planes.of_pair[p] = found
        planes.n_tied[found] += 1
    return n_planes


@njit(cache=True, nogil=True)
def _equal(plane: I64, values: I64) -> bool:
    v = 0
    while v < values.size and plane[v] == values[v]:
        v += 1
    return bool(v == values.size)


@njit(cache=True, nogil=True)
def _unit(cell: Cells) -> float:
    """Return the least power of two that makes whole numbers of the vertices, or 0 where it is too large."""
    unit = 1.0
    for v in range(cell.n_vertices[0]):
        for j in range(cell.vertices.shape[2]):
            while cell.vertices[0, v, j] * unit != np.floor(cell.vertices[0, v, j] * unit):
                unit *= 2.0
                if unit > _LARGE:
                    return 0.0
    return unit


@njit(cache=True, nogil=True)
def _find_weights(cell: Cells, parts: Polytopes, t: int, weights: F64) -> None:
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
            divisor = gcd(divisor, int(corner[j]))
        for j in range(weights.size):
            weights[j] += corner[j] / divisor
            total += abs(corner[j] / divisor)
    factor = 2.0 ** -np.ceil(np.log2(total))
    for j in range(weights.size):
        weights[j] *= factor
