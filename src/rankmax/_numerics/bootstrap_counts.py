"""How often each query is in a bootstrap sample.

There are three ways to draw, each with random numbers of its own, on which stored results rest: one sample from some of
the queries, several samples at once, and many samples in blocks that stay in cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from rankmax._arrays import F64, I64, U8, readonly

_BLOCK = 1 << 15  # queries drawn at a time: they stay in cache, and their product is too small to wake threads


def counts_in_one_sample(telling: F64, rng: np.random.Generator) -> F64:
    """Draw as many queries as there are, with replacement; return how often each came.

    Parameters
    ----------
    telling : array of float64, shape (n_queries,)
        1 for queries to draw from, 0 for others. All are drawn from where there is none.
    rng : Generator

    Examples
    --------
    >>> counts_in_one_sample(np.array([1.0, 0.0, 1.0, 1.0]), np.random.default_rng(1))
    array([0., 0., 2., 1.])
    """
    drawn_from = np.flatnonzero(telling) if telling.any() else np.arange(telling.size)
    drawn = rng.choice(drawn_from, drawn_from.size)
    return np.bincount(drawn, minlength=telling.size).astype(np.float64)


@lru_cache(maxsize=8)
def counts_in_samples(n_queries: int, n_samples: int, seed: int) -> F64:
    """Return how often each query is in each sample, one a row; kept, as folds of one size ask for the same again.

    Parameters
    ----------
    n_queries, n_samples, seed : int

    Examples
    --------
    >>> counts_in_samples(4, 3, 0).sum(axis=1)
    array([4., 4., 4.])
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=n_samples)
    return readonly(counts.astype(np.float64))


def blocks_of_counts(n_queries: int, n_samples: int, seed: int) -> Iterator[U8 | I64]:
    """Yield how often each query is in each sample, one a row, in blocks of rows.

    Parameters
    ----------
    n_queries, n_samples, seed : int

    Examples
    --------
    >>> [counts.sum(axis=1).tolist() for counts in blocks_of_counts(4, 3, 0)]
    [[4, 4, 4]]
    """
    rng = np.random.default_rng(seed)
    step = max(1, _BLOCK // n_queries)
    index_type = np.min_scalar_type(n_queries - 1)  # narrow numbers take fewer random bits
    for first in range(0, n_samples, step):
        n_rows = min(step, n_samples - first)
        drawn = rng.integers(0, n_queries, (n_rows, n_queries), dtype=index_type)
        cells = drawn + n_queries * np.arange(n_rows)[:, np.newaxis]  # each sample counts in cells of its own
        counts = np.bincount(cells.ravel(), minlength=cells.size).reshape(cells.shape)
        yield counts.astype(np.uint8) if counts.max() < 256 else counts
