"""Weights inside a cell: the order of its open pairs there, and the value of the metric."""

from __future__ import annotations

from rankmax._arrays import F64
from rankmax._kernels.cells.cell_stack import Cells, Scratch
from rankmax._kernels.cells.exact_signs import sign_of_difference
from rankmax._kernels.cells.layered_metric import LayeredMetric, n_counts_of, query_value
from rankmax._kernels.compilation import njit
from rankmax._kernels.unsigned import unsigned


@njit(cache=True, nogil=True)
def order_pairs(metric: LayeredMetric, cell: Cells, weights: F64, scratch: Scratch) -> None:
    """Write to `scratch.orders` which document of each open pair of a cell scores higher at some weights."""
    for s in range(cell.n_queries[0]):
        q, first, n_pairs = cell.queries.query[s], cell.queries.first_pair[s], cell.queries.n_pairs[s]
        tolerance = metric.tolerance[q]
        is_scored = n_pairs > metric.query_offsets[q + 1] - metric.query_offsets[q]
        if is_scored:  # less work than a difference for each pair
            for i in range(metric.query_offsets[q], metric.query_offsets[q + 1]):
                score = 0.0
                for j in range(weights.size):
                    score += weights[j] * metric.rows[i, j]
                scratch.scores[i] = score
        for p in range(first, first + n_pairs):
            high, low = unsigned(cell.pairs.high[unsigned(p)]), unsigned(cell.pairs.low[unsigned(p)])
            ahead = 0.0
            if is_scored:
                ahead = scratch.scores[high] - scratch.scores[low]
            else:
                for j in range(weights.size):  # by element: numba counts references to a row, which takes longer
                    ahead += weights[j] * (metric.rows[high, j] - metric.rows[low, j])
            if abs(ahead) > tolerance:
                scratch.orders[unsigned(p)] = 1 if ahead > 0.0 else -1
            else:
                scratch.orders[p] = sign_of_difference(weights, metric.rows[high], metric.rows[low], tolerance)


@njit(cache=True, nogil=True)
def value_of_orders(metric: LayeredMetric, cell: Cells, scratch: Scratch) -> int:
    """Return the value at weights in a cell where its open pairs are ordered as `scratch.orders` says."""
    n_layers = metric.rises.size
    more = scratch.more
    value = int(cell.constant[0])
    for s in range(cell.n_queries[0]):
        q, first = cell.queries.query[s], cell.queries.first_pair[s]
        for at in range(n_counts_of(metric, q)):
            more[at] = 0
        for p in range(first, first + cell.queries.n_pairs[s]):
            high, low = unsigned(cell.pairs.high[unsigned(p)]), unsigned(cell.pairs.low[unsigned(p)])
            order = scratch.orders[unsigned(p)]
            if order < 0 or (order == 0 and low < high):
                at = metric.place[high] * n_layers
                for layer in range(metric.classes[low], metric.classes[high]):
                    more[unsigned(at + layer)] += 1
        value += query_value(metric, q, cell.above, cell.queries.first_count[s], more, scratch.histogram)
    return value


@njit(cache=True, nogil=True)
def find_center(cell: Cells, center: F64) -> None:
    """Write the mean of the vertices, up to a factor that spares rounding: what ties in the cell ties there, too."""
    n_vertices = cell.n_vertices[0]
    factor = 1.0
    while n_vertices * factor > 1.0:
        factor *= 0.5
    for j in range(center.size):
        center[j] = 0.0
        for v in range(n_vertices):
            center[j] += cell.vertices[0, v, j] * factor
