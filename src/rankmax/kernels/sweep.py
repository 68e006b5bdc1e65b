"""The exact value of a metric along a line in weight space, query by query.

Along w + mu*v the score of document i is the line a_i + mu*b_i. A query's value changes only where two lines cross, so
it is a step function of mu; these kernels list its steps. Two ways of finding them:

*Kinetic list* (:func:`_follow`): keep the top k documents in order, the times at which neighbours swap, and the next
document to enter. Costs (k + n) a step, and touches nothing below rank k. Starts from the order at mu = 0 and walks
outwards, to the right and, with the slopes negated, to the left.

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


@njit(cache=True)
def _units(x: float) -> int:
    return int(np.rint(x))


@njit(cache=True)
def _before(a_i: float, b_i: float, a_j: float, b_j: float) -> bool:
    """Whether i stands above j just right of mu = 0, the earlier document being i."""
    return a_i > a_j or (a_i == a_j and b_i >= b_j)


@njit(cache=True)
def _select_top(a: F64, b: F64, k: int, top: I64) -> None:
    """Write the k best documents just right of mu = 0 to `top`."""
    n = a.size
    size = 0
    for i in range(n):
        if size == k and _before(a[top[k - 1]], b[top[k - 1]], a[i], b[i]):
            continue
        j = size if size < k else k - 1
        while j > 0 and not _before(a[top[j - 1]], b[top[j - 1]], a[i], b[i]):
            top[j] = top[j - 1]
            j -= 1
        top[j] = i
        if size < k:
            size += 1


@njit(cache=True)
def _crossing(a_above: float, b_above: float, a_below: float, b_below: float) -> float:
    """When the lower line catches up, going right; never, if it is not steeper."""
    if b_below > b_above:
        return (a_above - a_below) / (b_below - b_above)
    return np.inf


@njit(cache=True)
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


@njit(cache=True)
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
    top: I64,
    state: F64,
    counts: I64,
) -> tuple[int, int, int]:
    """Walk right from mu = 0 to `limit`; append (side * mu, side * change) for each step.

    Returns the number of steps (-1 when they do not fit), the value just right of 0 and the value at the end.
    """
    n = a.size
    top_a, top_b, top_gain = state[0, :k], state[1, :k], state[2, :k]
    swap, reading = state[3, :k], state[4, : k + 1]
    outside_a, outside_b, outside_gain, times = (
        state[5, : n - k],
        state[6, : n - k],
        state[7, : n - k],
        state[8, : n - k],
    )
    above, units, outside = counts[0, : k + 1], counts[1, :k], counts[3, : n - k]
    last_prefix = prefix.size - 1

    _select_top(a, b, k, top)
    counts[2, :n] = 0
    for p in range(k):
        counts[2, top[p]] = 1
        top_a[p], top_b[p], top_gain[p] = a[top[p]], b[top[p]], gain[top[p]]
    j = 0
    for i in range(n):
        if counts[2, i] == 0:
            outside[j], outside_a[j], outside_b[j], outside_gain[j] = i, a[i], b[i], gain[i]
            j += 1

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


@njit(cache=True)
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


@njit(cache=True, parallel=True)
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
        falling = np.empty(longest, np.float64)
        top = np.empty(longest, np.int64)
        state = np.empty((9, longest + 1), np.float64)
        counts = np.empty((4, longest + 1), np.int64)
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
                used, at_right, _ = _follow(
                    a, b, gains[:n], k, right, 1.0, discount, prefix, unit[q], cascade,
                    steps[task], changes[task], used, top, state, counts,
                )  # fmt: skip
                if used >= 0 and left > 0.0:
                    for i in range(n):
                        falling[i] = -b[i]
                    used, at_left, value = _follow(
                        a, falling[:n], gains[:n], k, left, -1.0, discount, prefix, unit[q], cascade,
                        steps[task], changes[task], used, top, state, counts,
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
