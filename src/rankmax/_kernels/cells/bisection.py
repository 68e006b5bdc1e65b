"""Cutting a cell in the middle of an edge.

An open simplex is cut in the middle m of an edge (a, b) into three parts: part 0 has m in the place of a, part 1 in the
place of b, and part 2 is the open face between them, which has m in the place of a and no b. Together they are the
whole cell, so what is proven of the parts is proven of it, ties and all.

What a cell has settled stays settled in its parts. So a part looks again at the cell's open pairs only, each of which
has one new vertex, and a query that has become constant is added up once. A query is worth no more in a part than in
the cell, so what some queries are worth in the part and the others in the cell may show that the part is a leaf.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64
from rankmax._kernels.cells.bounds import bound_query
from rankmax._kernels.cells.cell_stack import Cells, Scratch, begin_cell
from rankmax._kernels.cells.layered_metric import LayeredMetric, n_counts_of
from rankmax._kernels.cells.vertex_orders import (
    N_PATTERNS,
    drop_vertex,
    is_lost,
    is_open,
    pattern_of,
    replace_vertex,
    swaps_along,
)
from rankmax._kernels.compilation import njit
from rankmax._kernels.unsigned import unsigned

BETWEEN = 2
"""The part that is the face between the two others."""


class EdgeCut(NamedTuple):
    """A cut in the middle of an edge.

    Attributes
    ----------
    a, b : int
        The vertices of the edge, a < b.
    middle : float64, (n_features,)
    """

    a: int
    b: int
    middle: F64


@njit(cache=True, nogil=True)
def choose_edge(cell: Cells, scratch: Scratch) -> tuple[int, int, int]:
    """Return the edge for which its length times the number of pairs that it swaps is largest, and its number."""
    n_distinct = 0  # pairs are many, their patterns few
    distinct = np.empty(min(cell.n_pairs[0], N_PATTERNS), np.int64)
    for p in range(cell.n_pairs[0]):
        pattern = pattern_of(cell.pairs.bits[p])
        if scratch.patterns[pattern] == 0:
            distinct[n_distinct] = cell.pairs.bits[p]
            n_distinct += 1
        scratch.patterns[pattern] += 1
    best_a = best_b = best_edge = edge = 0
    most = -1.0
    for a in range(cell.n_vertices[0]):
        for b in range(a + 1, cell.n_vertices[0]):
            swapped = 0
            for i in range(n_distinct):
                if swaps_along(distinct[i], a, b):
                    swapped += scratch.patterns[pattern_of(distinct[i])]
            length = 0.0
            for j in range(cell.vertices.shape[2]):
                length += (cell.vertices[0, a, j] - cell.vertices[0, b, j]) ** 2
            if swapped * np.sqrt(length) > most:
                most = swapped * np.sqrt(length)
                best_a, best_b, best_edge = a, b, edge
            edge += 1
    for i in range(n_distinct):
        scratch.patterns[pattern_of(distinct[i])] = 0
    return best_a, best_b, best_edge


@njit(cache=True, nogil=True)
def find_middle(cell: Cells, cut: EdgeCut) -> bool:
    """Write the middle of the edge; return whether it is free of rounding."""
    for j in range(cut.middle.size):
        a, b = cell.vertices[0, cut.a, j], cell.vertices[0, cut.b, j]
        total = a + b
        if total - a != b or total - b != a:
            return False
        cut.middle[j] = 0.5 * total
    return True


@njit(cache=True, nogil=True)
def push_part(
    metric: LayeredMetric, stack: Cells, t: int, cell: Cells, cut: EdgeCut, part: int, enough: int, scratch: Scratch
) -> None:
    """Write one part of a cell to place t of the stack; `scratch.orders` is the order of its pairs at the middle.

    As soon as the part is known to be worth no more than `enough`, no more than a bound is written.
    """
    begin_cell(stack, t, cell.constant[0])
    rest = int(np.int64(0))  # what the queries that follow are worth at most
    for s in range(cell.n_queries[0]):
        rest += cell.queries.bound[s]
    for s in range(cell.n_queries[0]):
        if stack.bound[t] + rest <= enough:
            stack.bound[t] += rest
            return
        rest -= cell.queries.bound[s]
        q = cell.queries.query[s]
        first_count = stack.first_count[t] + stack.n_counts[t]
        for at in range(n_counts_of(metric, q)):
            stack.above[first_count + at] = cell.above[cell.queries.first_count[s] + at]
            scratch.more[at] = 0
        n_pairs = _settle_open_pairs(metric, stack, t, cell, s, cut, part, scratch)
        bound_query(metric, q, stack, t, n_pairs, scratch)
    stack.bound[t] = min(stack.bound[t], cell.bound[0])
    moved = cut.b if part == 1 else cut.a
    stack.n_vertices[t] = cell.n_vertices[0] - (part == BETWEEN)
    for v in range(stack.n_vertices[t]):
        kept = v + 1 if part == BETWEEN and v >= cut.b else v
        for j in range(cut.middle.size):
            stack.vertices[t, v, j] = cut.middle[j] if kept == moved else cell.vertices[0, kept, j]


@njit(cache=True, nogil=True)
def _settle_open_pairs(
    metric: LayeredMetric, stack: Cells, t: int, cell: Cells, s: int, cut: EdgeCut, part: int, scratch: Scratch
) -> int:
    """Write the pairs of a cell's query s that a part leaves open, count them and those lost; return their number."""
    q, first = cell.queries.query[s], cell.queries.first_pair[s]
    above, more = stack.above[stack.first_count[t] + stack.n_counts[t] :], scratch.more
    moved = cut.b if part == 1 else cut.a
    begin = end = stack.first_pair[t] + stack.n_pairs[t]
    for pair in range(first, first + cell.queries.n_pairs[s]):
        p = unsigned(pair)
        high, low = cell.pairs.high[p], cell.pairs.low[p]
        at = metric.place[unsigned(high)] * metric.rises.size
        if above[unsigned(at)] >= metric.cutoff[q]:
            continue  # it is out of reach, whatever becomes of this pair
        bits = replace_vertex(cell.pairs.bits[p], moved, scratch.orders[p])
        if part == BETWEEN:
            bits = drop_vertex(bits, cut.b)
        if is_open(bits):
            to = unsigned(end)
            stack.pairs.high[to], stack.pairs.low[to], stack.pairs.bits[to] = high, low, bits
            end += 1
            for layer in range(metric.classes[unsigned(low)], metric.classes[unsigned(high)]):
                more[unsigned(at + layer)] += 1
        elif is_lost(bits, high, low):
            for layer in range(metric.classes[unsigned(low)], metric.classes[unsigned(high)]):
                above[unsigned(at + layer)] += 1
    return int(end - begin)
