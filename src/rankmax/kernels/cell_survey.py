"""Cutting a cell up until it is known in which parts a metric is above some level and in which below, depth first.

A part is *above* the level where its floor is no less, *below* where its bound is less. Halving an edge halves a
simplex, so a part's share of the whole is known from how often it was cut. The faces between parts have no share, and
are left out.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import F64, I64, U8
from rankmax.kernels.cell_bounds import LayeredMetric
from rankmax.kernels.cell_parts import edge_to_cut, halfway, look_from, push_part
from rankmax.kernels.cell_stack import Cells, copy_cell, has_room, new_stack

BELOW, UNDECIDED, ABOVE = 0, 1, 2
"""What a part is found to be."""


@njit(cache=True, nogil=True)
def survey_cell(
    problem: LayeredMetric, first: Cells, level: int, depth: int, work: int, vertices: F64, verdicts: U8, depths: I64
) -> int:
    """Cut a cell up, and list its parts; return their number.

    Parameters
    ----------
    problem : LayeredMetric
    first : Cells
        One cell, as settle_cell leaves it.
    level : int
        In units.
    depth : int
        How often to cut a part at most.
    work : int
        How many times to look at a pair, about.
    vertices : float64, (capacity, n_vertices, n_features)
        Of the parts.
    verdicts, depths : uint8 and int64, (capacity,)
        BELOW, UNDECIDED or ABOVE; how often a part was cut.
    """
    stack, cell = new_stack(first)
    cuts = np.zeros(stack.bound.size, np.int64)
    middle = np.empty(vertices.shape[2])
    signs = np.empty(cell.high.size, np.int8)
    counts = np.zeros(problem.rows.shape[0], np.int64)
    more, none = np.zeros(cell.above.size, np.int32), np.zeros(cell.above.size, np.int32)
    n_parts = 0
    top = 1
    while top > 0:
        top -= 1
        verdict = ABOVE if stack.floor[top] >= level else BELOW if stack.bound[top] < level else UNDECIDED
        has_place = work > 0 and n_parts + top + 2 < verdicts.size and has_room(stack, top)
        if verdict == UNDECIDED and cuts[top] < depth and has_place:
            copy_cell(stack, top, cell)
            work -= cell.sizes[0, 1] + 32 * cell.sizes[0, 2] + 64
            a, b, _ = edge_to_cut(cell)
            if halfway(cell.vertices[0, a], cell.vertices[0, b], middle):
                look_from(problem, cell, middle, signs)
                cuts[top] += 1
                cuts[top + 1] = cuts[top]
                for part in range(2):
                    push_part(problem, stack, top, cell, part, a, b, middle, signs, more, none, counts)
                    top += 1
                continue
        verdicts[n_parts] = verdict
        depths[n_parts] = cuts[top]
        for v in range(vertices.shape[1]):
            for j in range(middle.size):
                vertices[n_parts, v, j] = stack.vertices[top, v, j]
        n_parts += 1
    return n_parts
