"""Following the top k documents of one query along a line: the kinetic list.

Keeps the top k in order, the times at which neighbors swap, and the next document to enter. Starts from the order at
mu = 0 and walks outwards, to the right and, with the slopes negated, to the left. A document that k others equal or
exceed both at mu = 0 and in slope can never enter and is left out at once: of n lines with independent slopes about
k * (1 + log(n / k)) remain. A step costs k, or as many as remain where the last place changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.borrowed import borrowed
from rankmax._kernels.compilation import njit
from rankmax._kernels.lines.swept_query import StepList, SweptQuery
from rankmax._kernels.metrics.ranking import rank_documents

LANES = 8
"""The times at which outside documents may enter are computed in groups of so many."""
_NEVER = np.float64(np.inf).view(np.int64)


class TopRoom(NamedTuple):
    """Scratch of :func:`follow_top`, as long as the longest query; what is outside is longer by LANES.

    Attributes
    ----------
    order, spare : int64
        Documents in their order just beside mu = 0.
    top, top_scores, top_slopes, top_gains : int64 and float64
        The documents at ranks 0 to k - 1.
    swaps : float64
        When the document at each rank is passed by the one below it; at the last rank, when the next one enters.
    units : int64
        The contribution of each rank.
    above : int64, one longer
        How many of the documents above each rank have a gain.
    reading : float64, one longer
        The probability that a user gets to each rank; 1 but for cascade metrics.
    outside, outside_scores, outside_slopes, outside_gains, times : int64 and float64
        The other documents that may enter, and when each would pass the document at the last rank.
    """

    order: I64
    spare: I64
    top: I64
    top_scores: F64
    top_slopes: F64
    top_gains: F64
    swaps: F64
    units: I64
    above: I64
    reading: F64
    outside: I64
    outside_scores: F64
    outside_slopes: F64
    outside_gains: F64
    times: F64


@njit(cache=True, error_model="numpy")
def break_ties(a: F64, b: F64, side: float, order: I64, spare: I64) -> None:
    """Put documents that tie at mu = 0, given in their order, by falling slope: their order just beside 0."""
    n = a.size
    first = 0
    while first < n:
        last = first + 1
        while last < n and a[order[last]] == a[order[first]]:
            last += 1
        if last - first > 1:
            tied = np.empty(last - first)
            for i in range(first, last):
                spare[i] = order[i]
                tied[i - first] = side * b[order[i]]
            ranked = np.empty(last - first, np.int64)
            rank_documents(tied, last - first, ranked, np.empty_like(ranked), np.empty(last - first + 2, np.int64))
            for i in range(first, last):
                order[i] = spare[first + ranked[i - first]]
        first = last


@njit(cache=True, error_model="numpy")
def _contenders(b: F64, side: float, k: int, order: I64, steepest: F64) -> int:
    """Move the documents that may ever be among the top k to the front of `order`, keeping it; return their number.

    `order` is that just beside mu = 0, so a document is left out when k documents before it are at least as steep.
    """
    n = b.size
    kept = 0
    for r in range(n):
        slope = side * b[order[r]]
        if r >= k and slope <= steepest[k - 1]:
            continue
        j = min(kept, k - 1)  # the k steepest so far, falling
        while j > 0 and steepest[j - 1] < slope:
            steepest[j] = steepest[j - 1]
            j -= 1
        steepest[j] = slope
        order[kept] = order[r]
        kept += 1
    return kept


@njit(cache=True, error_model="numpy")
def _crossing(a_above: float, b_above: float, a_below: float, b_below: float) -> float:
    """When the lower line catches up, going right; never, if it is not steeper."""
    steeper = b_below - b_above
    return (a_above - a_below) / steeper + (0.0 if steeper > 0.0 else np.inf)


@njit(cache=True, error_model="numpy")
def _times_to_enter(a_last: float, b_last: float, outside_a: F64, outside_b: F64, n: int, times: F64) -> float:
    """Fill the times at which n outside documents catch up with the last one inside; return the earliest.

    Goes on to a multiple of LANES. The minimum is that of the bits as integers, which have the order of the numbers
    where these are not negative: numba makes vector instructions of integer minimums only.
    """
    earliest = _NEVER
    for j in range((n + LANES - 1) & -LANES):
        steeper = outside_b[j] - b_last
        time = (a_last - outside_a[j]) / steeper
        time = time if steeper > 0.0 else np.inf
        times[j] = time
        earliest = min(earliest, np.float64(time).view(np.int64))
    return float(np.int64(earliest).view(np.float64))


@njit(cache=True, error_model="numpy")
def _next_to_enter(earliest: float, outside_a: F64, outside_b: F64, outside: I64, n: int, times: F64) -> int:
    """Return who enters first. Of several at once (or by rounding), it is the one that stands highest afterwards."""
    first = 0
    while times[first] != earliest:
        first += 1
    for j in range(first + 1, n):
        if times[j] == earliest:
            steeper = outside_b[j] - outside_b[first]
            higher = outside_a[j] - outside_a[first]
            if steeper < 0.0 or (steeper == 0.0 and (higher < 0.0 or (higher == 0.0 and outside[j] > outside[first]))):
                continue
            first = j
    return first


@njit(cache=True, error_model="numpy")
def follow_top(
    query: SweptQuery,
    gains: F64,
    ranking: I64,
    is_tied: bool,
    limit: float,
    side: float,
    found: StepList,
    n_steps: int,
    room: TopRoom,
) -> tuple[int, int, int]:
    """Walk outwards from mu = 0 to side * `limit`; append each step to `found`.

    `ranking` holds the documents by falling score, ties, if there are some, in their order. Returns the number of steps
    (-1 when they do not fit), the value just beside 0 and the value at the end.
    """
    query, found, room = borrowed(query), borrowed(found), borrowed(room)
    n, k = query.scores.size, query.cutoff
    a, b = query.scores, query.slopes
    order, swap, units = room.order[:n], room.swaps[:k], room.units
    top, top_a, top_b, top_gain = room.top, room.top_scores, room.top_slopes, room.top_gains
    outside, times, outside_gain = room.outside, room.times, room.outside_gains
    outside_a, outside_b = room.outside_scores, room.outside_slopes
    for r in range(n):
        order[r] = ranking[r]
    if is_tied:
        break_ties(a, b, side, order, room.spare)
    n = _contenders(b, side, k, order, swap)
    n_outside = n - k
    for j in range(n_outside, n_outside + LANES):
        outside_a[j], outside_b[j] = 0.0, -np.inf
    for r in range(n):
        i = order[r]
        if r < k:
            top[r], top_a[r], top_b[r], top_gain[r] = i, a[i], side * b[i], gains[i]
        else:
            outside[r - k] = i
            outside_a[r - k], outside_b[r - k], outside_gain[r - k] = a[i], side * b[i], gains[i]
    room.above[0] = 0
    room.reading[0] = 1.0
    total = 0
    for p in range(k):
        total += _place(query, room, p, top_gain[p])
        if p > 0:
            swap[p - 1] = _crossing(top_a[p - 1], top_b[p - 1], top_a[p], top_b[p])
    swap[k - 1] = _times_to_enter(top_a[k - 1], top_b[k - 1], outside_a, outside_b, n_outside, times)
    initial = total

    now = 0.0
    while True:
        p = -1
        earliest = limit
        for r in range(k):
            if swap[r] < earliest:
                earliest = swap[r]
                p = r
        if p < 0:
            return n_steps, initial, total
        now = max(now, earliest)
        before = total
        if p == k - 1:
            j = _next_to_enter(earliest, outside_a, outside_b, outside, n_outside, times)
            if top_gain[p] != outside_gain[j]:
                total -= units[p]
                total += _place(query, room, p, outside_gain[j])
                top_gain[p], outside_gain[j] = outside_gain[j], top_gain[p]
            top[p], outside[j] = outside[j], top[p]
            top_a[p], outside_a[j] = outside_a[j], top_a[p]
            top_b[p], outside_b[j] = outside_b[j], top_b[p]
        else:
            if top_gain[p] != top_gain[p + 1]:
                top_gain[p], top_gain[p + 1] = top_gain[p + 1], top_gain[p]
                total -= units[p] + units[p + 1]
                for r in range(p, p + 2):
                    total += _place(query, room, r, top_gain[r])
            top[p], top[p + 1] = top[p + 1], top[p]
            top_a[p], top_a[p + 1] = top_a[p + 1], top_a[p]
            top_b[p], top_b[p + 1] = top_b[p + 1], top_b[p]
            swap[p] = np.inf  # a pair crosses once
            if p + 2 < k:
                swap[p + 1] = _crossing(top_a[p + 1], top_b[p + 1], top_a[p + 2], top_b[p + 2])
        if p > 0:
            swap[p - 1] = _crossing(top_a[p - 1], top_b[p - 1], top_a[p], top_b[p])
        if p >= k - 2:
            swap[k - 1] = _times_to_enter(top_a[k - 1], top_b[k - 1], outside_a, outside_b, n_outside, times)
        if total != before:
            if n_steps == found.steps.size:
                return -1, initial, total
            found.steps[n_steps] = side * now
            found.changes[n_steps] = np.int64(side) * (total - before)
            n_steps += 1


@njit(cache=True, error_model="numpy")
def _place(query: SweptQuery, room: TopRoom, r: int, gain: float) -> int:
    """Put a document of this gain at rank r; return its contribution, and note what those below it see."""
    seen = query.prefix[min(room.above[r], query.prefix.size - 1)] * room.reading[r]
    room.units[r] = int(np.rint(query.unit * (gain * query.discount[r] * seen)))
    room.above[r + 1] = room.above[r] + (gain > 0.0)
    room.reading[r + 1] = room.reading[r] * (1.0 - query.stop * gain)
    return int(room.units[r])
