"""Lower and upper bounds of a metric over all weights in a cell.

A cell is an open simplex of weights, given by its vertices. As scores are linear in the weights, a document that
scores no less than another at all vertices, and more at one, is above it in the whole open cell: the pair is *settled*.
So is a pair that ties at all vertices, by the order of documents. Other pairs are *open*: they may stand either way,
ties included.

A metric is a sum of layers (see lines/crossings.py): with u the numbers of documents below the layer that stand above
those in it, sorted,

    value = sum over layers l and i of rise_l * discount[i + u_i] * prefix[i],    u_0 <= u_1 <= ...

The settled pairs bound each document's u from below. Sorted bounds bound the sorted u, and no discount rises, so the
value at the lower bounds is at least that at any weights in the cell: the *bound*. Counting all open pairs as lost
instead gives a value that is at most that at any weights: the *floor*. Where both are equal, the query is *constant*
in the cell; where all pairs are settled, they are.

With a cutoff k, a document that k others are above is at no rank that counts: it adds nothing where it is relevant, and
takes no rank from others.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax._kernels.borrowed import borrowed
from rankmax._kernels.cells.cell_stack import Cells, Scratch, begin_cell
from rankmax._kernels.cells.exact_signs import sign_of_difference
from rankmax._kernels.cells.layered_metric import LayeredMetric, n_counts_of, query_value
from rankmax._kernels.cells.vertex_orders import is_lost, is_open, order_bit
from rankmax._kernels.compilation import njit

OUT = 1 << 24
"""Counted above a document that cannot reach the cutoff."""


@njit(cache=True, nogil=True)
def settle_cell(metric: LayeredMetric, cell: Cells) -> None:
    """Fill a cell of which only the vertices are known: bound, floor, and the pairs and queries that it leaves open.

    Parameters
    ----------
    metric : LayeredMetric
    cell : Cells
        Room for one cell with all pairs, queries and counts; without pairs if it has but one vertex.
    """
    metric, cell = borrowed(metric), borrowed(cell)
    longest = int(np.int64(0))
    for q in range(metric.unit.size):
        longest = max(longest, metric.query_offsets[q + 1] - metric.query_offsets[q])
    is_out = np.empty(longest, np.bool_)
    scores = np.empty((longest, cell.n_vertices[0]))
    scratch = Scratch(
        orders=np.empty(0, np.int8),
        more=np.zeros(longest * metric.rises.size, np.int32),
        none=np.zeros(longest * metric.rises.size, np.int32),
        histogram=np.zeros(longest, np.int64),
        scores=np.empty(0),
        patterns=np.empty(0, np.int64),
    )
    here = int(np.int64(0))
    begin_cell(cell, here, here)
    for q in range(metric.unit.size):
        n_counts = n_counts_of(metric, q)
        if metric.unit[q] == 0.0 or metric.cutoff[q] == 0 or n_counts == 0:
            continue
        for at in range(n_counts):
            cell.above[cell.n_counts[0] + at] = 0
            scratch.more[at] = 0
        _score_at_vertices(metric, q, cell, scores)
        _find_out_of_reach(metric, q, scores, is_out)
        n_pairs = _settle_pairs(metric, q, cell, scores, is_out, scratch)
        bound_query(metric, q, cell, here, n_pairs, scratch)


@njit(cache=True, nogil=True)
def bound_query(metric: LayeredMetric, q: int, cells: Cells, t: int, n_pairs: int, scratch: Scratch) -> None:
    """Add a query to the sums of the cell at place t, and keep it with its pairs and counts unless it is constant.

    The pairs and counts stand behind those that the cell has already; `scratch.more` counts the pairs as lost.
    """
    first = cells.first_count[t] + cells.n_counts[t]
    most = query_value(metric, q, cells.above, first, scratch.none, scratch.histogram)
    least = most
    if n_pairs > 0:
        lost = query_value(metric, q, cells.above, first, scratch.more, scratch.histogram)
        least, most = min(most, lost), max(most, lost)  # a query with a negative weight is best where pairs are lost
    cells.bound[t] += most
    cells.floor[t] += least
    if least == most:
        cells.constant[t] += most
        return
    at = cells.first_query[t] + cells.n_queries[t]
    cells.queries.query[at] = q
    cells.queries.first_pair[at] = cells.n_pairs[t]
    cells.queries.n_pairs[at] = n_pairs
    cells.queries.first_count[at] = cells.n_counts[t]
    cells.queries.bound[at] = most
    cells.n_queries[t] += 1
    cells.n_pairs[t] += n_pairs
    cells.n_counts[t] += n_counts_of(metric, q)


@njit(cache=True, nogil=True)
def _score_at_vertices(metric: LayeredMetric, q: int, cell: Cells, scores: F64) -> None:
    """Write the scores of a query's documents at the vertices of a cell, rounded."""
    first = metric.query_offsets[q]
    for i in range(metric.query_offsets[q + 1] - first):
        for v in range(cell.n_vertices[0]):
            score = 0.0
            for j in range(cell.vertices.shape[2]):
                score += cell.vertices[0, v, j] * metric.rows[first + i, j]
            scores[i, v] = score


@njit(cache=True, nogil=True)
def _settle_pairs(metric: LayeredMetric, q: int, cell: Cells, scores: F64, is_out: Bool, scratch: Scratch) -> int:
    """Write the open pairs of a query, and count them and those that are lost; return the number of open pairs."""
    n_layers = metric.rises.size
    first = metric.query_offsets[q]
    above, more = cell.above[cell.n_counts[0] :], scratch.more
    begin = end = cell.n_pairs[0]
    for p in range(metric.high_offsets[q], metric.high_offsets[q + 1]):
        high = metric.high[p]
        at = (p - metric.high_offsets[q]) * n_layers
        if is_out[high - first]:
            for layer in range(n_layers):
                above[at + layer] = OUT
            continue
        for low in range(first, metric.query_offsets[q + 1]):
            if metric.classes[low] >= metric.classes[high] or is_out[low - first]:
                continue
            bits = 0
            for v in range(cell.n_vertices[0]):
                ahead = scores[high - first, v] - scores[low - first, v]
                if abs(ahead) > metric.tolerance[q]:
                    order = 1 if ahead > 0.0 else -1
                else:
                    order = sign_of_difference(
                        cell.vertices[0, v], metric.rows[high], metric.rows[low], metric.tolerance[q]
                    )
                bits |= order_bit(order, v)
            if is_open(bits):
                cell.pairs.high[end], cell.pairs.low[end], cell.pairs.bits[end] = high, low, bits
                end += 1
                for layer in range(metric.classes[low], metric.classes[high]):
                    more[at + layer] += 1
            elif is_lost(bits, high, low):
                for layer in range(metric.classes[low], metric.classes[high]):
                    above[at + layer] += 1
    return int(end - begin)


@njit(cache=True, nogil=True)
def _find_out_of_reach(metric: LayeredMetric, q: int, scores: F64, is_out: Bool) -> None:
    """Find documents that as many as the cutoff are clearly above in the whole cell; not necessarily all of them."""
    n = metric.query_offsets[q + 1] - metric.query_offsets[q]
    n_vertices = scores.shape[1]
    for i in range(n):
        is_out[i] = False
        n_above = 0
        for other in range(n):
            if n_above + n - other < metric.cutoff[q]:
                break  # too few are left
            v = 0
            while v < n_vertices and scores[other, v] - scores[i, v] > metric.tolerance[q]:
                v += 1
            n_above += v == n_vertices
            if n_above == metric.cutoff[q]:
                is_out[i] = True
                break
