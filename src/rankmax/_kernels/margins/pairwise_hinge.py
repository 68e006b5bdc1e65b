"""The squared hinge loss over all pairs of a query's documents, without visiting the pairs."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.threads import in_threads, stretches

# Ten milliseconds of work; for less, waking threads costs more than they save where other programs run too.
_DOCUMENTS_WORTH_THREADS = 100_000


def squared_hinge(scores: F64, levels: I64, query_offsets: I64, values: F64, gradient: F64) -> None:
    """Fill `values` (by query) and `gradient` (by document) with the sum over pairs of max(0, 1 - (s_i - s_j))^2.

    A pair is two documents i, j of one query with levels[i] > levels[j] > 0; documents of level 0 have no part.

    Parameters
    ----------
    scores : float64, (n_documents,)
    levels : int64, (n_documents,)
    query_offsets : int64, (n_queries + 1,)
    values : float64, (n_queries,)
    gradient : float64, (n_documents,)
    """
    borders = stretches(values.size, threads=scores.size >= _DOCUMENTS_WORTH_THREADS)
    in_threads(_queries, borders, scores, levels, query_offsets, values, gradient)


@njit(cache=True, nogil=True)
def _queries(first: int, stop: int, scores: F64, levels: I64, query_offsets: I64, values: F64, gradient: F64) -> None:
    for q in range(first, stop):
        span = slice(query_offsets[q], query_offsets[q + 1])
        values[q] = _query(scores[span], levels[span], gradient[span])


@njit(cache=True)
def _query(scores: F64, levels: I64, gradient: F64) -> float:
    gradient[:] = 0.0
    if scores.size == 0:
        return 0.0
    order = np.argsort(scores)
    s = scores[order] - scores[order[scores.size // 2]]  # centered: the sums below lose nothing to a common offset
    level = levels[order]
    slopes = np.zeros(s.size)
    value = 0.0
    for high in range(2, level.max() + 1):
        value += _below(s, level, high, slopes)
        _above(s, level, high, slopes)
    gradient[order] = slopes
    return value


@njit(cache=True)
def _below(s: F64, level: I64, high: int, slopes: F64) -> float:
    """Return the loss of pairs whose better document is of level `high`, and add the slopes of these documents.

    From the top down, the worse documents j with s_j > s_i - 1 become more and more; the loss of all of them is a
    quadratic function of s_i, whose coefficients are sums over them.
    """
    value, number, first, second = 0.0, 0.0, 0.0, 0.0
    j = s.size - 1
    for i in range(s.size - 1, -1, -1):
        if level[i] != high:
            continue
        while j >= 0 and s[j] + 1.0 > s[i]:
            if 0 < level[j] < high:
                reach = s[j] + 1.0
                number += 1.0
                first += reach
                second += reach * reach
            j -= 1
        value += max(second - 2.0 * first * s[i] + number * s[i] * s[i], 0.0)
        slopes[i] -= 2.0 * (first - number * s[i])
    return value


@njit(cache=True)
def _above(s: F64, level: I64, high: int, slopes: F64) -> None:
    """Add the slopes of the worse documents: from the bottom up, the i with s_i < s_j + 1 become more and more."""
    number, first = 0.0, 0.0
    i = 0
    for j in range(s.size):
        if not 0 < level[j] < high:
            continue
        while i < s.size and s[i] < s[j] + 1.0:
            if level[i] == high:
                number += 1.0
                first += s[i]
            i += 1
        slopes[j] += 2.0 * (number * (s[j] + 1.0) - first)
