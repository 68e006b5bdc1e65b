"""Ranking one query's documents: stable, best score first.

A plain comparison sort of 1,000 scores mispredicts thousands of branches. Scores of one query are spread well enough
that distributing them over as many buckets as there are documents leaves about one in each: expected linear time.
Buckets that hold more (ties, outliers, skew) are merge-sorted, so the worst case stays n log n.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit

_SMALL = 16  # runs up to this length are insertion-sorted
_SELECT_SHARE = 6  # selecting the top k beats sorting while k is below this fraction of the documents


@njit(cache=True)
def rank_documents(scores: F64, depth: int, order: I64, spare: I64, buckets: I64) -> bool:
    """Write the positions of the `depth` best scores to `order`, best first, earlier positions first in ties.

    Returns whether another tie order could change the result (it may say so when it could not).

    Parameters
    ----------
    scores : float64 array of n scores without NaN
    depth : number of ranks wanted, from 1 to n; ranks beyond it are unspecified
    order, spare : int64 scratch of at least n
    buckets : int64 scratch of at least n + 2
    """
    n = scores.size
    if _is_ranked(scores, depth):
        for i in range(n):
            order[i] = i
    elif n <= _SMALL:
        for i in range(n):
            order[i] = i
        _insertion_sort(scores, order[:n])
    elif depth * _SELECT_SHARE <= n:
        return bool(_select(scores, depth, order))
    else:
        _bucket_sort(scores, order, spare, buckets)
    return bool(_has_ties(scores, order, depth))


@njit(cache=True)
def _is_ranked(scores: F64, depth: int) -> bool:
    """Whether the first `depth` scores stand in order and none after them is as good: runs often come ranked."""
    for i in range(1, depth):
        if scores[i] > scores[i - 1]:
            return False
    for i in range(depth, scores.size):  # noqa: SIM110 - numba compiles the loop, not any()
        if scores[i] >= scores[depth - 1]:
            return False
    return True


@njit(cache=True)
def _has_ties(scores: F64, order: I64, depth: int) -> bool:
    for r in range(1, min(depth + 1, scores.size)):  # noqa: SIM110
        if scores[order[r]] == scores[order[r - 1]]:
            return True
    return False


@njit(cache=True)
def _select(scores: F64, depth: int, order: I64) -> bool:
    """Keep the best `depth` in a sorted list; a document that does not enter costs one comparison."""
    n = scores.size
    for i in range(depth):
        order[i] = i
    _insertion_sort(scores, order[:depth])
    threshold = scores[order[depth - 1]]
    for i in range(depth, n):
        if scores[i] > threshold:
            j = depth - 1
            while j > 0 and scores[order[j - 1]] < scores[i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
            threshold = scores[order[depth - 1]]
    as_good = 0
    for i in range(n):
        as_good += scores[i] >= threshold
    return as_good > depth or _has_ties(scores, order, depth - 1)


@njit(cache=True)
def _bucket_sort(scores: F64, order: I64, spare: I64, buckets: I64) -> None:
    n = scores.size
    best = scores[0]
    worst = scores[0]
    for i in range(1, n):
        best = max(best, scores[i])
        worst = min(worst, scores[i])
    spread = best - worst
    scale = (n - 1) / spread if spread > 0.0 else np.inf
    if not 0.0 < scale < np.inf:  # all equal, infinite scores, or a range that over- or underflows
        for i in range(n):
            order[i] = i
        _merge_sort(scores, order[:n], spare)
        return
    # (best - s) * scale is monotone in s under rounding, so buckets never split or reorder ties wrongly.
    buckets[: n + 2] = 0
    for i in range(n):
        b = int((best - scores[i]) * scale)
        spare[i] = b
        buckets[b + 2] += 1
    for b in range(2, n + 2):
        buckets[b] += buckets[b - 1]
    for i in range(n):
        b = spare[i] + 1
        order[buckets[b]] = i
        buckets[b] += 1
    # buckets[b] is now the end of bucket b.
    start = 0
    for b in range(n):
        stop = buckets[b + 1]
        if stop - start > _SMALL:
            _merge_sort(scores, order[start:stop], spare)
        elif stop - start > 1:
            _insertion_sort(scores, order[start:stop])
        start = stop


@njit(cache=True)
def _insertion_sort(scores: F64, order: I64) -> None:
    for i in range(1, order.size):
        document = order[i]
        score = scores[document]
        j = i
        while j > 0 and scores[order[j - 1]] < score:
            order[j] = order[j - 1]
            j -= 1
        order[j] = document


@njit(cache=True)
def _merge_sort(scores: F64, order: I64, spare: I64) -> None:
    """Bottom-up, stable; runs that already stand in order are not merged, so all-tied buckets cost one pass."""
    n = order.size
    for first in range(0, n, _SMALL):
        _insertion_sort(scores, order[first : first + _SMALL])
    width = _SMALL
    while width < n:
        for first in range(0, n - width, 2 * width):
            middle = first + width
            last = min(middle + width, n)
            if scores[order[middle - 1]] >= scores[order[middle]]:
                continue
            for i in range(first, middle):
                spare[i] = order[i]
            left = first
            right = middle
            for target in range(first, last):
                if left < middle and (right >= last or scores[spare[left]] >= scores[order[right]]):
                    order[target] = spare[left]
                    left += 1
                else:
                    order[target] = order[right]
                    right += 1
        width *= 2
