"""How often queries are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax._numerics.bootstrap_counts import blocks_of_counts, counts_in_one_sample, counts_in_samples


def test_a_sample_has_as_many_queries_as_can_be_drawn() -> None:
    telling = (np.arange(1000) % 4 > 0).astype(float)
    counts = counts_in_one_sample(telling, np.random.default_rng(1))
    assert counts.sum() == 750
    assert (counts[telling == 0] == 0).all()
    assert np.mean(counts[telling > 0] == 0) == pytest.approx(np.exp(-1), abs=0.05)


def test_all_are_drawn_from_where_none_tells_anything() -> None:
    assert counts_in_one_sample(np.zeros(5), np.random.default_rng(1)).sum() == 5


@pytest.mark.parametrize(("n_queries", "n_samples"), [(1, 4), (7, 50), (300, 400), (70_000, 2)])
def test_every_sample_has_as_many_queries_as_there_are(n_queries: int, n_samples: int) -> None:
    at_once, in_blocks = counts_in_samples(n_queries, n_samples, 3), [*blocks_of_counts(n_queries, n_samples, 3)]
    for counts in (at_once, np.concatenate(in_blocks)):
        assert counts.shape == (n_samples, n_queries)
        assert (counts.sum(axis=1) == n_queries).all()
    assert np.array_equal(np.concatenate([*blocks_of_counts(n_queries, n_samples, 3)]), np.concatenate(in_blocks))


def test_a_query_is_missing_from_a_sample_as_often_as_it_should() -> None:
    for counts in (counts_in_samples(400, 100, 1), np.concatenate([*blocks_of_counts(400, 100, 1)])):
        assert np.mean(counts == 0) == pytest.approx((1 - 1 / 400) ** 400, abs=0.01)
