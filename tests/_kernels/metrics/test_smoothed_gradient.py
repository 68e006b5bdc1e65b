"""The push of scores against its definition, pair by pair."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax._kernels.metrics.smoothed_gradient import push_scores

DISCOUNT = 1 / np.log2(np.arange(100) + 2.0)


def pushed_pair_by_pair(scores, gains, depth, scale, width):
    ranks = np.empty(scores.size, int)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(scores.size)
    discounts = np.where(ranks < depth, 1 / np.log2(ranks + 2.0), 0.0)
    gradient = np.zeros(scores.size)
    for i in range(scores.size):
        for j in range(scores.size):
            slope = max(0.0, 1 - ((scores[i] - scores[j]) / width) ** 2) ** 2
            worth = (gains[i] - gains[j]) * abs(discounts[i] - discounts[j])
            gradient[i] += scale * worth * slope
    return gradient


@st.composite
def queries(draw):
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    n = sum(sizes)
    scores = draw(st.lists(st.integers(-4, 4).map(lambda x: x / 2), min_size=n, max_size=n))
    gains = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    depth = draw(st.lists(st.integers(1, 12), min_size=len(sizes), max_size=len(sizes)))
    scale = draw(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=len(sizes), max_size=len(sizes)))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return np.array(scores), np.array(gains, float), offsets, np.array(depth), np.array(scale)


@given(queries(), st.sampled_from([0.25, 1.0, 3.0]))
@settings(max_examples=60, deadline=None)
def test_pushes_each_pair_by_what_its_order_is_worth(problem, width):
    scores, gains, offsets, depth, scale = problem
    gradient = np.empty(scores.size)
    push_scores(scores, gains, offsets, DISCOUNT, depth, scale, width, gradient)
    for q, (first, last) in enumerate(pairwise(offsets)):
        part = slice(first, last)
        wanted = pushed_pair_by_pair(scores[part], gains[part], depth[q], scale[q], width)
        np.testing.assert_allclose(gradient[part], wanted, atol=1e-12)
        assert abs(gradient[part].sum()) < 1e-12


def test_threads_change_no_bit(use_threads):
    rng = np.random.default_rng(0)
    n_queries = 2000
    offsets = np.arange(n_queries + 1) * 20
    scores, gains = rng.normal(size=40_000), rng.integers(0, 3, 40_000).astype(float)
    depth, scale = np.full(n_queries, 10), np.ones(n_queries)
    found = []
    for n_threads in (1, 3):
        use_threads(n_threads)
        found.append(np.empty(40_000))
        push_scores(scores, gains, offsets, DISCOUNT, depth, scale, 0.3, found[-1])
    alone = np.empty(400)
    push_scores(scores[:400], gains[:400], offsets[:21], DISCOUNT, depth[:20], scale[:20], 0.3, alone)
    assert np.array_equal(found[0], found[-1])
    assert np.array_equal(found[0][:400], alone)
