"""The k best documents of a collection, from lists of documents and what each list adds to their scores.

The collection is walked in blocks of documents whose scores fit the first cache: every list adds its part of the block,
then the block is scanned for scores above the lowest that can still be among the k best. Those are gathered, and
whenever there are several times k, all but about the k best are dropped. So a posting costs one addition, a document a
share of one comparison, and no branch depends on a score that is as likely above as below.

A document that no list holds is told from one whose gains sum to zero by the sign of its zero: sums start at -0.0, and
none is -0.0 again after something other than -0.0 is added. So 0.0 is added to gains first, which turns -0.0 to 0.0.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.metrics.ranking import rank_documents

_BLOCK = 4096  # documents
_LANES = 8  # documents that one comparison passes over; divides a block
_GATHERED = 4  # times k, before the lower ones are dropped
_FEWEST_GATHERED = 1024
_BUCKETS = 1024  # of scores, to find the k best among those gathered


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
    found, scores = _room(k)
    n_found = int(np.int64(0))  # to numba a plain 0 is a type of its own, for which all below would be compiled again
    threshold = -np.inf
    sums = np.full(_BLOCK, -0.0)
    while True:
        first = _next_block(documents, starts, ends, n_documents)
        if first == n_documents:
            break
        _add_lists(documents, gains, starts, ends, weights, first, sums)
        if first <= excluded < first + _BLOCK:
            sums[excluded - first] = -0.0
        width = min(_BLOCK, n_documents - first)
        n_found, threshold = _gather(sums, first, width, base, kinds, k, found, scores, n_found, threshold)
        sums[:] = -0.0
    ranked: tuple[I32, F64] = _ranked(found, scores, n_found, k)
    return ranked


@njit(cache=True, nogil=True)
def top_of_scores(values: F64, k: int) -> tuple[I32, F64]:
    """Return the places and values of the k best scores, best first, earlier places first in ties.

    Parameters
    ----------
    values : float64
        Finite.
    k : int
        At least 1.
    """
    k = min(k, values.size)
    found, scores = _room(k)
    n_found = int(np.int64(0))  # to numba a plain 0 is a type of its own, for which all below would be compiled again
    threshold = -np.inf
    for place in range(values.size):
        found[n_found] = place
        scores[n_found] = values[place]
        n_found += values[place] > threshold
        if n_found == found.size:
            n_found, threshold = _keep_best(found, scores, n_found, k)
    ranked: tuple[I32, F64] = _ranked(found, scores, n_found, k)
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
def _room(k: int) -> tuple[I32, F64]:
    size = max(_GATHERED * k, _FEWEST_GATHERED) + _LANES
    return np.empty(size, np.int32), np.empty(size)


@njit(cache=True)
def _next_block(documents: I32, starts: I64, ends: I64, n_documents: int) -> int:
    """Return the first document of the next block that a list has something in, `n_documents` if there is none."""
    nearest = n_documents
    for item in range(starts.size):
        if starts[item] < ends[item]:
            nearest = min(nearest, documents[starts[item]])
    return nearest if nearest == n_documents else nearest - nearest % _BLOCK


@njit(cache=True)
def _add_lists(documents: I32, gains: F64, starts: I64, ends: I64, weights: F64, first: int, sums: F64) -> None:
    """Add what the lists hold of the block that begins with the document `first`, and move them on."""
    for item in range(starts.size):
        posting = np.uint64(starts[item])  # numba takes no time to see whether an unsigned index counts from the end
        end = np.uint64(ends[item])
        weight = weights[item]
        while posting < end and documents[posting] < first + _BLOCK:
            sums[np.uint64(documents[posting] - first)] += weight * gains[posting] + 0.0
            posting += np.uint64(1)
        starts[item] = posting


@njit(cache=True)
def _gather(
    sums: F64,
    first: int,
    width: int,
    base: F64,
    kinds: I32,
    k: int,
    found: I32,
    scores: F64,
    n_found: int,
    threshold: float,
) -> tuple[int, float]:
    """Gather the documents of a block whose scores are above the threshold; return their number and the threshold."""
    last = first + width - 1
    for lane in range(0, width, _LANES):
        # A base may lift any document, and a threshold below 0 is below what was never touched.
        if base.size == 0 and threshold >= 0.0 and _highest(sums, np.uint64(lane)) <= threshold:
            continue
        for place in range(lane, lane + _LANES):
            document = first + place
            score = sums[np.uint64(place)]
            touched = (score != 0.0) | (np.copysign(1.0, score) > 0.0)
            if base.size > 0:
                score += base[kinds[min(document, last)]]
            found[n_found] = document
            scores[n_found] = score
            n_found += touched & (score > threshold)
        if n_found + _LANES > found.size:
            n_found, threshold = _keep_best(found, scores, n_found, k)
    return n_found, threshold


@njit(cache=True)
def _highest(sums: F64, begin: int) -> float:
    highest: float = sums[begin]
    for lane in range(1, _LANES):
        score = sums[begin + np.uint64(lane)]
        highest = score if score > highest else highest  # unlike max(), one instruction for several lanes
    return highest


@njit(cache=True)
def _keep_best(found: I32, scores: F64, n_found: int, k: int) -> tuple[int, float]:
    """Drop what is not among the k best but for a few, keep the order of the rest; return their number and minimum."""
    n_kept = _drop_low_buckets(found, scores, n_found, k)
    if n_kept > 2 * k:  # ties, or a few scores far above all others
        best = np.zeros(n_kept, np.bool_)
        for place in _order(scores[:n_kept])[:k]:
            best[place] = True
        n_best = 0
        for place in range(n_kept):
            found[n_best] = found[place]
            scores[n_best] = scores[place]
            n_best += best[place]
        n_kept = k
    return n_kept, scores[:n_kept].min()


@njit(cache=True)
def _drop_low_buckets(found: I32, scores: F64, n_found: int, k: int) -> int:
    """Spread the scores over buckets and keep the highest that hold k or more; return the number of scores kept."""
    lowest = scores[:n_found].min()
    spread = scores[:n_found].max() - lowest
    scale = (_BUCKETS - 1) / spread if spread > 0.0 else np.inf
    if not 0.0 < scale < np.inf:  # all equal, or a range that over- or underflows
        return n_found
    counts = np.zeros(_BUCKETS, np.int64)
    for place in range(n_found):
        counts[int((scores[place] - lowest) * scale)] += 1
    cut = _BUCKETS
    n_above = 0
    while n_above < k:
        cut -= 1
        n_above += counts[cut]
    n_kept = 0
    for place in range(n_found):
        score = scores[place]
        found[n_kept] = found[place]
        scores[n_kept] = score
        n_kept += int((score - lowest) * scale) >= cut
    return n_kept


@njit(cache=True)
def _ranked(found: I32, scores: F64, n_found: int, k: int) -> tuple[I32, F64]:
    if n_found > k:
        n_found, _ = _keep_best(found, scores, n_found, k)
    if n_found == 0:
        return found[:0].copy(), scores[:0].copy()
    order = _order(scores[:n_found])[:k]
    return found[order], scores[order]


@njit(cache=True)
def _order(scores: F64) -> I64:
    n = scores.size
    scratch = np.empty(3 * n + 2, np.int64)
    rank_documents(scores, n, scratch[:n], scratch[n : 2 * n], scratch[2 * n :])
    return scratch[:n]
