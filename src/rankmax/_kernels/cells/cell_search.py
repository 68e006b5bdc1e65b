"""Cutting a cell up until the parts are worth no more than what is known, depth first.

The cuts are recorded as bytes, in the order in which cells are cut or given up, a cell's parts after it, first part
first: 8 * e + l for a cut of edge e, where bit p of l is set if part p is a leaf (worth no more than what is known) and
has no byte of its own; LEAF for any other cell that is not to be cut; OPEN for a cell that is left to be cut. Edges are
pairs of vertices (i, j), i < j, in lexicographic order. For the parts see bisection.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I64, U8
from rankmax._kernels.borrowed import borrowed
from rankmax._kernels.cells.bisection import EdgeCut, choose_edge, find_middle, push_part
from rankmax._kernels.cells.cell_points import find_center, order_pairs, value_of_orders
from rankmax._kernels.cells.cell_stack import DEPTH, Cells, Scratch, copy_cell, has_room, new_stack
from rankmax._kernels.cells.layered_metric import LayeredMetric
from rankmax._kernels.cells.plane_arrangement import bound_by_arrangement
from rankmax._kernels.cells.plane_sides import bound_by_sides, find_tie
from rankmax._kernels.compilation import njit

LEAF, OPEN = 254, 255
"""Codes of cells that are not cut."""

_FEW_PAIRS = 256  # of cells whose center is always looked at, beside one in so many others: it costs as much as a cut
_CUTS_TO_LOOK = 4


class CellsLeft(NamedTuple):
    """Room for the cells whose code is OPEN, in their order.

    Attributes
    ----------
    vertices : float64, (capacity, n_features, n_features)
    n_vertices, bounds : int64, (capacity,)
    """

    vertices: F64
    n_vertices: I64
    bounds: I64


@njit(cache=True, nogil=True)
def search_cell(
    metric: LayeredMetric, first: Cells, known: int, gap: int, work: int, codes: U8, left: CellsLeft, best_weights: F64
) -> tuple[int, int, int, int, int]:
    """Cut a cell up until no part is worth more than the best value plus `gap`, or some work is done.

    Returns the number of codes, of cells cut, and of cells left; the best value found, which is at `best_weights`,
    or `known`; and the highest bound of a leaf, so that this holds even where a best value turns out not to be one: a
    tiny cell may not hold its rounded center.

    Parameters
    ----------
    metric : LayeredMetric
    first : Cells
        One cell, as settle_cell leaves it.
    known, gap : int
        In units: the best value that is known already, and how much more a leaf may be worth.
    work : int
        How many times to look at a pair, about.
    codes : uint8
        Filled with the codes of the cells; see above.
    left : CellsLeft
        Filled.
    best_weights : float64, (n_features,)
        Filled where better weights are found.
    """
    stack, cell, scratch = new_stack(metric, first)
    found: tuple[int, int, int, int, int]
    found = _search(metric, stack, cell, scratch, known, gap, work, codes, left, best_weights)
    return found


@njit(cache=True, nogil=True)
def _search(
    metric: LayeredMetric,
    stack: Cells,
    cell: Cells,
    scratch: Scratch,
    known: int,
    gap: int,
    work: int,
    codes: U8,
    left: CellsLeft,
    best_weights: F64,
) -> tuple[int, int, int, int, int]:
    """Search the cell on a stack, as search_cell says."""
    metric, stack, cell, scratch = borrowed(metric), borrowed(stack), borrowed(cell), borrowed(scratch)
    middle, inside = np.empty(best_weights.size), np.empty(best_weights.size)
    best = known
    highest_leaf = int(np.int64(-(1 << 62)))
    pairs_before = np.full(DEPTH, 1 << 62)  # of the cell that each on the stack was cut from
    n_codes = n_cut = n_left = 0
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
            n_codes += 1
            _leave(stack, top, left, n_left)
            n_left += 1
            continue
        copy_cell(stack, top, cell)
        work -= cell.n_pairs[0] + 32 * cell.n_queries[0] + 64

        # Weights inside may be better than the best, and planes of ties may give a lower bound.
        if cell.n_pairs[0] <= _FEW_PAIRS or n_cut % _CUTS_TO_LOOK == 0:
            find_center(cell, inside)
            best = _keep_better(metric, cell, inside, best, best_weights, scratch)
        bound, tied = bound_by_sides(metric, cell, scratch)
        if bound > best + gap and tied >= 0 and find_tie(metric, cell, tied, inside):
            best = _keep_better(metric, cell, inside, best, best_weights, scratch)
        cell.bound[0] = min(cell.bound[0], bound)
        a, b, edge = choose_edge(cell, scratch)
        cut = EdgeCut(a, b, middle)
        is_smallest = not find_middle(cell, cut)
        if cell.bound[0] > best + gap and (is_smallest or cell.n_pairs[0] >= pairs_before[top]):
            cell.bound[0], is_found = bound_by_arrangement(metric, cell, best + gap, scratch, inside)
            if is_found:
                best = _keep_better(metric, cell, inside, best, best_weights, scratch)
        if cell.bound[0] <= best + gap or is_smallest:
            codes[n_codes] = LEAF
            n_codes += 1
            highest_leaf = max(highest_leaf, cell.bound[0])
            continue

        order_pairs(metric, cell, cut.middle, scratch)
        leaves = 0
        for part in range(2, -1, -1):  # so that part 0 is on top
            push_part(metric, stack, top, cell, cut, part, known + gap, scratch)
            pairs_before[top] = cell.n_pairs[0]
            if stack.bound[top] <= best + gap:
                leaves |= 1 << part
                highest_leaf = max(highest_leaf, stack.bound[top])
            else:
                top += 1
        codes[n_codes] = 8 * edge + leaves
        n_codes += 1
        n_cut += 1
    return n_codes, n_cut, n_left, best, highest_leaf


@njit(cache=True, nogil=True)
def _leave(stack: Cells, t: int, left: CellsLeft, n_left: int) -> None:
    """Write the cell at place t of the stack to those that are left."""
    for v in range(stack.n_vertices[t]):
        for j in range(left.vertices.shape[2]):
            left.vertices[n_left, v, j] = stack.vertices[t, v, j]
    left.n_vertices[n_left] = stack.n_vertices[t]
    left.bounds[n_left] = stack.bound[t]


@njit(cache=True, nogil=True)
def _keep_better(
    metric: LayeredMetric, cell: Cells, weights: F64, best: int, best_weights: F64, scratch: Scratch
) -> int:
    """Keep weights inside a cell if they are better than the best; return the best value."""
    order_pairs(metric, cell, weights, scratch)
    value = int(value_of_orders(metric, cell, scratch))
    if value <= best:
        return best
    for j in range(weights.size):
        best_weights[j] = weights[j]
    return value
