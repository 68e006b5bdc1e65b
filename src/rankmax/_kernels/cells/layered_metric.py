"""A metric on a data set, as the kernels of cells see it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.unsigned import unsigned


class LayeredMetric(NamedTuple):
    """A metric on a data set, as a sum of layers (see lines/crossings.py).

    Attributes
    ----------
    rows : float64, (n_documents, n_features)
    query_offsets : int64, (n_queries + 1,)
    classes : int64, (n_documents,)
        Class of each document by rising gain; class 0 gains nothing. Layer l divides classes up to l from those above.
    high_offsets : int64, (n_queries + 1,)
    high : int64
        The documents that gain something, by query.
    place : int64, (n_documents,)
        Of such a document among those of its query.
    tolerance : float64, (n_queries,)
        Bounds the rounding error of a difference of scores.
    rises : float64, (n_layers,)
        Difference in gain between the lowest class in a layer and the class below it.
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
def n_counts_of(metric: LayeredMetric, q: int) -> int:
    """Return how many counts a query has: one for each document that gains something, in each layer."""
    return int((metric.high_offsets[q + 1] - metric.high_offsets[q]) * metric.rises.size)


@njit(cache=True, nogil=True)
def query_value(metric: LayeredMetric, q: int, above: I32, first: int, more: I32, histogram: I64) -> int:
    """Return the value of query q in units where its documents' u, by document and layer, are above[first:] + more.

    `histogram`, as long as the longest query, has zeros before and after.
    """
    k = metric.cutoff[q]
    n_layers = metric.rises.size
    begin = metric.high_offsets[q]
    last = metric.prefix.size - 1
    total = int(np.int64(0))
    for layer in range(n_layers):
        end = 0
        for h in range(begin, metric.high_offsets[q + 1]):
            if metric.classes[unsigned(metric.high[unsigned(h)])] > layer:
                at = (h - begin) * n_layers + layer
                u = above[unsigned(first + at)] + more[unsigned(at)]
                if u < k:
                    histogram[unsigned(u)] += 1
                    end = max(end, u + 1)
        i = 0
        scale = metric.unit[q] * metric.rises[layer]
        for u in range(end):
            for _ in range(min(histogram[u], k - u - i)):
                total += int(np.rint(scale * metric.discount[unsigned(u + i)] * metric.prefix[unsigned(min(i, last))]))
                i += 1
            histogram[u] = 0
    return total
