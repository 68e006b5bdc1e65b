"""Sorting events along a line, each a mu with a tag.

A comparison sort mispredicts a branch for nearly every event, so events are distributed over twice as many buckets as
there are events. mu is a ratio of differences, with tails like Cauchy's, so a bounded function of mu chooses the
bucket; the last pass compares mu itself. Buckets that are crowded all the same are merge-sorted, so the worst case
stays n log n.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.unsigned import unsigned

_SMALL = 24  # this many are insertion-sorted
_SAMPLE = 15


@njit(cache=True, error_model="numpy")
def find_buckets(times: F64, size: float, n_buckets: int, buckets: I32) -> None:
    """Fill the bucket of each mu, later for larger mu; about half of them lie within `size` of 0.

    Each operation is monotone under rounding, so the whole is.
    """
    middle = 0.5 * n_buckets
    scale = 0.999999 * middle  # so that infinity still falls into the last bucket
    for e in range(times.size):
        bounded = 1.0 - size / (size + abs(times[e]))
        buckets[e] = np.int32(middle + np.copysign(bounded, times[e]) * scale)


@njit(cache=True, error_model="numpy")
def typical_size(times: F64) -> float:
    """Return about the median of |mu|, 1 where that is 0."""
    sample = np.empty(_SAMPLE)
    for s in range(_SAMPLE):
        x = abs(times[s * times.size // _SAMPLE])
        t = s
        while t > 0 and sample[t - 1] > x:
            sample[t] = sample[t - 1]
            t -= 1
        sample[t] = x
    median = sample[_SAMPLE // 2]
    return median if median > 0.0 else 1.0


@njit(cache=True, error_model="numpy")
def sort_events(times: F64, tags: I64, sorted_times: F64, sorted_tags: I64, buckets: I32, ends: I32) -> None:
    """Sort events by mu; `times` and `tags` are used up.

    Parameters
    ----------
    times, tags : float64 and int64
    sorted_times, sorted_tags : float64 and int64
        At least as long.
    buckets, ends : int32 scratch
        As long, and twice as long plus two.
    """
    n = times.size
    if n <= _SMALL:
        for e in range(n):
            sorted_times[e] = times[e]
            sorted_tags[e] = tags[e]
        _insertion_sort(sorted_times[:n], sorted_tags[:n])
        return
    n_buckets = 2 * n
    find_buckets(times, typical_size(times), n_buckets, buckets)
    ends[: n_buckets + 2] = 0
    for e in range(n):
        ends[unsigned(buckets[e] + 2)] += 1
    crowd = 0
    for k in range(2, n_buckets + 2):
        crowd = max(crowd, ends[k])
        ends[k] += ends[k - 1]
    for e in range(n):
        bucket = unsigned(buckets[e] + 1)
        t = ends[bucket]
        ends[bucket] = t + 1
        sorted_times[unsigned(t)] = times[e]
        sorted_tags[unsigned(t)] = tags[e]
    if crowd > 2 * _SMALL:
        start = 0
        for k in range(n_buckets):
            if ends[k + 1] - start > 2 * _SMALL:
                _merge_sort(sorted_times[start : ends[k + 1]], sorted_tags[start : ends[k + 1]], times, tags)
            start = ends[k + 1]
    _insertion_sort(sorted_times[:n], sorted_tags[:n])


@njit(cache=True, error_model="numpy")
def _insertion_sort(times: F64, tags: I64) -> None:
    for e in range(1, times.size):
        mu = times[e]
        if times[e - 1] > mu:
            tag = tags[e]
            t = e
            while t > 0 and times[t - 1] > mu:
                times[t] = times[t - 1]
                tags[t] = tags[t - 1]
                t -= 1
            times[t] = mu
            tags[t] = tag


@njit(cache=True, error_model="numpy")
def _merge_sort(times: F64, tags: I64, spare_times: F64, spare_tags: I64) -> None:
    """Bottom-up; runs that already stand in order are not merged, so that equal ones cost one pass."""
    n = times.size
    for first in range(0, n, _SMALL):
        _insertion_sort(times[first : first + _SMALL], tags[first : first + _SMALL])
    width = _SMALL
    while width < n:
        for first in range(0, n - width, 2 * width):
            middle = first + width
            last = min(middle + width, n)
            if times[middle - 1] <= times[middle]:
                continue
            for e in range(first, middle):
                spare_times[e] = times[e]
                spare_tags[e] = tags[e]
            left = first
            right = middle
            t = first
            while left < middle:
                if right < last and times[right] < spare_times[left]:
                    times[t] = times[right]
                    tags[t] = tags[right]
                    right += 1
                else:
                    times[t] = spare_times[left]
                    tags[t] = spare_tags[left]
                    left += 1
                t += 1
        width *= 2
