"""The ranking kernel against numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankmax._kernels.metrics.ranking import rank_documents


def rank(scores: np.ndarray, depth: int) -> tuple[list[int], bool]:
    n = scores.size
    order, spare, buckets = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n + 2, np.int64)
    tied = rank_documents(scores, depth, order, spare, buckets)
    return order[:depth].tolist(), bool(tied)


def expected(scores: np.ndarray, depth: int) -> list[int]:
    return np.argsort(-scores, kind="stable")[:depth].tolist()


def tie_order_matters(scores: np.ndarray, depth: int) -> bool:
    ordered = -np.sort(-scores)
    return any(ordered[r] == ordered[r - 1] for r in range(1, min(depth + 1, scores.size)))


few_values = st.sampled_from([-np.inf, -1e308, -2.0, -1.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 3.0, 1e308, np.inf])
any_value = st.floats(allow_nan=False)


@given(
    scores=st.integers(1, 200).flatmap(lambda n: arrays(np.float64, n, elements=st.one_of(few_values, any_value))),
    data=st.data(),
)
def test_equals_a_stable_sort_at_any_depth(scores: np.ndarray, data: st.DataObject) -> None:
    depth = data.draw(st.integers(1, scores.size))
    order, tied = rank(scores, depth)
    assert order == expected(scores, depth)
    assert tied or not tie_order_matters(scores, depth)


@pytest.mark.parametrize("n", [17, 64, 1000, 5000])
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(size=n),
        lambda rng, n: rng.exponential(size=n) ** 8,
        lambda rng, n: np.round(rng.normal(size=n)),
        lambda rng, n: np.zeros(n),
        lambda rng, n: np.arange(n, dtype=float),
        lambda rng, n: -np.arange(n, dtype=float),
        lambda rng, n: np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n)),
        lambda rng, n: np.append(rng.normal(size=n - 1), 1e300),
    ],
    ids=["normal", "skewed", "tied", "constant", "ascending", "descending", "zero-inflated", "outlier"],
)
def test_every_shape_of_scores(draw: object, n: int) -> None:
    scores = draw(np.random.default_rng(n), n)  # type: ignore[operator]
    for depth in {1, 2, n // 10 + 1, n // 2, n - 1, n}:
        order, tied = rank(scores, depth)
        assert order == expected(scores, depth)
        assert tied or not tie_order_matters(scores, depth)


def test_distinct_scores_are_not_called_tied() -> None:
    scores = np.random.default_rng(0).permutation(500).astype(float)
    assert not any(rank(scores, depth)[1] for depth in (1, 10, 400, 500))
