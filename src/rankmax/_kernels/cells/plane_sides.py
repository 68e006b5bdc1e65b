"""A tighter bound for a cell that only a few planes pass through on which documents tie.

Pairs of documents whose differences are multiples of each other tie on the same plane, so they swap together: some for
better, some for worse, where documents of different worth have the same features, or features have few values. To a
plane, weights stand in one of three ways: before it, on it, behind it. So the cell is worth no more than the best of
the 3^g ways to stand to its g planes, each of which decides all its pairs, those that tie by the order of documents.

Whether planes are equal is decided without rounding, or else they are taken for different ones, which only adds ways.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax._kernels.cells.cell_points import value_of_orders
from rankmax._kernels.cells.cell_stack import Cells, Scratch
from rankmax._kernels.cells.exact_signs import exact_product
from rankmax._kernels.cells.layered_metric import LayeredMetric
from rankmax._kernels.cells.vertex_orders import ties_at
from rankmax._kernels.compilation import njit

MOST_PLANES = 5
MOST_PAIRS = 256
"""Of a cell that is looked at so."""
_ROUNDING = 1e-12


@njit(cache=True, nogil=True)
def bound_by_sides(metric: LayeredMetric, cell: Cells, scratch: Scratch) -> tuple[int, int]:
    """Return the most that a cell is worth, and a pair on whose plane it is that, or -1 if it is so beside all planes.

    Where too many planes or pairs are left, the cell's own bound is returned.
    """
    n_pairs = cell.n_pairs[0]
    bound = int(cell.bound[0])
    if n_pairs > MOST_PAIRS:
        return bound, -1
    plane, first = np.empty(n_pairs, np.int64), np.empty(MOST_PLANES, np.int64)
    side = np.empty(n_pairs, np.int8)
    n_planes = 0
    for p in range(n_pairs):
        found = -1
        for k in range(n_planes):
            side[p] = _same_plane(metric, cell, first[k], p) if _may_be_same(metric, cell, first[k], p) else 0
            if side[p] != 0:
                found = k
                break
        if found < 0:
            if n_planes == MOST_PLANES:
                return bound, -1
            first[n_planes] = p
            found, side[p] = n_planes, 1
            n_planes += 1
        plane[p] = found
    beside = most = int(cell.floor[0])
    tied = -1
    stands = np.empty(n_planes, np.int8)
    for way in range(3**n_planes):
        rest = way
        on = -1
        for k in range(n_planes):
            stands[k], rest = rest % 3 - 1, rest // 3
            if stands[k] == 0:
                on = first[k]
        for p in range(n_pairs):
            scratch.orders[p] = side[p] * stands[plane[p]]
        value = int(value_of_orders(metric, cell, scratch))
        if on < 0:
            beside = max(beside, value)
        elif value > most:
            most, tied = value, on
    return min(bound, max(most, beside)), tied if most > beside else -1


@njit(cache=True, nogil=True)
def _may_be_same(metric: LayeredMetric, cell: Cells, p: int, other: int) -> bool:
    """Whether the differences of two pairs are multiples of each other up to rounding: most are not."""
    high, low, to_high, to_low = cell.pairs.high[p], cell.pairs.low[p], cell.pairs.high[other], cell.pairs.low[other]
    rows = metric.rows
    x, y = rows[high, 0] - rows[low, 0], rows[to_high, 0] - rows[to_low, 0]
    for j in range(1, rows.shape[1]):
        one, two = x * (rows[to_high, j] - rows[to_low, j]), (rows[high, j] - rows[low, j]) * y
        if abs(one - two) > _ROUNDING * (abs(one) + abs(two)):
            return False
    return True


@njit(cache=True, nogil=True)
def _same_plane(metric: LayeredMetric, cell: Cells, p: int, other: int) -> int:
    """Return 1 if two pairs are known to tie on the same plane, -1 if so with opposite sides, else 0."""
    a, b = metric.rows[cell.pairs.high[p]], metric.rows[cell.pairs.low[p]]
    c, d = metric.rows[cell.pairs.high[other]], metric.rows[cell.pairs.low[other]]
    equal = opposite = True
    for j in range(a.size):
        equal &= a[j] == c[j] and b[j] == d[j]
        opposite &= a[j] == d[j] and b[j] == c[j]
    if equal or opposite:
        return 1 if equal else -1
    for j in range(a.size):
        if not (_subtracts_exactly(a[j], b[j]) and _subtracts_exactly(c[j], d[j])):
            return 0
    direction = 0
    for i in range(a.size):
        x, y = a[i] - b[i], c[i] - d[i]
        if (x == 0.0) != (y == 0.0):
            return 0
        if x != 0.0:
            direction = 1 if (x > 0.0) == (y > 0.0) else -1
        for j in range(i + 1, a.size):
            if exact_product(x, c[j] - d[j]) != exact_product(a[j] - b[j], y):
                return 0
    return direction


@njit(cache=True, nogil=True)
def _subtracts_exactly(x: float, y: float) -> bool:
    difference = x - y
    added = difference - x
    return bool(x - (difference - added) == 0.0 and -y - added == 0.0)


@njit(cache=True, nogil=True)
def find_tie(metric: LayeredMetric, cell: Cells, p: int, weights: F64) -> bool:
    """Write weights inside a cell at which a pair ties, rounded; return whether there are some.

    The plane meets the edge from vertex a to b in |s_b| a + |s_a| b, where the scores differ by s_a and s_b. The sum of
    these points over all edges that it meets, and of the vertices that it passes through, is inside, up to a factor.
    """
    weights[:] = 0.0
    largest = 0.0
    for a in range(cell.n_vertices[0]):
        largest = max(largest, abs(_difference(metric, cell, p, a)))
    for a in range(cell.n_vertices[0]):
        ahead = _difference(metric, cell, p, a)
        if ties_at(cell.pairs.bits[p], a):
            for j in range(weights.size):
                weights[j] += largest * cell.vertices[0, a, j]
        for b in range(a):
            behind = _difference(metric, cell, p, b)
            if ahead * behind < 0.0:
                for j in range(weights.size):
                    weights[j] += abs(behind) * cell.vertices[0, a, j] + abs(ahead) * cell.vertices[0, b, j]
    total = np.abs(weights).sum()
    if not total > 0.0:
        return False
    weights *= 2.0 ** -np.ceil(np.log2(total))
    return True


@njit(cache=True, nogil=True)
def _difference(metric: LayeredMetric, cell: Cells, p: int, v: int) -> float:
    high, low = metric.rows[cell.pairs.high[p]], metric.rows[cell.pairs.low[p]]
    total = 0.0
    for j in range(high.size):
        total += cell.vertices[0, v, j] * (high[j] - low[j])
    return total
