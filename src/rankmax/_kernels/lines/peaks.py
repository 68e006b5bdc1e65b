"""Finding the maximum of a step function whose steps lie unsorted in many places.

Sorting a million steps costs several times what finding them did. So steps are first counted into buckets of mu: for
each bucket the sum of its changes and the sum of its rises. The sums give the value at every bucket's border, and value
plus rises bounds what can happen inside. Only buckets whose bound reaches the best border value are sorted.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.lines.event_sorting import find_buckets, sort_events, typical_size
from rankmax._kernels.unsigned import unsigned

_BY_TASK = 8  # steps of each task in the sample


@njit(cache=True)
def typical_step(steps: F64, n_steps: I64) -> float:
    """Return about the median of |mu|, 1 where that is 0."""
    sample = np.empty(n_steps.size * _BY_TASK)
    size = 0
    for task in range(n_steps.size):
        taken = min(_BY_TASK, n_steps[task])
        for s in range(taken):
            sample[size] = abs(steps[task, s * n_steps[task] // taken])
            size += 1
    return typical_size(sample[:size]) if size else 1.0


@njit(cache=True, nogil=True)
def count_steps(
    first: int, stop: int, steps: F64, changes: I64, n_steps: I64, size: float, buckets: I32, sums: I64
) -> None:
    """Fill the bucket of every step of some groups of tasks and, for every bucket, the sums of changes and of rises.

    Parameters
    ----------
    first, stop : int
        The groups; group g has the tasks g, g + n_groups, ...
    steps, changes : float64 and int64, (n_tasks, capacity)
    n_steps : int64, (n_tasks,)
    size : float
        Of a typical step.
    buckets : int32, (n_tasks, capacity)
    sums : int64, (n_groups, n_buckets, 2)
    """
    n_groups, n_buckets, _ = sums.shape
    for group in range(first, stop):
        mine = sums[group]
        mine[:] = 0
        for task in range(group, n_steps.size, n_groups):
            find_buckets(steps[task, : n_steps[task]], size, n_buckets, buckets[task])
            for e in range(n_steps[task]):
                change = changes[task, e]
                bucket = unsigned(buckets[task, e])
                mine[bucket, 0] += change
                mine[bucket, 1] += max(0, change)


@njit(cache=True)
def candidates(steps: F64, changes: I64, n_steps: I64, buckets: I32, sums: I64, start: int) -> tuple[F64, I64, int]:
    """Return steps around all places where the value may be largest, ascending, and the value left of each of them.

    The value right of the last of them is appended. The third result is a value that is reached somewhere, and exceeds
    all values where steps are left out.
    """
    n_buckets = sums.shape[1]
    border = np.empty(n_buckets + 1, np.int64)  # the value at which each bucket begins
    reach = np.empty(n_buckets, np.int64)
    border[0] = start
    best = start
    for k in range(n_buckets):
        change = 0
        rise = 0
        for group in range(sums.shape[0]):
            change += sums[group, k, 0]
            rise += sums[group, k, 1]
        reach[k] = border[k] + rise
        border[k + 1] = border[k] + change
        best = max(best, border[k + 1])
    wanted = reach >= best
    n = 0
    for task in range(n_steps.size):
        for e in range(n_steps[task]):
            n += wanted[unsigned(buckets[task, e])]
    times = np.empty(n)
    places = np.empty(n, np.int64)
    n = 0
    for task in range(n_steps.size):
        for e in range(n_steps[task]):
            if wanted[unsigned(buckets[task, e])]:
                times[n] = steps[task, e]
                places[n] = task * steps.shape[1] + e
                n += 1
    found = np.empty(n)
    values = np.empty(n + 1, np.int64)
    sort_events(times, places, found, values, np.empty(n, np.int32), np.empty(2 * n + 2, np.int32))
    last = -1
    value = start
    for e in range(n):
        task, place = divmod(values[e], steps.shape[1])
        if buckets[task, place] != last:
            last = buckets[task, place]
            value = border[last]
        values[e] = value
        value += changes[task, place]
    values[n] = value
    return found, values, best
