"""The exact value of a metric along a line in weight space, query by query.

Along w + mu*v the score of document i is the line a_i + mu*b_i. A query's value changes only where two lines cross, so
it is a step function of mu; these kernels list its steps. Where a query has many more pairs of different gain than its
cutoff, the top k are followed (kinetic.py); else the crossings of these pairs are listed (crossings.py).

Contributions are counted in integers, so that sums over documents, steps and queries are exact and do not depend on
their order: the value at any mu has the same bits for any number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import F64, I64
from rankmax.kernels.crossings import cross_classes, crossing_scratch
from rankmax.kernels.kinetic import break_ties, follow_top
from rankmax.kernels.ranking import rank_documents


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_tasks(
    first_task: int, last_task: int,
    scores: F64, slopes: F64, query_offsets: I64, document_levels: I64, tasks: I64, low: float, high: float,
    gain: F64, discount: F64, prefix: F64, unit: F64, cutoff: I64, stop: float, by_class: I64, class_starts: I64,
    rises: F64, pairs: I64, steps: F64, changes: I64, n_steps: I64, starts: I64,
) -> None:  # fmt: skip
    """List the steps of a metric's weighted sum over each task's queries along scores + mu * slopes, low < mu < high.

    Parameters
    ----------
    first_task, last_task : int
        The tasks to work on, without the last.
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
    stop : float
        1 for cascade metrics, else 0.
    by_class : int64, (n_documents,)
        Each query's documents by rising gain, counted from its first.
    class_starts : int64, (n_queries, n_classes + 1)
        Where each class of equal gain begins among them.
    rises : float64, (n_classes,)
        Of the gain, from one class to the next.
    pairs : int64, (n_queries,)
        Pairs of documents of different class; -1 for queries whose top k are to be followed.
    steps, changes : float64 and int64, (n_tasks, capacity)
        Where and by how many units the sum changes, in no particular order.
    n_steps : int64, (n_tasks,)
        Number of steps of each task, -1 where they did not fit.
    starts : int64, (n_tasks,)
        The sum just right of `low`.
    """
    for task in range(first_task, last_task):
        # A typed zero: from a plain 0 numba compiles all that it is passed to twice, for the literal and for integers.
        longest = most = used = start = int(np.int64(0))
        for q in range(tasks[task], tasks[task + 1]):
            longest = max(longest, query_offsets[q + 1] - query_offsets[q])
            most = max(most, pairs[q])
        gains = np.empty(longest, np.float64)
        ranking = np.empty(longest, np.int64)
        spare = np.empty(longest, np.int64)
        buckets = np.empty(longest + 2, np.int64)
        state = np.empty((9, longest + 1), np.float64)
        counts = np.empty((6, longest + 1), np.int64)
        scratch = crossing_scratch(longest, rises.size, most)
        for q in range(tasks[task], tasks[task + 1]):
            first = query_offsets[q]
            n = query_offsets[q + 1] - first
            k = min(cutoff[q], n)
            if k == 0 or unit[q] == 0.0:
                continue
            a = scores[first : first + n]
            b = slopes[first : first + n]
            rank_documents(a, n, ranking, spare, buckets)
            if pairs[q] >= 0:
                break_ties(a, b, 1.0, ranking[:n], spare)
                used, value = cross_classes(
                    a, b, ranking, by_class[first : first + n], class_starts[q], rises, k, low, high,
                    discount, prefix, unit[q], steps[task], changes[task], used, scratch,
                )  # fmt: skip
                start += value
            else:
                moving = False
                for i in range(n):
                    gains[i] = gain[document_levels[first + i]]
                    moving |= b[i] != b[0]
                right = high if moving else 0.0
                left = -low if moving else 0.0
                used, at_right, _ = follow_top(
                    a, b, gains[:n], k, right, 1.0, discount, prefix, unit[q], stop,
                    steps[task], changes[task], used, ranking, state, counts,
                )  # fmt: skip
                if used >= 0 and left > 0.0:
                    used, at_left, value = follow_top(
                        a, b, gains[:n], k, left, -1.0, discount, prefix, unit[q], stop,
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
