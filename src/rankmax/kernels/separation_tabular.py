"""The most violated constraint of each query, for any tabular metric down to a cutoff.

Documents of equal gain stand by falling score, as swapping two of them changes no loss. So the top k of a ranking is
told by which class of gain each of its ranks takes, always the class's next document; below the cutoff nothing counts,
and what is left stands by score. The best top k is found by dynamic programming over how many documents of each class
have been taken: for the rank, the class and the number of relevant documents above, the metric's own tables say what is
gained; and a document d that is put above those left pays

    2 / Z * sum of (s_u - s_d) over the documents u of other classes that are left and have s_u > s_d,

by which the discriminant falls below that of the ranking by score. Z is the number of pairs of different gain.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from rankmax.arrays import F64, I64
from rankmax.kernels.separation import sort_by_score


@njit(cache=True, parallel=True)
def separate_tabular_tasks(
    tasks: I64,
    scores: F64,
    documents: I64,
    class_offsets: I64,
    query_classes: I64,
    class_gain: F64,
    discount: F64,
    prefix: F64,
    norm: F64,
    cutoff: I64,
    most_states: int,
    values: F64,
    margins: F64,
) -> None:
    """Fill the values and margins of all queries, in stretches whose borders are `tasks`, several at once."""
    for t in prange(tasks.size - 1):
        separate_tabular_queries(
            tasks[t],
            tasks[t + 1],
            scores,
            documents,
            class_offsets,
            query_classes,
            class_gain,
            discount,
            prefix,
            norm,
            cutoff,
            most_states,
            values,
            margins,
        )


@njit(cache=True)
def separate_tabular_queries(
    first: int,
    stop: int,
    scores: F64,
    documents: I64,
    class_offsets: I64,
    query_classes: I64,
    class_gain: F64,
    discount: F64,
    prefix: F64,
    norm: F64,
    cutoff: I64,
    most_states: int,
    values: F64,
    margins: F64,
) -> None:
    """Fill the values and margins of the queries from `first` up to `stop`.

    Parameters
    ----------
    first, stop : int
    scores : float64, (n_documents,)
    documents : int64, (n_documents,)
        By query, then by falling gain.
    class_offsets : int64, (n_classes + 1,)
        Where the documents of each query's classes of equal gain begin.
    query_classes : int64, (n_queries + 1,)
        Where the classes of each query begin.
    class_gain : float64, (n_classes,)
    discount, prefix : float64
        By rank, and by number of relevant documents above; the last entry of prefix holds for all larger numbers.
    norm : float64, (n_queries,)
    cutoff : int64, (n_queries,)
        At most the number of documents.
    most_states : int
        No query's classes, each cut at the cutoff, have more combinations of counts.
    values : float64, (n_queries,)
        The metric of the most violated ranking, without its offset.
    margins : float64, (n_documents,)
        Coefficients of phi in Psi(true ranking) - Psi(most violated ranking).
    """
    longest, most_classes = 0, 0
    for q in range(first, stop):
        longest = max(longest, class_offsets[query_classes[q + 1]] - class_offsets[query_classes[q]])
        most_classes = max(most_classes, query_classes[q + 1] - query_classes[q])
    sorted_scores, gathered, sums = np.empty(longest), np.empty(longest), np.empty(longest + most_classes)
    sorted_documents, ranking = np.empty(longest, np.int64), np.empty(longest, np.int64)
    order, spare, buckets = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest + 2, np.int64)
    costs, choices = np.empty(most_states), np.empty(most_states, np.int64)
    for q in range(first, stop):
        classes = class_offsets[query_classes[q] : query_classes[q + 1] + 1]
        starts = classes - classes[0]
        gains = class_gain[query_classes[q] : query_classes[q + 1]]
        n = starts[-1]
        n_pairs = n * n
        for c in range(gains.size):
            low, high = starts[c], starts[c + 1]
            n_pairs -= (high - low) ** 2
            sort_by_score(
                scores,
                documents[classes[c] : classes[c + 1]],
                sorted_scores[low:high],
                sorted_documents[low:high],
                gathered,
                order,
                spare,
                buckets,
            )
            sums[low + c] = 0.0
            for i in range(low, high):
                sums[i + c + 1] = sums[i + c] + sorted_scores[i]
        weight = 4.0 / n_pairs  # 2 / Z; n_pairs counts each pair twice
        values[q] = _best_top(
            sorted_scores, sums, starts, gains, discount, prefix, norm[q], cutoff[q], weight, costs, choices, ranking
        )
        _rank_the_rest(sorted_scores, starts, cutoff[q], ranking)
        _fill_margins(ranking[:n], sorted_documents, starts, weight, margins)


@njit(cache=True)
def _best_top(
    scores: F64,
    sums: F64,
    starts: I64,
    gains: F64,
    discount: F64,
    prefix: F64,
    norm: float,
    cutoff: int,
    weight: float,
    costs: F64,
    choices: I64,
    ranking: I64,
) -> float:
    """Write the class of each of the first `cutoff` ranks to `ranking`; return the value of that ranking."""
    n_classes = gains.size
    size, stride = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    n_states = 1
    for c in range(n_classes - 1, -1, -1):
        size[c] = min(starts[c + 1] - starts[c], cutoff)
        stride[c] = n_states
        n_states *= size[c] + 1
    higher = _count_higher(scores, starts, size)
    taken = np.zeros(n_classes, np.int64)
    costs[0] = 0.0
    best, best_cost = 0, np.inf
    state, rank = 0, 0
    while True:
        # Count on to the next combination of at most `cutoff` documents.
        c = n_classes - 1
        while c >= 0 and (taken[c] == size[c] or rank == cutoff):
            state -= taken[c] * stride[c]
            rank -= taken[c]
            taken[c] = 0
            c -= 1
        if c < 0:
            break
        taken[c] += 1
        rank += 1
        state += stride[c]
        n_relevant = 0
        for c in range(n_classes):
            if gains[c] > 0.0:
                n_relevant += taken[c]
        cheapest = np.inf
        for c in range(n_classes):
            if taken[c] == 0:
                continue
            i = taken[c] - 1
            above = n_relevant - 1 if gains[c] > 0.0 else n_relevant
            cost = costs[state - stride[c]] + norm * gains[c] * discount[rank - 1] * prefix[min(above, prefix.size - 1)]
            score = scores[starts[c] + i]
            for other in range(n_classes):
                n_higher = higher[c, i, other]
                if other != c and n_higher > taken[other]:
                    base = starts[other] + other
                    total = sums[base + n_higher] - sums[base + taken[other]]
                    cost += weight * (total - (n_higher - taken[other]) * score)
            if cost < cheapest:
                cheapest = cost
                choices[state] = c
        costs[state] = cheapest
        if rank == cutoff and cheapest < best_cost:
            best, best_cost = state, cheapest
    return _trace(best, stride, gains, discount, prefix, norm, cutoff, choices, ranking)


@njit(cache=True)
def _count_higher(scores: F64, starts: I64, size: I64) -> I64:
    """Return, for the first documents of each class, how many of each other class score higher."""
    n_classes = size.size
    higher = np.zeros((n_classes, size.max(), n_classes), np.int64)
    for c in range(n_classes):
        for other in range(n_classes):
            j = starts[other]
            for i in range(size[c]):
                while j < starts[other + 1] and scores[j] > scores[starts[c] + i]:
                    j += 1
                higher[c, i, other] = j - starts[other]
    return higher


@njit(cache=True)
def _trace(
    state: int,
    stride: I64,
    gains: F64,
    discount: F64,
    prefix: F64,
    norm: float,
    cutoff: int,
    choices: I64,
    ranking: I64,
) -> float:
    """Write the classes that led to a state to `ranking`, and return the value they add up to."""
    for rank in range(cutoff, 0, -1):
        ranking[rank - 1] = choices[state]
        state -= stride[choices[state]]
    value, n_relevant = 0.0, 0
    for rank in range(cutoff):
        gain = gains[ranking[rank]]
        value += gain * discount[rank] * prefix[min(n_relevant, prefix.size - 1)]
        n_relevant += gain > 0.0
    return float(norm * value)


@njit(cache=True)
def _rank_the_rest(scores: F64, starts: I64, cutoff: int, ranking: I64) -> None:
    """Write the classes of the ranks below the cutoff, by falling score."""
    taken = np.zeros(starts.size - 1, np.int64)
    for rank in range(cutoff):
        taken[ranking[rank]] += 1
    for rank in range(cutoff, starts[-1]):
        best = -1
        for c in range(taken.size):
            at = starts[c] + taken[c]
            if at < starts[c + 1] and (best < 0 or scores[at] > scores[starts[best] + taken[best]]):
                best = c
        ranking[rank] = best
        taken[best] += 1


@njit(cache=True)
def _fill_margins(ranking: I64, documents: I64, starts: I64, weight: float, margins: F64) -> None:
    """Count the pairs that each document is in and that stand in the wrong order; classes are by falling gain."""
    n_classes = starts.size - 1
    taken = np.zeros(n_classes, np.int64)
    for c in ranking:
        wrong = 0
        for other in range(c):
            wrong -= starts[other + 1] - starts[other] - taken[other]  # better documents below it
        for other in range(c + 1, n_classes):
            wrong += taken[other]  # worse documents above it
        margins[documents[starts[c] + taken[c]]] = weight * wrong
        taken[c] += 1
