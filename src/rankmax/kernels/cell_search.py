"""Cutting a cell up until the parts are worth no more than what is known, depth first.

An open simplex is cut in the middle m of an edge (a, b) into three parts: the two open simplexes in which m takes the
place of a or of b, and the open face between them, in which m takes the place of a while b is left out. Together they
are the whole cell, so what is proven of the parts is proven of it, ties and all.

What a cell has settled stays settled in its parts. Cells wait on a stack with the pairs that are left, by query
(segments), and with the counts of what is settled; a query that has become constant is added up once.

The cuts are recorded as bytes, in the order in which cells are cut or given up, a cell's parts after it, first part
first: 8 * e + l for a cut of edge e, where bit p of l is set if part p is a leaf (worth no more than what is known) and
has no byte of its own; LEAF for any other cell that is not to be cut; OPEN for a cell that waits to be cut. Edges are
pairs of vertices (i, j), i < j, in lexicographic order.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rankmax.arrays import F64, I32, I64, U8
from rankmax.kernels.cell_bounds import LayeredMetric, layered_value
from rankmax.kernels.cell_stack import DEPTH, Cells, copy_cell, follow, has_room, new_stack
from rankmax.kernels.exact_signs import sign_of_difference

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
    counts = np.empty(problem.rows.shape[0], np.int64)
    more, none = np.zeros(cell.above.size, np.int32), np.zeros(cell.above.size, np.int32)
    best = known
    highest_leaf = int(np.int64(-(1 << 62)))
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
        _look_from(problem, cell, centre, signs)
        value = _value_inside(problem, cell, signs, more, counts)
        if value > best:
            best = value
            for j in range(centre.size):
                best_weights[j] = centre[j]
        a, b, edge = _edge_to_cut(cell)
        if cell.sizes[0, 1] == 0 or not _halfway(cell.vertices[0, a], cell.vertices[0, b], middle):
            codes[n_codes] = LEAF
            n_codes += 1
            highest_leaf = max(highest_leaf, cell.bound[0])
            continue
        _look_from(problem, cell, middle, signs)
        leaves = 0
        for part in range(2, -1, -1):
            _push_part(problem, stack, top, cell, part, a, b, middle, signs, more, none, counts)
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
def _mean(cell: Cells, centre: F64) -> None:
    for j in range(centre.size):
        centre[j] = 0.0
        for v in range(cell.sizes[0, 0]):
            centre[j] += cell.vertices[0, v, j] / cell.sizes[0, 0]


@njit(cache=True, nogil=True)
def _halfway(a: F64, b: F64, middle: F64) -> bool:
    """Write the middle of an edge; return whether it is free of rounding."""
    for j in range(a.size):
        total = a[j] + b[j]
        if total - a[j] != b[j] or total - b[j] != a[j]:
            return False
        middle[j] = 0.5 * total
    return True


@njit(cache=True, nogil=True)
def _edge_to_cut(cell: Cells) -> tuple[int, int, int]:
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
def _value_inside(problem: LayeredMetric, cell: Cells, signs: NDArray[np.int8], more: I32, counts: I64) -> int:
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
def _look_from(problem: LayeredMetric, cell: Cells, weights: F64, signs: NDArray[np.int8]) -> None:
    """Write for each pair of a cell which document scores higher at some weights."""
    for s in range(cell.sizes[0, 2]):
        q, start = cell.segments[s, 0], cell.segments[s, 1]
        for p in range(start, start + cell.segments[s, 2]):
            signs[p] = sign_of_difference(
                weights, problem.rows[cell.high[p]], problem.rows[cell.low[p]], problem.tolerance[q]
            )


@njit(cache=True, nogil=True)
def _push_part(
    problem: LayeredMetric, stack: Cells, t: int, cell: Cells, part: int, a: int, b: int, middle: F64,
    at_middle: NDArray[np.int8], more: I32, none: I32, counts: I64,
) -> None:  # fmt: skip
    """Write part 0, 1 or 2 of a cell that is cut in the middle of the edge (a, b) to place t of the stack."""
    replaced = b if part == 1 else a
    follow(stack, t)
    constant = bound = cell.constant[0]
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
        bound += value
        if n_pairs == begin_of_pairs or layered_value(problem, q, stack.above, n_counts, more, counts) == value:
            constant += value
            n_pairs = begin_of_pairs
        else:
            stack.segments[n_segments, 0] = q
            stack.segments[n_segments, 1] = begin_of_pairs - stack.starts[t, 1]
            stack.segments[n_segments, 2] = n_pairs - begin_of_pairs
            stack.segments[n_segments, 3] = n_counts - stack.starts[t, 3]
            n_segments += 1
            n_counts += size
    stack.constant[t], stack.bound[t] = constant, bound
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
