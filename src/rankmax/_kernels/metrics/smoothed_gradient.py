"""Where a smoothed metric would rise: its gradient with respect to the scores.

Two documents at ranks p < r, of gains g_p and g_r, are worth (g_p - g_r) * (D(p) - D(r)) more in this order than in the
other, with the discount D(r) = 1 / log2(1 + r) down to the cutoff and 0 below. The gradient takes the order of two
documents for a smooth function of their difference in score, whose slope is (1 - x^2)^2 at x widths apart and 0 beyond
one: it pushes pairs that are close enough to be swapped, the more the more their order is worth. A slope that ends is
several times cheaper than a logistic function's, as a ranked list is left at the first document too far below, and led
the ascents that were tried no worse.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.metrics.ranking import rank_documents
from rankmax._kernels.threads import in_threads, stretches

_WORTH_THREADS = 20_000  # documents; below that, waking threads costs more than they save


@njit(cache=True)
def _push_query(scores: F64, gains: F64, discount: F64, depth: int, scale: float, width: float, gradient: F64) -> None:
    n = scores.size
    gradient[:] = 0.0
    if scale == 0.0:
        return
    order, spare, buckets = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n + 2, np.int64)
    rank_documents(scores, n, order, spare, buckets)
    per_width = 1.0 / width
    for p in range(min(depth, n)):
        i = order[p]
        for r in range(p + 1, n):
            j = order[r]
            apart = (scores[i] - scores[j]) * per_width
            if apart >= 1.0:
                break
            lead = gains[i] - gains[j]
            if lead == 0.0:
                continue
            openness = 1.0 - apart * apart
            worth = discount[p] - (discount[r] if r < depth else 0.0)
            push = scale * lead * worth * openness * openness
            gradient[i] += push
            gradient[j] -= push


def push_scores(
    scores: F64, gains: F64, query_offsets: I64, discount: F64, depth: I64, scale: F64, width: float, gradient: F64
) -> None:
    """Fill `gradient` for all documents.

    Parameters
    ----------
    scores, gains : float64, (n_documents,)
    query_offsets : int64, (n_queries + 1,)
    discount : float64, at least as many as the largest depth
    depth : int64, (n_queries,)
        Ranks that count.
    scale : float64, (n_queries,)
        How much each query counts.
    width : float
        Positive.
    gradient : float64, (n_documents,)
    """
    borders = stretches(scale.size, threads=scores.size >= _WORTH_THREADS)
    in_threads(_push_queries, borders, scores, gains, query_offsets, discount, depth, scale, width, gradient)


@njit(cache=True, nogil=True)
def _push_queries(
    first: int,
    stop: int,
    scores: F64,
    gains: F64,
    query_offsets: I64,
    discount: F64,
    depth: I64,
    scale: F64,
    width: float,
    gradient: F64,
) -> None:
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        _push_query(scores[span], gains[span], discount, depth[q], scale[q], width, gradient[span])
