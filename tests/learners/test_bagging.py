"""Bootstrap samples and the average of weights."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.bagging import average_weights, bootstrap_counts


def test_a_sample_has_as_many_queries_as_can_be_drawn() -> None:
    telling = (np.arange(1000) % 4 > 0).astype(float)
    counts = bootstrap_counts(telling, np.random.default_rng(1))
    assert counts.sum() == 750
    assert (counts[telling == 0] == 0).all()
    assert np.mean(counts[telling > 0] == 0) == pytest.approx(np.exp(-1), abs=0.05)


def test_all_are_drawn_from_where_none_tells_anything() -> None:
    assert bootstrap_counts(np.zeros(5), np.random.default_rng(1)).sum() == 5


def test_length_and_units_of_weights_do_not_matter() -> None:
    data = planted_linear(10, 6, 3, seed=1).data
    u, v = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, 3.0])
    mean = average_weights([u, v], data)
    np.testing.assert_allclose(average_weights([8 * u, v / 4], data), mean, rtol=1e-12)
    units = np.array([1.0, 100.0, 0.01])
    rescaled = RankingDataset.from_arrays(data.features * units, data.grades, qid=data.judgments.query_of_document)
    np.testing.assert_allclose(average_weights([u / units, v / units], rescaled), mean / units, rtol=1e-9)


def test_scores_have_equal_say() -> None:
    data = planted_linear(10, 6, 2, seed=1).data
    mean = average_weights([np.array([5.0, 0.0]), np.array([0.0, 0.1])], data)
    spreads = []
    for feature in range(2):
        by_query = np.split(data.column(feature), data.query_offsets[1:-1])
        spreads.append(np.sqrt(np.mean(np.concatenate([x - x.mean() for x in by_query]) ** 2)))
    np.testing.assert_allclose(mean * spreads, 0.5)


def test_weights_that_rank_nothing_have_no_say() -> None:
    data = RankingDataset.from_arrays([[1.0, 4.0], [0.0, 4.0]], [1, 0], qid=[7, 7])
    constant = np.array([0.0, 1.0])
    assert average_weights([constant, np.array([3.0, 0.0])], data).tolist() == [2.0, 0.0]
    assert average_weights([constant, constant], data).tolist() == [0.0, 1.0]
