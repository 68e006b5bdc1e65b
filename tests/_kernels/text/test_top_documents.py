from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax._kernels.text.top_documents import add_lists, top_of_lists, top_of_scores

NO_BASE, NO_KINDS = np.empty(0), np.empty(0, np.int32)


def lists_of(rng: np.random.Generator, n_documents: int, densities: list[float], distinct: int):
    """Return random lists; with few distinct gains there are many ties, zeros and negative sums among them."""
    documents = [np.flatnonzero(rng.random(n_documents) < density).astype(np.int32) for density in densities]
    gains = [rng.integers(-distinct, distinct + 1, len(held)) / 2 for held in documents]
    ends = np.cumsum([0, *map(len, documents)])
    weights = rng.choice([1.0, 0.5, -1.0], len(densities))
    return np.concatenate(documents), np.concatenate(gains), ends[:-1].copy(), ends[1:].copy(), weights


def sort_all(documents, gains, starts, ends, weights, base, kinds, n_documents, k, excluded):
    sums, held = np.zeros(n_documents), np.zeros(n_documents, np.bool_)
    for start, end, weight in zip(starts, ends, weights, strict=True):
        sums[documents[start:end]] += weight * gains[start:end]
        held[documents[start:end]] = True
    if base.size:
        sums += base[kinds]
    held[excluded : excluded + 1 if excluded >= 0 else 0] = False
    found = np.flatnonzero(held)
    best = found[np.argsort(-sums[found], kind="stable")][:k]
    return best, sums[best]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_documents=st.sampled_from([1, 7, 100, 4096, 4097, 13_000]),
    densities=st.lists(st.sampled_from([0.0, 0.0005, 0.02, 0.5, 1.0]), min_size=1, max_size=4),
    distinct=st.sampled_from([0, 1, 3, 10**6]),
    k=st.sampled_from([1, 3, 10, 100, 500, 20_000]),
    has_base=st.booleans(),
)
def test_the_best_of_lists_are_those_of_a_full_sort(seed, n_documents, densities, distinct, k, has_base) -> None:
    rng = np.random.default_rng(seed)
    lists = lists_of(rng, n_documents, densities, distinct)
    base = rng.integers(-2, 3, 5) / 2 if has_base else NO_BASE
    kinds = rng.integers(0, 5, n_documents).astype(np.int32) if has_base else NO_KINDS
    excluded = int(rng.integers(-1, n_documents))
    documents, scores = sort_all(*lists, base, kinds, n_documents, k, excluded)
    found, their_scores = top_of_lists(*lists, base, kinds, n_documents, k, excluded)
    np.testing.assert_array_equal(found, documents)
    np.testing.assert_array_equal(their_scores, scores)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 1e300, -1e300, 1e-310]) | st.floats(-9, 9)), st.integers(1, 40))
def test_the_best_scores_are_those_of_a_full_sort(scores, k) -> None:
    values = np.array(scores, np.float64)
    places, best = top_of_scores(values, k)
    order = np.argsort(-values, kind="stable")[:k]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(best, values[order])


@pytest.mark.parametrize("shape", ["ascending", "descending", "constant", "saw", "skewed", "huge"])
def test_orders_that_are_hard_on_selection(shape: str) -> None:
    ramp = np.arange(50_000.0)
    values = {"ascending": ramp, "descending": -ramp, "constant": 0 * ramp, "saw": ramp % 7}
    values |= {"skewed": np.where(ramp == 30_000, 1e9, ramp % 100), "huge": np.where(ramp % 2, 1e308, -1e308)}
    places, _ = top_of_scores(values[shape], 1000)
    np.testing.assert_array_equal(places, np.argsort(-values[shape], kind="stable")[:1000])


def test_lists_are_added_in_their_order() -> None:
    documents, gains = np.array([0, 2, 0, 2], np.int32), np.array([1.0, 1e100, 3.0, -1e100])
    sums = np.array([0.5, 0.5, 0.5])
    add_lists(documents, gains, np.array([0, 2]), np.array([2, 4]), np.array([1.0, 1.0]), sums)
    assert sums.tolist() == [4.5, 0.5, 0.0]
