"""Cutting a cell in the middle of an edge.

An open simplex is cut in the middle m of an edge (a, b) into three parts: the two open simplexes in which m takes the
place of a or of b, and the open face between them, in which m takes the place of a while b is left out. Together they
are the whole cell, so what is proven of the parts is proven of it, ties and all.

What a cell has settled stays settled in its parts. Cells wait on a stack with the pairs that are left, by query
(segments), and with the counts of what is settled; a query that has become constant is added up once.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rankmax.arrays import F64, I32, I64
from rankmax.kernels.cell_bounds import LayeredMetric, layered_value
from rankmax.kernels.cell_stack import Cells, follow
from rankmax.kernels.exact_signs import sign_of_difference


@njit(cache=True, nogil=True)
def halfway(a: F64, b: F64, middle: F64) -> bool:
    """Write the middle of an edge; return whether it is free of rounding."""
    for j in range(a.size):
        total = a[j] + b[j]
        if total - a[j] != b[j] or total - b[j] != a[j]:
            return False
        middle[j] = 0.5 * total
    return True


@njit(cache=True, nogil=True)
def edge_to_cut(cell: Cells) -> tuple[int, int, int]:
    """Return the edge for which its length times the number of pairs that it swaps is largest, and its number."""
    n_vertices, n_pairs = cell.sizes[0, 0], cell.sizes[0, 1]
    best_a = best_b = best_edge = edge = 0
    most = -1.0
    for a in range(n_vertices):
        for b in range(a + 1, n_vertices):
            ahead, behind = 1 << a | 1 << (b + 8), 1 << b | 1 << (a + 8)
            swapped = 0
            for p in range(n_pairs):
                swapped += cell.signs[p] & ahead == ahead or cell.signs[p] & behind == behind
            length = 0.0
            for j in range(cell.vertices.shape[2]):
                length += (cell.vertices[0, a, j] - cell.vertices[0, b, j]) ** 2
            if swapped * np.sqrt(length) > most:
                most = swapped * np.sqrt(length)
                best_a, best_b, best_edge = a, b, edge
            edge += 1
    return best_a, best_b, best_edge


@njit(cache=True, nogil=True)
def value_inside(problem: LayeredMetric, cell: Cells, signs: NDArray[np.int8], more: I32, counts: I64) -> int:
    """Return the value at weights in the cell from which its pairs look as given."""
    n_layers = problem.rises.size
    value = int(cell.constant[0])
    for s in range(cell.sizes[0, 2]):
        q, start, first = cell.segments[s, 0], cell.segments[s, 1], cell.segments[s, 3]
        for at in range((problem.high_offsets[q + 1] - problem.high_offsets[q]) * n_layers):
            more[at] = 0
        for p in range(start, start + cell.segments[s, 2]):
            h, other = cell.high[p], cell.low[p]
            if signs[p] < 0 or (signs[p] == 0 and other < h):
                for layer in range(problem.classes[other], problem.classes[h]):
                    more[problem.place[h] * n_layers + layer] += 1
        value += layered_value(problem, q, cell.above, first, more, counts)
    return value


@njit(cache=True, nogil=True)
def look_from(problem: LayeredMetric, cell: Cells, weights: F64, signs: NDArray[np.int8]) -> None:
    """Write for each pair of a cell which document scores higher at some weights."""
    for s in range(cell.sizes[0, 2]):
        q, start = cell.segments[s, 0], cell.segments[s, 1]
        for p in range(start, start + cell.segments[s, 2]):
            signs[p] = sign_of_difference(
                weights, problem.rows[cell.high[p]], problem.rows[cell.low[p]], problem.tolerance[q]
            )


@njit(cache=True, nogil=True)
def push_part(
    problem: LayeredMetric, stack: Cells, t: int, cell: Cells, part: int, a: int, b: int, middle: F64,
    at_middle: NDArray[np.int8], more: I32, none: I32, counts: I64,
) -> None:  # fmt: skip
    """Write part 0, 1 or 2 of a cell that is cut in the middle of the edge (a, b) to place t of the stack."""
    replaced = b if part == 1 else a
    follow(stack, t)
    constant = floor = bound = cell.constant[0]
    n_pairs, n_segments, n_counts = stack.starts[t, 1], stack.starts[t, 2], stack.starts[t, 3]
    for s in range(cell.sizes[0, 2]):
        q = cell.segments[s, 0]
        size = (problem.high_offsets[q + 1] - problem.high_offsets[q]) * problem.rises.size
        for at in range(size):
            stack.above[n_counts + at] = cell.above[cell.segments[s, 3] + at]
            more[at] = 0
        begin_of_pairs = n_pairs
        n_pairs = _pass_on(problem, stack, n_pairs, n_counts, cell, s, part == 2, replaced, b, at_middle, more)
        value = layered_value(problem, q, stack.above, n_counts, none, counts)
        worst = value if n_pairs == begin_of_pairs else layered_value(problem, q, stack.above, n_counts, more, counts)
        bound += value
        floor += worst
        if worst == value:
            constant += value
            n_pairs = begin_of_pairs
        else:
            stack.segments[n_segments, 0] = q
            stack.segments[n_segments, 1] = begin_of_pairs - stack.starts[t, 1]
            stack.segments[n_segments, 2] = n_pairs - begin_of_pairs
            stack.segments[n_segments, 3] = n_counts - stack.starts[t, 3]
            n_segments += 1
            n_counts += size
    stack.constant[t], stack.floor[t], stack.bound[t] = constant, floor, min(bound, cell.bound[0])
    stack.sizes[t, 0], stack.sizes[t, 1] = cell.sizes[0, 0] - (part == 2), n_pairs - stack.starts[t, 1]
    stack.sizes[t, 2], stack.sizes[t, 3] = n_segments - stack.starts[t, 2], n_counts - stack.starts[t, 3]
    for v in range(stack.sizes[t, 0]):
        kept = v + 1 if part == 2 and v >= b else v
        for j in range(middle.size):
            stack.vertices[t, v, j] = middle[j] if kept == replaced else cell.vertices[0, kept, j]


@njit(cache=True, nogil=True)
def _pass_on(
    problem: LayeredMetric, stack: Cells, n_pairs: int, first_count: int, cell: Cells, s: int, is_face: bool,
    replaced: int, b: int, at_middle: NDArray[np.int8], more: I32,
) -> int:  # fmt: skip
    """Write those pairs of a segment that a part leaves open, and count them and the others; return where they end."""
    q, start = cell.segments[s, 0], cell.segments[s, 1]
    others = ~(1 << replaced | 1 << (replaced + 8))
    for p in range(start, start + cell.segments[s, 2]):
        h, other = cell.high[p], cell.low[p]
        at = problem.place[h] * problem.rises.size
        if stack.above[first_count + at] >= problem.cutoff[q]:
            continue  # it is out, whatever becomes of this pair
        bits = cell.signs[p] & others
        if at_middle[p] > 0:
            bits |= 1 << replaced
        elif at_middle[p] < 0:
            bits |= 1 << (replaced + 8)
        if is_face:
            bits = _without(bits & 255, b) | _without(bits >> 8, b) << 8
        if bits & 255 and bits >> 8:
            stack.high[n_pairs], stack.low[n_pairs], stack.signs[n_pairs] = h, other, bits
            n_pairs += 1
            for layer in range(problem.classes[other], problem.classes[h]):
                more[at + layer] += 1
        elif bits >> 8 or (bits == 0 and other < h):
            for layer in range(problem.classes[other], problem.classes[h]):
                stack.above[first_count + at + layer] += 1
    return n_pairs


@njit(cache=True, nogil=True)
def _without(bits: int, v: int) -> int:
    """Return the bits without bit v, those above it moved down."""
    return (bits & ((1 << v) - 1)) | (bits >> (v + 1) << v)
