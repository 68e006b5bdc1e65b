"""Finding the maximum of a step function whose steps lie unsorted in many places.

Sorting a million steps costs several times what finding them did. So steps are first counted into buckets of mu: for
each bucket the sum of its changes, the sum of its rises, and its first and last step. The sums give the value at
every bucket's border, and value plus rises bounds what can happen inside. Only buckets whose bound reaches the best
border value are sorted.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from rankmax.arrays import F64, I64


@njit(cache=True)
def _bucket(mu: float, scale: float, n_buckets: int) -> int:
    """Map the whole line to buckets, monotonely; half of them lie within `scale` of 0."""
    x = mu / (scale + abs(mu))
    return min(n_buckets - 1, max(0, int((x + 1.0) * (0.5 * n_buckets))))


@njit(cache=True, parallel=True)
def count_steps(
    steps: F64, changes: I64, n_steps: I64, scale: float, sums: I64, rises: I64, firsts: F64, lasts: F64
) -> None:
    """Fill, for every task and bucket, the sum of changes, the sum of rises, the first and the last step."""
    n_buckets = sums.shape[1]
    for task in prange(n_steps.size):
        for bucket in range(n_buckets):
            sums[task, bucket] = 0
            rises[task, bucket] = 0
            firsts[task, bucket] = np.inf
            lasts[task, bucket] = -np.inf
        for e in range(n_steps[task]):
            mu = steps[task, e]
            change = changes[task, e]
            bucket = _bucket(mu, scale, n_buckets)
            sums[task, bucket] += change
            rises[task, bucket] += max(0, change)
            firsts[task, bucket] = min(firsts[task, bucket], mu)
            lasts[task, bucket] = max(lasts[task, bucket], mu)


@njit(cache=True)
def gather_steps(steps: F64, changes: I64, n_steps: I64, scale: float, wanted: I64, n_buckets: int) -> tuple[F64, I64]:
    """Return the steps and changes in the wanted buckets (1 where wanted), in no particular order."""
    count = 0
    for task in range(n_steps.size):
        for e in range(n_steps[task]):
            count += wanted[_bucket(steps[task, e], scale, n_buckets)]
    found_steps = np.empty(count)
    found_changes = np.empty(count, np.int64)
    count = 0
    for task in range(n_steps.size):
        for e in range(n_steps[task]):
            if wanted[_bucket(steps[task, e], scale, n_buckets)]:
                found_steps[count] = steps[task, e]
                found_changes[count] = changes[task, e]
                count += 1
    return found_steps, found_changes
