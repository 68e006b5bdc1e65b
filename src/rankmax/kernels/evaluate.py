"""One pass over one ranking for many metrics.

Every query is ranked once, to the depth that the deepest metric needs; the positions whose level matters to any
metric are listed once; then each metric adds up its table entries over that short list. The tables are described in
:mod:`rankmax.metrics.base`; those of several metrics are stacked, ragged ones laid end to end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import F64, I64, Bool
from rankmax.kernels.ranking import rank_documents


@njit(cache=True, nogil=True)
def evaluate_queries(
    start: int,
    stop_at: int,
    scores: F64,
    queries: I64,
    values: F64,
    ranked_levels: I64,
    tied: Bool,
    query_offsets: I64,
    document_levels: I64,
    priority: I64,
    prioritised: Bool,
    depth: I64,
    matters: Bool,
    gain: F64,
    discount: F64,
    discount_start: I64,
    prefix: F64,
    prefix_start: I64,
    norm: F64,
    offset: F64,
    cutoff: I64,
    stop: F64,
    stop_discount: F64,
    stop_discount_start: I64,
    stop_norm: F64,
    stop_offset: F64,
    stop_cutoff: I64,
) -> None:
    """Fill `values` (tabular metrics first, then cascade metrics; by query) and, where asked, `ranked_levels`.

    Parameters
    ----------
    start, stop_at : int
        Where the queries to evaluate begin and end in `queries`.
    scores : float64, (n_documents,)
    queries : int64
    values : float64, (n_metrics, n_queries)
    ranked_levels : int64, (n_documents,) or (0,)
    tied : bool, (n_queries,)
        Set where another order of equal scores could change the ranking.
    query_offsets, document_levels : int64
    priority : int64, (n_documents,)
        Documents in the order that resolves ties, for the queries that are `prioritised`, (n_queries,); the documents
        of other queries stand in that order already.
    depth : int64, (n_queries,)
        Ranks needed.
    matters : bool, (n_levels,)
        Whether any metric gives this level a gain or a stop probability other than 0.
    gain, discount, discount_start, prefix, prefix_start, norm, offset, cutoff
        Stacked tables of the tabular metrics: (m, n_levels), flat, (m,), flat, (m + 1,), then (m, n_queries).
    stop, stop_discount, stop_discount_start, stop_norm, stop_offset, stop_cutoff
        Stacked tables of the cascade metrics.
    """
    n_tabular = gain.shape[0]
    n_cascade = stop.shape[0]
    longest = 0
    for q in queries[start:stop_at]:
        longest = max(longest, query_offsets[q + 1] - query_offsets[q])
    order = np.empty(longest, np.int64)
    spare = np.empty(longest, np.int64)
    buckets = np.empty(longest + 2, np.int64)
    gathered = np.empty(longest, np.float64)
    level = np.empty(longest, np.int64)
    rank = np.empty(longest, np.int64)
    for q in queries[start:stop_at]:
        first = query_offsets[q]
        n = query_offsets[q + 1] - first
        if depth[q] == 0:
            tied[q] = False
        elif prioritised[q]:
            for i in range(n):
                gathered[i] = scores[priority[first + i]]
            tied[q] = rank_documents(gathered[:n], depth[q], order, spare, buckets)
            for r in range(depth[q]):
                order[r] = priority[first + order[r]]
        else:
            tied[q] = rank_documents(scores[first : first + n], depth[q], order, spare, buckets)
            for r in range(depth[q]):
                order[r] += first
        n_listed = 0
        for r in range(depth[q]):
            document_level = document_levels[order[r]]
            if ranked_levels.size > 0:
                ranked_levels[first + r] = document_level
            level[n_listed] = document_level
            rank[n_listed] = r
            n_listed += matters[document_level]
        for m in range(n_tabular):
            total = 0.0
            n_relevant = 0
            last_prefix = prefix_start[m + 1] - prefix_start[m] - 1
            for i in range(n_listed):
                if rank[i] >= cutoff[m, q]:
                    break
                g = gain[m, level[i]]
                if g != 0.0:
                    p = prefix[prefix_start[m] + min(n_relevant, last_prefix)]
                    total += g * discount[discount_start[m] + rank[i]] * p
                    if g > 0.0:
                        n_relevant += 1
            values[m, q] = offset[m, q] + norm[m, q] * total
        for m in range(n_cascade):
            total = 0.0
            reading = 1.0
            for i in range(n_listed):
                if rank[i] >= stop_cutoff[m, q]:
                    break
                s = stop[m, level[i]]
                total += stop_discount[stop_discount_start[m] + rank[i]] * s * reading
                reading *= 1.0 - s
            values[n_tabular + m, q] = stop_offset[m, q] + stop_norm[m, q] * total
