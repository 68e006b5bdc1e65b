"""The k best documents of a collection, from lists of documents and what each list adds to their scores.

The collection is walked in blocks of documents whose scores fit the first cache: every list adds its part of the block,
then the block is scanned for scores above the k-th best so far. Such scores are gathered until there are twice k, and
the lower half is dropped. So a posting costs one addition, and most documents one comparison.

A document that no list holds is told from one whose gains sum to zero by the sign of its zero: sums start at -0.0, and
none is -0.0 again after something other than -0.0 is added. So 0.0 is added to gains first, which turns -0.0 to 0.0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import F64, I32, I64
from rankmax.kernels.ranking import rank_documents

_BLOCK = 4096  # documents
_LANES = 8  # documents that one comparison passes over


@njit(cache=True, nogil=True)
def top_of_lists(
    documents: I32,
    gains: F64,
    starts: I64,
    ends: I64,
    weights: F64,
    base: F64,
    kinds: I32,
    n_documents: int,
    k: int,
    excluded: int,
) -> tuple[I32, F64]:
    """Return the k best of the documents that any list holds, best first, lower numbers first in ties.

    Parameters
    ----------
    documents, gains : int32 and float64
        Lists back to back, documents ascending within a list.
    starts, ends : int64
        Where each list to be added up begins and ends, in the order of addition; `starts` is moved on.
    weights : float64
        What the gains of each list are multiplied with.
    base : float64
        What the sum of the gains is added to, by the kind of a document; empty for 0.
    kinds : int32, n_documents
        Empty if `base` is.
    n_documents : int
    k : int
        At least 1.
    excluded : int
        A document that does not count; -1 for none.
    """
    k = min(k, n_documents)
    found = np.empty(2 * k, np.int32)
    scores = np.empty(2 * k)
    spare = np.empty(2 * k)
    n_found = 0
    threshold = -np.inf
    sums = np.full(_BLOCK, -0.0)
    bits = sums.view(np.int64)
    untouched = bits[0]
    while True:
        first = _next_block(documents, starts, ends, n_documents)
        if first == n_documents:
            break
        last = min(first + _BLOCK, n_documents)
        _add_lists(documents, gains, starts, ends, weights, first, last, sums)
        positive = base.size == 0 and threshold >= 0.0  # then no untouched document is above the threshold
        for lane in range(0, last - first, _LANES):
            if positive and not _any_above(sums, lane, threshold):
                continue
            for place in range(lane, min(lane + _LANES, last - first)):
                document = first + place
                if bits[place] == untouched or document == excluded:
                    continue
                score = sums[place] if base.size == 0 else sums[place] + base[kinds[document]]
                if score > threshold:
                    if n_found == found.size:
                        threshold = _keep_best(found, scores, k, spare)
                        n_found = k
                        if score <= threshold:
                            continue
                    found[n_found] = document
                    scores[n_found] = score
                    n_found += 1
        sums[: last - first] = -0.0
    ranked: tuple[I32, F64] = _ranked(found, scores, n_found, k, spare)
    return ranked


@njit(cache=True, nogil=True)
def top_of_scores(scores: F64, k: int) -> tuple[I32, F64]:
    """Return the places and values of the k best scores, best first, earlier places first in ties.

    Parameters
    ----------
    scores : float64
        Without NaN.
    k : int
        At least 1.
    """
    k = min(k, scores.size)
    found = np.empty(2 * k, np.int32)
    best = np.empty(2 * k)
    spare = np.empty(2 * k)
    n_found = 0
    threshold = -np.inf
    for place in range(scores.size):
        if scores[place] > threshold or n_found < k:
            if n_found == found.size:
                threshold = _keep_best(found, best, k, spare)
                n_found = k
                if scores[place] <= threshold:
                    continue
            found[n_found] = place
            best[n_found] = scores[place]
            n_found += 1
    ranked: tuple[I32, F64] = _ranked(found, best, n_found, k, spare)
    return ranked


@njit(cache=True, nogil=True)
def add_lists(documents: I32, gains: F64, starts: I64, ends: I64, weights: F64, sums: F64) -> None:
    """Add the weighted gains of all lists to the sums of their documents.

    Parameters
    ----------
    documents, gains, starts, ends, weights : arrays
        As for :func:`top_of_lists`.
    sums : float64, n_documents
    """
    for item in range(starts.size):
        for posting in range(starts[item], ends[item]):
            sums[documents[posting]] += weights[item] * gains[posting]


@njit(cache=True)
def _next_block(documents: I32, starts: I64, ends: I64, n_documents: int) -> int:
    """Return the first document of the next block that a list has something in, `n_documents` if there is none."""
    nearest = n_documents
    for item in range(starts.size):
        if starts[item] < ends[item]:
            nearest = min(nearest, documents[starts[item]])
    return nearest if nearest == n_documents else nearest - nearest % _BLOCK


@njit(cache=True)
def _add_lists(
    documents: I32, gains: F64, starts: I64, ends: I64, weights: F64, first: int, last: int, sums: F64
) -> None:
    """Add what the lists hold of the documents from `first` to `last`, and move them on."""
    for item in range(starts.size):
        posting = starts[item]
        end = ends[item]
        while posting < end and documents[posting] < last:
            sums[documents[posting] - first] += weights[item] * gains[posting] + 0.0
            posting += 1
        starts[item] = posting


@njit(cache=True)
def _any_above(sums: F64, begin: int, threshold: float) -> bool:
    above = False
    for place in range(begin, begin + _LANES):
        above |= sums[place] > threshold
    return above


@njit(cache=True)
def _keep_best(found: I32, scores: F64, k: int, spare: F64) -> float:
    """Move the k best to the front, earlier ones first in ties, their order unchanged; return the lowest of them."""
    spare[:] = scores
    threshold: float = _kth_largest(spare, k)
    n_ties = k
    for place in range(scores.size):
        n_ties -= scores[place] > threshold
    target = 0
    for place in range(scores.size):
        score = scores[place]
        if score > threshold or (score == threshold and n_ties > 0):
            n_ties -= score == threshold
            found[target] = found[place]
            scores[target] = score
            target += 1
    return threshold


@njit(cache=True)
def _kth_largest(values: F64, k: int) -> float:
    """Return the k-th largest value by Hoare's selection; the values are left in another order."""
    low = 0
    high = values.size - 1
    while low < high:
        a, b, c = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left = low
        right = high
        while left <= right:
            while values[left] > pivot:
                left += 1
            while values[right] < pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if k - 1 <= right:
            high = right
        elif k - 1 >= left:
            low = left
        else:
            break
    kth: float = values[k - 1]
    return kth


@njit(cache=True)
def _ranked(found: I32, scores: F64, n_found: int, k: int, spare: F64) -> tuple[I32, F64]:
    if n_found > k:
        _keep_best(found[:n_found], scores[:n_found], k, spare[:n_found])
        n_found = k
    if n_found == 0:
        return found[:0].copy(), scores[:0].copy()
    scratch = np.empty(3 * n_found + 2, np.int64)
    order = scratch[:n_found]
    rank_documents(scores[:n_found], n_found, order, scratch[n_found : 2 * n_found], scratch[2 * n_found :])
    return found[order], scores[order]
