"""The rankings that each query goes through along a line, found by ranking again between the crossings.

A metric that nothing is known of but that it sees ranked levels can change only where two documents of different level
cross. From one interval between crossings to the next few documents move, so an insertion sort of the last order is
nearly linear. It sees the scores in the interval's middle, and so needs to know nothing of simultaneous crossings.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.metrics.ranking import rank_documents


@njit(cache=True)
def count_crossings(
    scores: F64, slopes: F64, query_offsets: I64, levels: I64, queries: I64, low: float, high: float, n_crossings: I64
) -> None:
    """Fill `n_crossings` with the crossings of each query in `queries` between low and high.

    Parameters
    ----------
    scores, slopes : float64, (n_documents,)
    query_offsets, levels : int64
    queries : int64, (n,)
    low, high : float
    n_crossings : int64, (n,)
    """
    for k, q in enumerate(queries):
        here = slice(query_offsets[q], query_offsets[q + 1])
        n_crossings[k] = _cross(scores[here], slopes[here], levels[here], low, high, np.empty(0))


@njit(cache=True)
def follow_rankings(
    scores: F64,
    slopes: F64,
    query_offsets: I64,
    levels: I64,
    queries: I64,
    n_crossings: I64,
    depth: I64,
    low: float,
    high: float,
    n_rankings: I64,
    begins: F64,
    ranked_levels: I64,
) -> None:
    """Count each query's rankings, one after the other, that differ from the last in the levels of the first ranks.

    Parameters
    ----------
    scores, slopes, query_offsets, levels, queries, low, high, n_crossings
        As in :func:`count_crossings`.
    depth : int64, (n,)
        How many ranks matter.
    n_rankings : int64, (n,)
        Filled.
    begins : float64, (sum of n_rankings,) or (0,)
        Where there is room, filled with the crossing at which each ranking begins; the first of each query at `low`.
    ranked_levels : int64, (sum of n_rankings times the query's documents,)
        Filled with the levels of each ranking, best first.
    """
    first = 0
    first_level = 0
    for k, q in enumerate(queries):
        here = slice(query_offsets[q], query_offsets[q + 1])
        n = query_offsets[q + 1] - query_offsets[q]
        crossings = np.empty(n_crossings[k])
        _cross(scores[here], slopes[here], levels[here], low, high, crossings)
        n_rankings[k] = _follow(
            scores[here],
            slopes[here],
            levels[here],
            np.unique(crossings),
            depth[k],
            low,
            high,
            begins[first:],
            ranked_levels[first_level:],
        )
        if begins.size > 0:
            first += n_rankings[k]
            first_level += n_rankings[k] * n


@njit(cache=True)
def _cross(scores: F64, slopes: F64, levels: I64, low: float, high: float, crossings: F64) -> int:
    """Count the crossings of documents of different level and, where there is room, list them."""
    count = 0
    for i in range(scores.size):
        for j in range(i):
            if levels[i] != levels[j] and slopes[i] != slopes[j]:
                mu = (scores[j] - scores[i]) / (slopes[i] - slopes[j])
                if low < mu < high:
                    if crossings.size > 0:
                        crossings[count] = mu
                    count += 1
    return count


@njit(cache=True)
def _follow(
    scores: F64,
    slopes: F64,
    levels: I64,
    crossings: F64,
    depth: int,
    low: float,
    high: float,
    begins: F64,
    ranked_levels: I64,
) -> int:
    n = scores.size
    order = np.empty(n, np.int64)
    top = np.full(depth, -1, np.int64)
    n_rankings = 0
    for interval in range(crossings.size + 1):
        begin = low if interval == 0 else crossings[interval - 1]
        end = high if interval == crossings.size else crossings[interval]
        at = scores + _inside(begin, end) * slopes
        if interval == 0 and n > 0:
            rank_documents(at, n, order, np.empty(n, np.int64), np.empty(n + 2, np.int64))
        else:
            _sort_again(at, order)
        changed = interval == 0
        for r in range(depth):
            changed |= levels[order[r]] != top[r]
            top[r] = levels[order[r]]
        if changed:
            if begins.size > 0:
                begins[n_rankings] = begin
                for r in range(n):
                    ranked_levels[n_rankings * n + r] = levels[order[r]]
            n_rankings += 1
    return n_rankings


@njit(cache=True)
def _inside(low: float, high: float) -> float:
    """Return the middle of an interval, or a point well beyond its finite end."""
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(high):
        return low + max(1.0, abs(low))
    if np.isinf(low):
        return high - max(1.0, abs(high))
    return low + 0.5 * (high - low)


@njit(cache=True)
def _sort_again(scores: F64, order: I64) -> None:
    """Sort by score, best first, earlier documents first in ties."""
    for r in range(1, order.size):
        document = order[r]
        score = scores[document]
        place = r
        while place > 0:
            above = order[place - 1]
            if scores[above] > score or (scores[above] == score and above < document):
                break
            order[place] = above
            place -= 1
        order[place] = document
