"""The most that a metric can be worth for all weights in a cell.

A cell is an open simplex of weights, given by its vertices. As scores are linear in the weights, a document that
scores no less than another at all vertices, and more at one, is above it in the whole open cell: the pair is *settled*.
So is a pair that ties at all vertices, by the order of documents. Other pairs may stand either way, ties included.

A metric is a sum of layers (see crossings.py): with u the numbers of documents below the layer that stand above those
in it, sorted,

    value = sum over layers l and i of rise_l * discount[i + u_i] * prefix[i],    u_0 <= u_1 <= ...

The settled pairs bound each document's u from below. Sorted bounds bound the sorted u, and no discount rises, so the
value at the lower bounds is at least that at any weights in the cell. Counting all unsettled pairs as lost instead
gives a value that is at most that at any weights, the cell's *floor*. Where both are equal, the query is constant in
the cell; where all pairs are settled, they are.

With a cutoff k, a document that k others are above is at no rank that counts: it adds nothing where it is relevant, and
takes no rank from others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from rankmax.arrays import F64, I32, I64, Bool
from rankmax.kernels.exact_signs import sign_of_difference

OUT = 1 << 24
"""Counted above a document that cannot reach the cutoff."""


class LayeredMetric(NamedTuple):
    """A metric on a data set, as the kernels of cells see it.

    Attributes
    ----------
    rows : float64, (n_documents, n_features)
    query_offsets : int64, (n_queries + 1,)
    classes : int64, (n_documents,)
        By rising gain; 0 gains nothing.
    high_offsets : int64, (n_queries + 1,)
    high : int64
        The documents that gain something, by query.
    place : int64, (n_documents,)
        Of such a document among those of its query.
    tolerance : float64, (n_queries,)
        Bounds the rounding error of a difference of scores.
    rises : float64, (n_layers,)
        Of the gain, from the class below a layer to its lowest.
    discount, prefix : float64
    unit : float64, (n_queries,)
        Norm times query weight times the number of units in 1.
    cutoff : int64, (n_queries,)
    multiple : float
        The least power of two that makes small whole numbers of all features; 0 where none does.
    """

    rows: F64
    query_offsets: I64
    classes: I64
    high_offsets: I64
    high: I64
    place: I64
    tolerance: F64
    rises: F64
    discount: F64
    prefix: F64
    unit: F64
    cutoff: I64
    multiple: float


@njit(cache=True, nogil=True)
def layered_value(problem: LayeredMetric, q: int, above: I32, first: int, more: I32, counts: I64) -> int:
    """Return the value of query q in units where its documents' u, by document and layer, are above[first:] + more.

    `counts`, as long as the longest query, has zeros before and after.
    """
    k = problem.cutoff[q]
    n_layers = problem.rises.size
    begin = problem.high_offsets[q]
    last = problem.prefix.size - 1
    total = int(np.int64(0))
    for layer in range(n_layers):
        end = 0
        for h in range(begin, problem.high_offsets[q + 1]):
            if problem.classes[problem.high[h]] > layer:
                at = (h - begin) * n_layers + layer
                u = above[first + at] + more[at]
                if u < k:
                    counts[u] += 1
                    end = max(end, u + 1)
        i = 0
        scale = problem.unit[q] * problem.rises[layer]
        for u in range(end):
            for _ in range(min(counts[u], k - u - i)):
                total += int(np.rint(scale * problem.discount[u + i] * problem.prefix[min(i, last)]))
                i += 1
            counts[u] = 0
    return total


@njit(cache=True, nogil=True)
def settle_cell(
    problem: LayeredMetric, vertices: F64, high: I32, low: I32, signs: I32, segments: I64, above: I32
) -> tuple[int, int, int, int, int, int]:
    """Settle what a cell settles, and list the pairs of documents of different class that are left.

    Returns the number of pairs, segments and counts written, the sum over constant queries, and the floor and the bound
    over all.

    Parameters
    ----------
    problem : LayeredMetric
    vertices : float64, (n_vertices, n_features)
    high, low : int32
        Documents of the pairs left; `high` is of the higher class.
    signs : int32
        Bit v is set where `high` scores more at vertex v, bit v + 8 where it scores less.
    segments : int64, (n_queries, 4)
        Of queries that are not constant: the query, where its pairs begin, their number, where its counts begin.
    above : int32
        Of such a query, how many documents are settled above each that gains something, by document and layer.
    """
    n_layers = problem.rises.size
    longest = int(np.int64(0))
    for q in range(problem.unit.size):
        longest = max(longest, problem.query_offsets[q + 1] - problem.query_offsets[q])
    is_out = np.empty(longest, np.bool_)
    counts = np.zeros(longest, np.int64)
    none = np.zeros(longest * n_layers, np.int32)
    left = np.empty(longest * n_layers, np.int32)
    n_segments = n_pairs = n_counts = constant = floor = bound = int(np.int64(0))
    for q in range(problem.unit.size):
        size = (problem.high_offsets[q + 1] - problem.high_offsets[q]) * n_layers
        if problem.unit[q] == 0.0 or problem.cutoff[q] == 0 or size == 0:
            continue
        for at in range(size):
            above[n_counts + at] = 0
            left[at] = 0
        _leave_out(problem, q, vertices, is_out)
        begin = n_pairs
        n_pairs = _settle_query(problem, q, vertices, is_out, high, low, signs, n_pairs, above, n_counts, left)
        value = layered_value(problem, q, above, n_counts, none, counts)
        worst = value if n_pairs == begin else layered_value(problem, q, above, n_counts, left, counts)
        bound += value
        floor += worst
        if worst == value:
            constant += value
            n_pairs = begin
        else:
            segments[n_segments, 0], segments[n_segments, 1] = q, begin
            segments[n_segments, 2], segments[n_segments, 3] = n_pairs - begin, n_counts
            n_segments += 1
            n_counts += size
    return n_pairs, n_segments, n_counts, constant, floor, bound


@njit(cache=True, nogil=True)
def _settle_query(
    problem: LayeredMetric, q: int, vertices: F64, is_out: Bool, high: I32, low: I32, signs: I32, n_pairs: int,
    above: I32, first_count: int, left: I32,
) -> int:  # fmt: skip
    """List the pairs of a query that are left, and count them and the settled ones; return the number of pairs."""
    n_layers = problem.rises.size
    first = problem.query_offsets[q]
    for p in range(problem.high_offsets[q], problem.high_offsets[q + 1]):
        h = problem.high[p]
        at = (p - problem.high_offsets[q]) * n_layers
        if is_out[h - first]:
            for layer in range(n_layers):
                above[first_count + at + layer] = OUT
            continue
        for other in range(first, problem.query_offsets[q + 1]):
            if problem.classes[other] >= problem.classes[h] or is_out[other - first]:
                continue
            bits = 0
            for v in range(vertices.shape[0]):
                sign = sign_of_difference(vertices[v], problem.rows[h], problem.rows[other], problem.tolerance[q])
                if sign != 0:
                    bits |= 1 << (v if sign > 0 else v + 8)
            if bits & 255 and bits >> 8:
                high[n_pairs], low[n_pairs], signs[n_pairs] = h, other, bits
                n_pairs += 1
                for layer in range(problem.classes[other], problem.classes[h]):
                    left[at + layer] += 1
            elif bits >> 8 or (bits == 0 and other < h):
                for layer in range(problem.classes[other], problem.classes[h]):
                    above[first_count + at + layer] += 1
    return n_pairs


@njit(cache=True, nogil=True)
def _leave_out(problem: LayeredMetric, q: int, vertices: F64, is_out: Bool) -> None:
    """Find documents that as many as the cutoff are clearly above in the whole cell; not necessarily all of them."""
    first = problem.query_offsets[q]
    n = problem.query_offsets[q + 1] - first
    n_vertices = vertices.shape[0]
    scores = np.zeros((n, n_vertices))
    for i in range(n):
        is_out[i] = False
        for v in range(n_vertices):
            for j in range(vertices.shape[1]):
                scores[i, v] += vertices[v, j] * problem.rows[first + i, j]
    for i in range(n):
        n_above = 0
        for other in range(n):
            if n_above + n - other < problem.cutoff[q]:
                break  # too few are left
            v = 0
            while v < n_vertices and scores[other, v] - scores[i, v] > problem.tolerance[q]:
                v += 1
            n_above += v == n_vertices
            if n_above == problem.cutoff[q]:
                is_out[i] = True
                break
