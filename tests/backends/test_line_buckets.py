"""Buckets against the step function that all steps make."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmax.backends.line_buckets import Buckets, find, sums_in

steps = st.lists(
    st.tuples(st.floats(-1e6, 1e6).map(lambda mu: round(mu, 2)), st.integers(-50, 50)), min_size=1, max_size=60
)


def first_buckets(mu: np.ndarray, size: float, n: int) -> np.ndarray:
    return (0.5 * n + np.sign(mu) * (1 - size / (size + np.abs(mu))) * 0.999999 * 0.5 * n).astype(np.int64)


@given(steps, st.sampled_from([0.01, 1.0, 1e4]), st.integers(0, 3))
def test_the_maximum_is_among_the_steps_of_interest(given_steps, size: float, n_divisions: int) -> None:
    mu, changes = (np.array(column) for column in zip(*given_steps, strict=True))
    mu = mu.astype(np.float64)
    first = first_buckets(mu, size, 8)
    buckets, divisions = Buckets.first(100, sums_in(first, changes, 8), size), []
    for _ in range(n_divisions):
        divisions.append(buckets.divided())
        kept, places = find(mu, first, divisions)
        buckets = buckets.within(divisions[-1], sums_in(places, changes[kept], divisions[-1].n_buckets))
    kept, places = find(mu, first, divisions)
    chosen = np.isin(places, buckets.of_interest)
    found, values = buckets.values(mu[kept][chosen], changes[kept][chosen], places[chosen])
    order = np.argsort(mu, kind="stable")
    all_values = np.concatenate([[100], 100 + np.cumsum(changes[order])])
    distinct = np.append(np.diff(mu[order]) > 0, True)
    highest = max(100, all_values[1:][distinct].max())
    assert buckets.reached <= highest <= values.max()
    assert buckets.reach.max() >= highest
    for at in np.flatnonzero(all_values[1:][distinct] == highest):  # the step before each place that is highest
        assert mu[order][distinct][at] in found


def test_a_line_without_steps_is_flat() -> None:
    buckets = Buckets.first(7, np.zeros((8, 2), np.int64), 1.0)
    found, values = buckets.values(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
    assert (found.size, values.tolist()) == (0, [7])
