"""Cutting a cell up until the parts are worth no more than what is known, depth first.

The cuts are recorded as bytes, in the order in which cells are cut or given up, a cell's parts after it, first part
first: 8 * e + l for a cut of edge e, where bit p of l is set if part p is a leaf (worth no more than what is known) and
has no byte of its own; LEAF for any other cell that is not to be cut; OPEN for a cell that waits to be cut. Edges are
pairs of vertices (i, j), i < j, in lexicographic order. For the parts see cell_parts.py.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rankmax.arrays import F64, I32, I64, U8
from rankmax.kernels.cell_bounds import LayeredMetric
from rankmax.kernels.cell_faces import bound_by_faces
from rankmax.kernels.cell_parts import edge_to_cut, halfway, look_from, push_part, value_inside
from rankmax.kernels.cell_planes import bound_by_planes, tie_inside
from rankmax.kernels.cell_stack import DEPTH, Cells, copy_cell, has_room, new_stack

LEAF, OPEN = 254, 255
"""Codes of cells that are not cut."""
MOST_FEATURES = 6
"""Edges of larger cells do not fit into a byte, nor their signs into theirs."""


@njit(cache=True, nogil=True)
def search_cell(
    problem: LayeredMetric, first: Cells, known: int, gap: int, work: int,
    codes: U8, waiting: F64, waiting_sizes: I64, waiting_bounds: I64, best_weights: F64,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Cut a cell up until no part is worth more than the best value plus `gap`, or some work is done.

    Returns the number of codes, of cells cut, and of cells that wait; the best value found, which is at `best_weights`,
    or `known`; and the highest bound of a leaf, so that this holds even where a best value turns out not to be one: a
    tiny cell may not hold its rounded centre.

    Parameters
    ----------
    problem : LayeredMetric
    first : Cells
        One cell, as settle_cell leaves it.
    known, gap : int
        In units: the best value that is known already, and how much more a leaf may be worth.
    work : int
        How many times to look at a pair, about.
    codes : uint8
        Of the cells; see above.
    waiting, waiting_sizes, waiting_bounds : float64, (capacity, n_features, n_features), and int64
        The cells whose code is OPEN, in their order: vertices, their number, bound.
    best_weights : float64, (n_features,)
    """
    stack, cell = new_stack(first)
    middle, centre = np.empty(best_weights.size), np.empty(best_weights.size)
    signs = np.empty(cell.high.size, np.int8)
    counts = np.zeros(problem.rows.shape[0], np.int64)
    more, none = np.zeros(cell.above.size, np.int32), np.zeros(cell.above.size, np.int32)
    best = known
    highest_leaf = int(np.int64(-(1 << 62)))
    pairs_before = np.full(DEPTH, 1 << 62)  # of the cell that each was cut from
    n_codes = n_cut = n_waiting = 0
    top = 1
    while top > 0:
        top -= 1
        if stack.bound[top] <= best + gap:
            codes[n_codes] = LEAF
            n_codes += 1
            highest_leaf = max(highest_leaf, stack.bound[top])
            continue
        if work <= 0 or n_codes + 2 * DEPTH > codes.size or not has_room(stack, top):
            work = 0
            codes[n_codes] = OPEN
            for v in range(stack.sizes[top, 0]):
                for j in range(best_weights.size):
                    waiting[n_waiting, v, j] = stack.vertices[top, v, j]
            waiting_sizes[n_waiting] = stack.sizes[top, 0]
            waiting_bounds[n_waiting] = stack.bound[top]
            n_codes += 1
            n_waiting += 1
            continue
        copy_cell(stack, top, cell)
        work -= cell.sizes[0, 1] + 32 * cell.sizes[0, 2] + 64
        _mean(cell, centre)
        best = _better(problem, cell, centre, best, best_weights, signs, more, counts)
        bound, tied = bound_by_planes(problem, cell, signs, more, counts)
        if bound > best + gap and tied >= 0 and tie_inside(problem, cell, tied, centre):
            best = _better(problem, cell, centre, best, best_weights, signs, more, counts)
        cell.bound[0] = min(cell.bound[0], bound)
        a, b, edge = edge_to_cut(cell)
        is_smallest = not halfway(cell.vertices[0, a], cell.vertices[0, b], middle)
        if cell.bound[0] > best + gap and (is_smallest or cell.sizes[0, 1] >= pairs_before[top]):
            cell.bound[0], is_found = bound_by_faces(problem, cell, best + gap, signs, more, counts, centre)
            if is_found:
                best = _better(problem, cell, centre, best, best_weights, signs, more, counts)
        if cell.bound[0] <= best + gap or is_smallest:
            codes[n_codes] = LEAF
            n_codes += 1
            highest_leaf = max(highest_leaf, cell.bound[0])
            continue
        look_from(problem, cell, middle, signs)
        leaves = 0
        for part in range(2, -1, -1):
            push_part(problem, stack, top, cell, part, a, b, middle, signs, more, none, counts)
            pairs_before[top] = cell.sizes[0, 1]
            if stack.bound[top] <= best + gap:
                leaves |= 1 << part
                highest_leaf = max(highest_leaf, stack.bound[top])
            else:
                top += 1
        codes[n_codes] = 8 * edge + leaves
        n_codes += 1
        n_cut += 1
    return n_codes, n_cut, n_waiting, best, highest_leaf


@njit(cache=True, nogil=True)
def _better(
    problem: LayeredMetric, cell: Cells, weights: F64, best: int, best_weights: F64,
    signs: NDArray[np.int8], more: I32, counts: I64,
) -> int:  # fmt: skip
    """Keep weights inside a cell if they are better than the best; return the best value."""
    look_from(problem, cell, weights, signs)
    value = int(value_inside(problem, cell, signs, more, counts))
    if value <= best:
        return best
    for j in range(weights.size):
        best_weights[j] = weights[j]
    return value


@njit(cache=True, nogil=True)
def _mean(cell: Cells, centre: F64) -> None:
    """Write the mean of the vertices, up to a factor that spares rounding: what ties in the cell ties there, too."""
    n_vertices = cell.sizes[0, 0]
    factor = 1.0
    while n_vertices * factor > 1.0:
        factor *= 0.5
    for j in range(centre.size):
        centre[j] = 0.0
        for v in range(n_vertices):
            centre[j] += cell.vertices[0, v, j] * factor
