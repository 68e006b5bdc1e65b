"""The loss kernels give the same bits however many threads work, and whatever other queries there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from rankmax._kernels.losses.query_losses import (
    _DOCUMENTS_WORTH_THREADS,
    _PAIRS_WORTH_THREADS,
    cosine,
    divergence,
    listwise,
    pairwise_logistic,
    plackett_luce,
    squared,
)

KERNELS: dict[str, Callable[..., None]] = {
    "cross entropy": partial(listwise, divergence),
    "cosine": partial(listwise, cosine),
    "squared": partial(listwise, squared),
    "Plackett-Luce": partial(listwise, plackett_luce),
    "pairs": lambda scores, gains, offsets, *out: pairwise_logistic(scores, gains, offsets, True, *out),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


@pytest.fixture(scope="module")
def queries() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, gains and offsets of enough documents that threads are used."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 40, 30_000)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    n = int(offsets[-1])
    assert n > _DOCUMENTS_WORTH_THREADS
    assert (lengths**2).sum() > _PAIRS_WORTH_THREADS
    return rng.normal(size=n), rng.integers(0, 3, n).astype(np.float64), offsets


def run(
    kernel: Callable[..., None], scores: np.ndarray, gains: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    values, gradient = np.full(offsets.size - 1, 7.0), np.full(scores.size, 7.0)
    kernel(scores, gains, offsets, values, gradient)
    return values, gradient


@every_kernel
def test_threads_change_no_bit(
    kernel: Callable[..., None], queries: tuple[np.ndarray, np.ndarray, np.ndarray], use_threads: Callable[[int], None]
) -> None:
    use_threads(3)
    together = run(kernel, *queries)
    use_threads(1)
    alone = run(kernel, *queries)
    np.testing.assert_array_equal(together[0], alone[0])
    np.testing.assert_array_equal(together[1], alone[1])


@every_kernel
def test_few_queries_without_threads_have_the_bits_of_many_with_them(
    kernel: Callable[..., None], queries: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    scores, gains, offsets = queries
    n = offsets[500]
    many, few = run(kernel, *queries), run(kernel, scores[:n], gains[:n], offsets[:501])
    np.testing.assert_array_equal(many[0][:500], few[0])
    np.testing.assert_array_equal(many[1][:n], few[1])


@every_kernel
def test_equal_gains_and_no_documents_are_nan(kernel: Callable[..., None]) -> None:
    values, gradient = run(kernel, np.array([1.0, 2.0, 3.0]), np.ones(3), np.array([0, 2, 2, 3]))
    assert np.isnan(values).all()
    assert (gradient == 0).all()
