"""One pass over one ranking for many metrics.

Every query is ranked once, to the depth that the deepest metric needs; the positions whose level matters to any
metric are listed once; then each metric adds up its table entries over that short list. The tables are described in
:mod:`rankmax.metrics.metric`; those of several metrics are stacked, ragged ones laid end to end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax._kernels.compilation import njit
from rankmax._kernels.metrics.ranking import rank_documents


class JudgedDocuments(NamedTuple):
    """Documents by query, and how far and in which order of ties they are ranked.

    Attributes
    ----------
    query_offsets : int64, (n_queries + 1,)
    levels : int64, (n_documents,)
    priority : int64, (n_documents,)
        Documents in the order that resolves ties, for the queries that are `prioritized`; the documents of other
        queries stand in that order already.
    prioritized : bool, (n_queries,)
    depth : int64, (n_queries,)
        Number of ranks needed.
    matters : bool, (n_levels,)
        Whether any metric gives this level a gain or a stop probability other than 0.
    """

    query_offsets: I64
    levels: I64
    priority: I64
    prioritized: Bool
    depth: I64
    matters: Bool


class StackedTables(NamedTuple):
    """Tables of m tabular metrics (:class:`rankmax.metrics.metric.MetricTables`), one metric after the other.

    Attributes
    ----------
    gain : float64, (m, n_levels)
    discount, prefix : float64
        Those of all metrics end to end.
    discount_start, prefix_start : int64, (m + 1,)
        Where those of each metric begin.
    norm, offset : float64, (m, n_queries)
    cutoff : int64, (m, n_queries)
    """

    gain: F64
    discount: F64
    discount_start: I64
    prefix: F64
    prefix_start: I64
    norm: F64
    offset: F64
    cutoff: I64


class StackedCascades(NamedTuple):
    """Tables of m cascade metrics (:class:`rankmax.metrics.metric.CascadeTables`), one metric after the other.

    Attributes
    ----------
    stop : float64, (m, n_levels)
        The probability that the user stops at a document.
    discount, discount_start, norm, offset, cutoff
        As in :class:`StackedTables`.
    """

    stop: F64
    discount: F64
    discount_start: I64
    norm: F64
    offset: F64
    cutoff: I64


class Evaluated(NamedTuple):
    """Results, filled by the kernel.

    Attributes
    ----------
    values : float64, (n_metrics, n_queries)
        Tabular metrics first, then cascade metrics.
    ranked_levels : int64, (n_documents,) or (0,)
        The levels of each query's documents, best first, where there is room for them.
    tied : bool, (n_queries,)
        Set where another order of equal scores could change the ranking.
    """

    values: F64
    ranked_levels: I64
    tied: Bool


@njit(cache=True, nogil=True)
def evaluate_queries(
    start: int,
    stop: int,
    queries: I64,
    scores: F64,
    documents: JudgedDocuments,
    tables: StackedTables,
    cascades: StackedCascades,
    results: Evaluated,
) -> None:
    """Fill the results of ``queries[start:stop]``.

    Parameters
    ----------
    start, stop : int
    queries : int64
    scores : float64, (n_documents,)
    documents : JudgedDocuments
    tables : StackedTables
    cascades : StackedCascades
    results : Evaluated
    """
    query_offsets, depth = documents.query_offsets, documents.depth
    tied, ranked_levels = results.tied, results.ranked_levels
    longest = 0
    for q in queries[start:stop]:
        longest = max(longest, query_offsets[q + 1] - query_offsets[q])
    order = np.empty(longest, np.int64)
    spare = np.empty(longest, np.int64)
    buckets = np.empty(longest + 2, np.int64)
    gathered = np.empty(longest, np.float64)
    level = np.empty(longest, np.int64)
    rank = np.empty(longest, np.int64)
    for q in queries[start:stop]:
        first = query_offsets[q]
        n = query_offsets[q + 1] - first
        if depth[q] == 0:
            tied[q] = False
        elif documents.prioritized[q]:
            for i in range(n):
                gathered[i] = scores[documents.priority[first + i]]
            tied[q] = rank_documents(gathered[:n], depth[q], order, spare, buckets)
            for r in range(depth[q]):
                order[r] = documents.priority[first + order[r]]
        else:
            tied[q] = rank_documents(scores[first : first + n], depth[q], order, spare, buckets)
            for r in range(depth[q]):
                order[r] += first
        n_listed = 0
        for r in range(depth[q]):
            document_level = documents.levels[order[r]]
            if ranked_levels.size > 0:
                ranked_levels[first + r] = document_level
            level[n_listed] = document_level
            rank[n_listed] = r
            n_listed += documents.matters[document_level]
        for m in range(tables.gain.shape[0]):
            results.values[m, q] = _tabular_value(tables, m, q, level[:n_listed], rank)
        for m in range(cascades.stop.shape[0]):
            results.values[tables.gain.shape[0] + m, q] = _cascade_value(cascades, m, q, level[:n_listed], rank)


@njit(cache=True)
def _tabular_value(tables: StackedTables, m: int, q: int, level: I64, rank: I64) -> float:
    """Return the value of metric m for query q, whose listed documents have these levels and ranks."""
    first_prefix, first_discount = tables.prefix_start[m], tables.discount_start[m]
    last_prefix = tables.prefix_start[m + 1] - first_prefix - 1
    total = 0.0
    n_relevant = 0
    for i in range(level.size):
        if rank[i] >= tables.cutoff[m, q]:
            break
        gain = tables.gain[m, level[i]]
        if gain != 0.0:
            prefix = tables.prefix[first_prefix + min(n_relevant, last_prefix)]
            total += gain * tables.discount[first_discount + rank[i]] * prefix
            if gain > 0.0:
                n_relevant += 1
    return float(tables.offset[m, q] + tables.norm[m, q] * total)


@njit(cache=True)
def _cascade_value(cascades: StackedCascades, m: int, q: int, level: I64, rank: I64) -> float:
    """Return the value of metric m for query q, whose listed documents have these levels and ranks."""
    first_discount = cascades.discount_start[m]
    total = 0.0
    reading = 1.0
    for i in range(level.size):
        if rank[i] >= cascades.cutoff[m, q]:
            break
        stop = cascades.stop[m, level[i]]
        total += cascades.discount[first_discount + rank[i]] * stop * reading
        reading *= 1.0 - stop
    return float(cascades.offset[m, q] + cascades.norm[m, q] * total)
