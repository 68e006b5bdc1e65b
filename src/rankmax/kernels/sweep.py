"""The exact value of a metric along a line in weight space, query by query.

Along w + mu*v the score of document i is the line a_i + mu*b_i. A query's value changes only where two lines cross, so
it is a step function of mu; these kernels list its steps. Two ways of finding them:

*Kinetic list* (:func:`_follow`): keep the top k documents in order, the times at which neighbours swap, and the next
document to enter. Starts from the order at mu = 0 and walks outwards, to the right and, with the slopes negated, to the
left. A document that k others equal or exceed both at mu = 0 and in slope can never enter and is left out at once: of n
lines with independent slopes about k * (1 + log(n / k)) remain. A step costs k, or so many if the last place changes.

*Pairs* (:func:`_cross_pairs`): list the crossings of every document that has a gain with every other document. A
crossing changes two ranks by one, whatever the order in which simultaneous crossings are taken. Costs R*n for R
documents with a gain, and is the better one for metrics without a (small) cutoff.

Contributions are counted in integers (:func:`_units`), so that sums over documents, steps and queries are exact and do
not depend on their order; the value at any mu is the same bits for any number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from rankmax.arrays import F64, I64
from rankmax.kernels.ranking import rank_documents

_PAIRS_FROM = 24  # documents from which listing pairs beats keeping a complete list
_TOP_SHARE = 3  # with a cutoff below this fraction of the documents the kinetic list is cheaper


@njit(cache=True, error_model="numpy")
def _units(x: float) -> int:
    return int(np.rint(x))


@njit(cache=True, error_model="numpy")
def _break_ties(a: F64, b: F64, side: float, order: I64, spare: I64) -> None:
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
    if b_below > b_above:
        return (a_above - a_below) / (b_below - b_above)
    return np.inf


@njit(cache=True, error_model="numpy")
def _next_to_enter(a_last: float, b_last: float, outside_a: F64, outside_b: F64, outside: I64, times: F64) -> int:
    """Fill the times at which outside documents catch up with the last one inside; return the first of them.

    Where several come at once (or rounding makes it so), it is the one that stands highest afterwards.
    """
    n = outside_a.size
    for j in range(n):
        steeper = outside_b[j] - b_last
        times[j] = (a_last - outside_a[j]) / steeper if steeper > 0.0 else np.inf
    first = 0
    for j in range(1, n):
        if times[j] < times[first]:
            first = j
        elif times[j] == times[first] and times[j] < np.inf:
            steeper = outside_b[j] - outside_b[first]
            higher = outside_a[j] - outside_a[first]
            if steeper > 0.0 or (steeper == 0.0 and (higher > 0.0 or (higher == 0.0 and outside[j] < outside[first]))):
                first = j
    return first


@njit(cache=True, error_model="numpy")
def _follow(
    a: F64,
    b: F64,
    gain: F64,
    k: int,
    limit: float,
    side: float,
    discount: F64,
    prefix: F64,
    unit: float,
    cascade: bool,
    steps: F64,
    changes: I64,
    n_steps: int,
    ranking: I64,
    state: F64,
    counts: I64,
) -> tuple[int, int, int]:
    """Walk outwards from mu = 0 to side * `limit`; append (mu, change from left to right) for each step.

    `ranking` holds the documents by falling `a`, ties in their order. Returns the number of steps (-1 when they do not
    fit), the value just beside 0 and the value at the end.
    """
    n = a.size
    top_a, top_b, top_gain = state[0][:k], state[1][:k], state[2][:k]
    swap, reading = state[3][:k], state[4][: k + 1]
    order, spare = counts[4][:n], counts[5][:n]
    for r in range(n):
        order[r] = ranking[r]
    _break_ties(a, b, side, order, spare)
    n = _contenders(b, side, k, order, swap)
    outside_a, outside_b, outside_gain = state[5][: n - k], state[6][: n - k], state[7][: n - k]
    times = state[8][: n - k]
    above, units = counts[0][: k + 1], counts[1][:k]
    top, outside = counts[2][:k], counts[3][: n - k]
    last_prefix = prefix.size - 1
    for r in range(n):
        i = order[r]
        if r < k:
            top[r], top_a[r], top_b[r], top_gain[r] = i, a[i], side * b[i], gain[i]
        else:
            outside[r - k], outside_a[r - k], outside_b[r - k], outside_gain[r - k] = i, a[i], side * b[i], gain[i]

    above[0] = 0
    reading[0] = 1.0
    total = 0
    for p in range(k):
        g = top_gain[p]
        if cascade:
            units[p] = _units(unit * (discount[p] * g * reading[p]))
            reading[p + 1] = reading[p] * (1.0 - g)
        else:
            units[p] = _units(unit * (g * discount[p] * prefix[min(above[p], last_prefix)]))
            above[p + 1] = above[p] + (g > 0.0)
        total += units[p]
        if p > 0:
            swap[p - 1] = _crossing(top_a[p - 1], top_b[p - 1], top_a[p], top_b[p])
    swap[k - 1] = np.inf
    entering = -1
    if n > k:
        entering = _next_to_enter(top_a[k - 1], top_b[k - 1], outside_a, outside_b, outside, times)
        swap[k - 1] = times[entering]
    initial = total

    now = 0.0
    while True:
        p = 0
        for r in range(1, k):
            if swap[r] < swap[p]:
                p = r
        if not swap[p] < limit:
            return n_steps, initial, total
        now = max(now, swap[p])
        before = total
        if p == k - 1:
            j = entering
            top[p], outside[j] = outside[j], top[p]
            top_a[p], outside_a[j] = outside_a[j], top_a[p]
            top_b[p], outside_b[j] = outside_b[j], top_b[p]
            top_gain[p], outside_gain[j] = outside_gain[j], top_gain[p]
            total -= units[p]
        else:
            top[p], top[p + 1] = top[p + 1], top[p]
            top_a[p], top_a[p + 1] = top_a[p + 1], top_a[p]
            top_b[p], top_b[p + 1] = top_b[p + 1], top_b[p]
            top_gain[p], top_gain[p + 1] = top_gain[p + 1], top_gain[p]
            total -= units[p] + units[p + 1]
        for r in range(p, min(p + 2, k)):
            g = top_gain[r]
            if cascade:
                units[r] = _units(unit * (discount[r] * g * reading[r]))
                reading[r + 1] = reading[r] * (1.0 - g)
            else:
                units[r] = _units(unit * (g * discount[r] * prefix[min(above[r], last_prefix)]))
                above[r + 1] = above[r] + (g > 0.0)
            total += units[r]
        if p > 0:
            swap[p - 1] = _crossing(top_a[p - 1], top_b[p - 1], top_a[p], top_b[p])
        if p < k - 1:
            swap[p] = np.inf  # a pair crosses once
            if p + 2 < k:
                swap[p + 1] = _crossing(top_a[p + 1], top_b[p + 1], top_a[p + 2], top_b[p + 2])
        if n > k and p >= k - 2:
            entering = _next_to_enter(top_a[k - 1], top_b[k - 1], outside_a, outside_b, outside, times)
            swap[k - 1] = times[entering]
        if total != before:
            if n_steps == steps.size:
                return -1, initial, total
            steps[n_steps] = side * now
            changes[n_steps] = np.int64(side) * (total - before)
            n_steps += 1


@njit(cache=True, error_model="numpy")
def _cross_pairs(
    a: F64,
    b: F64,
    gain: F64,
    cutoff: int,
    low: float,
    high: float,
    discount: F64,
    prefix: F64,
    unit: float,
    steps: F64,
    changes: I64,
    n_steps: int,
) -> tuple[int, int]:
    """Append (mu, change) for each step between `low` and `high`, ascending.

    Returns the number of steps (-1 when they do not fit) and the value just right of `low`.
    """
    n = a.size
    n_gaining = 0
    for i in range(n):
        n_gaining += gain[i] != 0.0
    document = np.empty(n_gaining, np.int64)
    r = 0
    for i in range(n):
        if gain[i] != 0.0:
            document[r] = i
            r += 1
    rank = np.zeros(n_gaining, np.int64)
    above = np.zeros(n_gaining, np.int64)
    most = n_gaining * (n - 1)
    minus_mu = np.empty(most)
    who = np.empty(most, np.int64)
    move = np.empty(most, np.int64)
    n_events = 0
    for r in range(n_gaining):
        i = document[r]
        for j in range(n):
            if j == i:
                continue
            rise = b[j] - b[i]
            lead = a[j] - a[i]
            counted = gain[j] > 0.0
            if rise == 0.0:
                is_above = lead > 0.0 or (lead == 0.0 and j < i)
            else:
                mu = -lead / rise
                if mu <= low:
                    is_above = rise > 0.0
                else:
                    is_above = rise < 0.0
                    if mu < high:
                        minus_mu[n_events] = -mu
                        who[n_events] = r
                        # 2 when the other document counts as relevant, negative when it falls below this one
                        move[n_events] = (1 + counted) * (1 if rise > 0.0 else -1)
                        n_events += 1
            if is_above:
                rank[r] += 1
                above[r] += counted
    last_prefix = prefix.size - 1
    units = np.zeros(n_gaining, np.int64)
    total = 0
    for r in range(n_gaining):
        if rank[r] < cutoff:
            g = gain[document[r]]
            units[r] = _units(unit * (g * discount[rank[r]] * prefix[min(above[r], last_prefix)]))
            total += units[r]
    initial = total
    if n_events == 0:
        return n_steps, initial
    order = np.empty(n_events, np.int64)
    spare = np.empty(n_events, np.int64)
    buckets = np.empty(n_events + 2, np.int64)
    rank_documents(minus_mu[:n_events], n_events, order, spare, buckets)
    first = 0
    while first < n_events:
        mu = -minus_mu[order[first]]
        last = first
        while last < n_events and -minus_mu[order[last]] == mu:
            e = order[last]
            r = who[e]
            step = 1 if move[e] > 0 else -1
            rank[r] += step
            if move[e] == 2 or move[e] == -2:
                above[r] += step
            last += 1
        before = total
        for e in range(first, last):
            r = who[order[e]]
            total -= units[r]
            if rank[r] < cutoff:
                g = gain[document[r]]
                units[r] = _units(unit * (g * discount[rank[r]] * prefix[min(above[r], last_prefix)]))
            else:
                units[r] = 0
            total += units[r]
        if total != before:
            if n_steps == steps.size:
                return -1, initial
            steps[n_steps] = mu
            changes[n_steps] = total - before
            n_steps += 1
        first = last
    return n_steps, initial


@njit(cache=True, parallel=True, error_model="numpy")
def sweep_line(
    scores: F64,
    slopes: F64,
    query_offsets: I64,
    document_levels: I64,
    tasks: I64,
    low: float,
    high: float,
    gain: F64,
    discount: F64,
    prefix: F64,
    unit: F64,
    cutoff: I64,
    cascade: bool,
    steps: F64,
    changes: I64,
    n_steps: I64,
    starts: I64,
) -> None:
    """List the steps of a metric's weighted sum over queries along scores + mu * slopes, for low < mu < high.

    Parameters
    ----------
    scores, slopes : float64, (n_documents,)
    query_offsets, document_levels : int64
    tasks : int64, (n_tasks + 1,)
        Queries of each parallel task.
    low, high : float
        low <= 0 <= high, possibly infinite.
    gain, discount, prefix : float64
        Tables of the metric; for a cascade metric, `gain` holds the stop probabilities.
    unit : float64, (n_queries,)
        Norm times query weight times the number of units in 1.
    cutoff : int64, (n_queries,)
        At most the number of the query's documents.
    cascade : bool
    steps, changes : float64 and int64, (n_tasks, capacity)
        Where and by how many units the sum changes, in no particular order.
    n_steps : int64, (n_tasks,)
        Number of steps of each task, -1 where they did not fit.
    starts : int64, (n_tasks,)
        The sum just right of `low`.
    """
    for task in prange(tasks.size - 1):
        longest = 0
        for q in range(tasks[task], tasks[task + 1]):
            longest = max(longest, query_offsets[q + 1] - query_offsets[q])
        gains = np.empty(longest, np.float64)
        ranking = np.empty(longest, np.int64)
        spare = np.empty(longest, np.int64)
        buckets = np.empty(longest + 2, np.int64)
        state = np.empty((9, longest + 1), np.float64)
        counts = np.empty((6, longest + 1), np.int64)
        used = 0
        start = 0
        for q in range(tasks[task], tasks[task + 1]):
            first = query_offsets[q]
            n = query_offsets[q + 1] - first
            k = min(cutoff[q], n)
            if k == 0 or unit[q] == 0.0:
                continue
            a = scores[first : first + n]
            b = slopes[first : first + n]
            moving = False
            for i in range(n):
                gains[i] = gain[document_levels[first + i]]
                moving |= b[i] != b[0]
            if not cascade and n >= _PAIRS_FROM and k * _TOP_SHARE > n and moving:
                used, value = _cross_pairs(
                    a, b, gains[:n], k, low, high, discount, prefix, unit[q], steps[task], changes[task], used
                )
                start += value
            else:
                right = high if moving else 0.0
                left = -low if moving else 0.0
                rank_documents(a, n, ranking, spare, buckets)
                used, at_right, _ = _follow(
                    a, b, gains[:n], k, right, 1.0, discount, prefix, unit[q], cascade,
                    steps[task], changes[task], used, ranking, state, counts,
                )  # fmt: skip
                if used >= 0 and left > 0.0:
                    used, at_left, value = _follow(
                        a, b, gains[:n], k, left, -1.0, discount, prefix, unit[q], cascade,
                        steps[task], changes[task], used, ranking, state, counts,
                    )  # fmt: skip
                    start += value
                    if used >= 0 and at_left != at_right:  # documents that tie at mu = 0
                        if used == steps.shape[1]:
                            used = -1
                        else:
                            steps[task, used] = 0.0
                            changes[task, used] = at_right - at_left
                            used += 1
                else:
                    start += at_right
            if used < 0:
                break
        n_steps[task] = used
        starts[task] = start
