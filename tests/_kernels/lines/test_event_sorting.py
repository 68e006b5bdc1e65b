"""Sorting events against numpy's sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmax._kernels.lines.event_sorting import find_buckets, sort_events

NUMBERS = st.one_of(
    st.floats(allow_nan=False),
    st.integers(-3, 3).map(float),
    st.floats(1.0, 1.0 + 1e-12),
    st.sampled_from([0.0, -0.0, 5e-324, 1e308, -1e308, np.inf, -np.inf]),
)


def ordered(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = times.size
    sorted_times, sorted_tags = np.empty(n), np.empty(n, np.int64)
    sort_events(
        times.copy(), np.arange(n), sorted_times, sorted_tags, np.empty(n, np.int32), np.empty(2 * n + 2, np.int32)
    )
    return sorted_times, sorted_tags


@given(st.lists(NUMBERS, max_size=200).map(np.array))
def test_sorts(times: np.ndarray) -> None:
    times = times.astype(np.float64)
    sorted_times, tags = ordered(times)
    np.testing.assert_array_equal(sorted_times, np.sort(times))
    np.testing.assert_array_equal(times[tags], sorted_times)
    np.testing.assert_array_equal(np.sort(tags), np.arange(times.size))


def test_sorts_crowds_and_tails() -> None:
    rng = np.random.default_rng(0)
    crowds = np.concatenate([rng.normal(size=500) * 1e-12, 1e9 + rng.normal(size=500), rng.standard_cauchy(2000)])
    for times in (crowds, np.exp(40 * rng.normal(size=3000)), np.zeros(100), np.arange(1000.0)[::-1].copy()):
        np.testing.assert_array_equal(ordered(times)[0], np.sort(times))


@given(
    st.lists(NUMBERS, min_size=2, max_size=50).map(lambda x: np.sort(np.array(x, np.float64))),
    st.floats(1e-300, 1e300),
    st.integers(2, 5000),
)
def test_buckets_never_fall(times: np.ndarray, size: float, n_buckets: int) -> None:
    buckets = np.empty(times.size, np.int32)
    find_buckets(times, size, n_buckets, buckets)
    assert (np.diff(buckets) >= 0).all()
    assert buckets[0] >= 0
    assert buckets[-1] < n_buckets
