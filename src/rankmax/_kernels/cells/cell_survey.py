"""Cutting a cell up until it is known in which parts a metric is above some level and in which below, depth first.

A part is *above* the level where its floor is no less, *below* where its bound is less. Halving an edge halves a
simplex, so a part's share of the whole is known from how often it was cut. The faces between parts have no share, and
are left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I64, U8
from rankmax._kernels.borrowed import borrowed
from rankmax._kernels.cells.bisection import EdgeCut, choose_edge, find_middle, push_part
from rankmax._kernels.cells.cell_points import order_pairs
from rankmax._kernels.cells.cell_stack import Cells, Scratch, copy_cell, has_room, new_stack
from rankmax._kernels.cells.layered_metric import LayeredMetric
from rankmax._kernels.compilation import njit

BELOW, UNDECIDED, ABOVE = 0, 1, 2
"""What a part is found to be."""


class SurveyedParts(NamedTuple):
    """Room for the parts of a cell.

    Attributes
    ----------
    vertices : float64, (capacity, n_vertices, n_features)
    verdicts : uint8, (capacity,)
        BELOW, UNDECIDED or ABOVE.
    depths : int64, (capacity,)
        How often a part was cut.
    """

    vertices: F64
    verdicts: U8
    depths: I64


@njit(cache=True, nogil=True)
def survey_cell(metric: LayeredMetric, first: Cells, level: int, depth: int, work: int, parts: SurveyedParts) -> int:
    """Cut a cell up, and list its parts; return their number.

    Parameters
    ----------
    metric : LayeredMetric
    first : Cells
        One cell, as settle_cell leaves it.
    level : int
        In units.
    depth : int
        How often to cut a part at most.
    work : int
        How many times to look at a pair, about.
    parts : SurveyedParts
        Filled.
    """
    stack, cell, scratch = new_stack(metric, first)
    return int(_survey(metric, stack, cell, scratch, level, depth, work, parts))


@njit(cache=True, nogil=True)
def _survey(
    metric: LayeredMetric,
    stack: Cells,
    cell: Cells,
    scratch: Scratch,
    level: int,
    depth: int,
    work: int,
    parts: SurveyedParts,
) -> int:
    """Survey the cell on a stack, as survey_cell says."""
    metric, stack, cell, scratch = borrowed(metric), borrowed(stack), borrowed(cell), borrowed(scratch)
    cuts = np.zeros(stack.bound.size, np.int64)
    middle = np.empty(parts.vertices.shape[2])
    nothing = int(np.int64(-(1 << 62)))  # less than any bound
    n_parts = 0
    top = 1
    while top > 0:
        top -= 1
        verdict = ABOVE if stack.floor[top] >= level else BELOW if stack.bound[top] < level else UNDECIDED
        has_place = work > 0 and n_parts + top + 2 < parts.verdicts.size and has_room(stack, top)
        if verdict == UNDECIDED and cuts[top] < depth and has_place:
            copy_cell(stack, top, cell)
            work -= cell.n_pairs[0] + 32 * cell.n_queries[0] + 64
            a, b, _ = choose_edge(cell, scratch)
            cut = EdgeCut(a, b, middle)
            if find_middle(cell, cut):
                order_pairs(metric, cell, cut.middle, scratch)
                cuts[top] += 1
                cuts[top + 1] = cuts[top]
                for part in range(2):
                    push_part(metric, stack, top, cell, cut, part, nothing, scratch)
                    top += 1
                continue
        parts.verdicts[n_parts] = verdict
        parts.depths[n_parts] = cuts[top]
        for v in range(parts.vertices.shape[1]):
            for j in range(middle.size):
                parts.vertices[n_parts, v, j] = stack.vertices[top, v, j]
        n_parts += 1
    return n_parts
