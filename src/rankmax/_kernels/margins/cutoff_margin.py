"""The interleaving that violates most the margin of a metric with a cutoff, or with any discount at all.

At a cutoff k the discount falls to 0, and is convex no more. But below it nothing counts, and what is left stands by
score. The top k is found by dynamic programming over how many relevant and other documents have been taken: k^2 / 2
states. The document at the next rank adds what the metric's tables say; put above those left, it pays

    2 / (p m) * sum of (s_u - s_d) over the documents u of the other kind that are left and have s_u > s_d,

by which the discriminant falls below that of the ranking by score.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.margins.split_queries import LossTables


@njit(cache=True)
def interleave_the_top(
    relevant: F64, others: F64, weight: float, ideal: float, tables: LossTables, cutoff: int, sums: F64, above: I64
) -> float:
    """Fill `above` and return the loss.

    Parameters
    ----------
    relevant, others : float64
        Scores, falling.
    weight : float
        2 / (p m).
    ideal : float
        The metric's sum when the relevant documents come first.
    tables : LossTables
    cutoff : int
        Ranks that count, at most p + m.
    sums : float64 scratch of p + m + 2
    above : int64, at least p
    """
    discount, prefix = tables.discount, tables.prefix
    p, m = relevant.size, others.size
    most_relevant, most_others = min(p, cutoff), min(m, cutoff)
    relevant_sums, other_sums = sums[: p + 1], sums[p + 1 :]
    _cumulate(relevant, relevant_sums)
    _cumulate(others, other_sums)
    higher_others, higher_relevant = _count_higher(relevant, others, p), _count_higher(others, relevant, most_others)
    costs = np.empty((most_relevant + 1, most_others + 1))
    took_relevant = np.empty((most_relevant + 1, most_others + 1), np.bool_)
    costs[0, 0] = 0.0
    best, best_cost = 0, np.inf
    for a in range(most_relevant + 1):
        for b in range(min(most_others, cutoff - a) + 1):
            if a + b == 0:
                continue
            cheapest = np.inf
            if a > 0:
                left = max(higher_others[a - 1], b)
                passed = other_sums[left] - other_sums[b] - (left - b) * relevant[a - 1]
                cheapest = costs[a - 1, b] + prefix[a - 1] * discount[a + b] / ideal + weight * passed
                took_relevant[a, b] = True
            if b > 0:
                left = max(higher_relevant[b - 1], a)
                passed = relevant_sums[left] - relevant_sums[a] - (left - a) * others[b - 1]
                cost = costs[a, b - 1] + weight * passed
                if cost < cheapest:
                    cheapest = cost
                    took_relevant[a, b] = False
            costs[a, b] = cheapest
            if a + b == cutoff and cheapest < best_cost:
                best, best_cost = a, cheapest
    a, b = best, cutoff - best
    for i in range(a, p):
        above[i] = max(b, higher_others[i])
    value = 0.0
    while a + b > 0:
        if took_relevant[a, b]:
            value += prefix[a - 1] * discount[a + b]
            a -= 1
            above[a] = b
        else:
            b -= 1
    return 1.0 - value / ideal


@njit(cache=True)
def _cumulate(values: F64, sums: F64) -> None:
    sums[0] = 0.0
    for i in range(values.size):
        sums[i + 1] = sums[i] + values[i]


@njit(cache=True)
def _count_higher(scores: F64, rivals: F64, n: int) -> I64:
    """Return, for each of the first n scores, how many rivals are higher; both fall."""
    higher = np.empty(n, np.int64)
    j = 0
    for i in range(n):
        while j < rivals.size and rivals[j] > scores[i]:
            j += 1
        higher[i] = j
    return higher
