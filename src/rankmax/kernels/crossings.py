"""All crossings of one query's documents along a line, for metrics that look at every rank.

Lists the crossings of each document that has a gain with every other document. A crossing changes two ranks by one,
whatever the order in which simultaneous crossings are taken. Costs R * n for R documents with a gain.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import F64, I64
from rankmax.kernels.ranking import rank_documents


@njit(cache=True, error_model="numpy")
def cross_pairs(
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
            units[r] = int(np.rint(unit * (g * discount[rank[r]] * prefix[min(above[r], last_prefix)])))
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
                units[r] = int(np.rint(unit * (g * discount[rank[r]] * prefix[min(above[r], last_prefix)])))
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
