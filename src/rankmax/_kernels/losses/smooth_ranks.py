r"""A discounted sum of gains in which ranks are soft, with its gradient: SmoothRank's approximation of DCG.

The place at rank r is held by a document in part, by how near its score s_i is to the r-th highest score t_r:

    share_ir = exp(-(s_i - t_r)^2 / smoothing) / sum_k exp(-(s_k - t_r)^2 / smoothing)
    value = sum_r discount_r sum_i gain_i share_ir

As the smoothing goes to 0 this becomes the metric itself. t_r is a continuous function of the scores, so the value is,
too.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.metrics.ranking import rank_documents
from rankmax._kernels.threads import in_threads, stretches

_WORTH_THREADS = 500_000  # exponentials; below that, waking threads costs more than they save on a busy machine


def smooth_ranks(
    scores: F64,
    gains: F64,
    query_offsets: I64,
    discount: F64,
    smoothing: float,
    values: F64,
    gradient: F64,
) -> None:
    """Fill `values` (by query) and `gradient` (by document) of 1 minus the normalized soft sum; NaN for equal gains.

    Parameters
    ----------
    scores, gains : float64, (n_documents,)
    query_offsets : int64, (n_queries + 1,)
    discount : float64, by rank; ranks beyond its end count nothing
    smoothing : float
        Positive.
    values : float64, (n_queries,)
    gradient : float64, (n_documents,)
    """
    borders = stretches(values.size, threads=scores.size * discount.size >= _WORTH_THREADS)
    in_threads(_smooth_queries, borders, scores, gains, query_offsets, discount, smoothing, values, gradient)


@njit(cache=True, nogil=True)
def _smooth_queries(
    first: int,
    stop: int,
    scores: F64,
    gains: F64,
    query_offsets: I64,
    discount: F64,
    smoothing: float,
    values: F64,
    gradient: F64,
) -> None:
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _smooth_query(scores[span], gains[span], discount, smoothing, gradient[span])


@njit(cache=True)
def _smooth_query(scores: F64, gains: F64, discount: F64, smoothing: float, gradient: F64) -> float:
    n = scores.size
    gradient[:] = 0.0
    if n == 0 or gains.min() == gains.max():
        return np.nan
    depth = min(discount.size, n)
    ideal, falling = 0.0, np.sort(gains)[::-1]
    for r in range(depth):
        ideal += discount[r] * falling[r]
    order, spare, buckets = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n + 2, np.int64)
    rank_documents(scores, depth, order, spare, buckets)
    value, shares = 0.0, np.empty(n)
    for r in range(depth):
        holder = order[r]
        total, mean = 0.0, 0.0
        for i in range(n):
            away = scores[i] - scores[holder]
            shares[i] = np.exp(-away * away / smoothing)
            total += shares[i]
            mean += gains[i] * shares[i]
        mean /= total
        value += discount[r] * mean
        # d mean / d s_i = share_i (gain_i - mean) * d log share_i, and the same with the other sign by t_r
        for i in range(n):
            if shares[i] > 0.0 and i != holder:
                away = scores[i] - scores[holder]
                pull = discount[r] * shares[i] / total * (gains[i] - mean) * 2.0 * away / smoothing / ideal
                gradient[i] += pull
                gradient[holder] -= pull
    return 1.0 - value / ideal
