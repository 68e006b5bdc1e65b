"""The average of weights."""

from __future__ import annotations

import numpy as np

from rankmax.backends.training_data import LocalData
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.learners.direct.weight_averaging import average_weights
from rankmax.preprocessing.feature_normalization import Unchanged


def local(data: RankingDataset) -> LocalData:
    return LocalData(data, Unchanged())


def test_length_and_units_of_weights_do_not_matter() -> None:
    data = planted_linear(10, 6, 3, seed=1).data
    u, v = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, 3.0])
    mean = average_weights([u, v], local(data))
    np.testing.assert_allclose(average_weights([8 * u, v / 4], local(data)), mean, rtol=1e-12)
    units = np.array([1.0, 100.0, 0.01])
    rescaled = RankingDataset.from_arrays(data.features * units, data.grades, qid=data.judgments.query_of_document)
    np.testing.assert_allclose(average_weights([u / units, v / units], local(rescaled)), mean / units, rtol=1e-9)


def test_scores_have_equal_say() -> None:
    data = planted_linear(10, 6, 2, seed=1).data
    mean = average_weights([np.array([5.0, 0.0]), np.array([0.0, 0.1])], local(data))
    spreads = []
    for feature in range(2):
        by_query = np.split(data.column(feature), data.query_offsets[1:-1])
        spreads.append(np.sqrt(np.mean(np.concatenate([x - x.mean() for x in by_query]) ** 2)))
    np.testing.assert_allclose(mean * spreads, 0.5)


def test_weights_that_rank_nothing_have_no_say() -> None:
    data = RankingDataset.from_arrays([[1.0, 4.0], [0.0, 4.0]], [1, 0], qid=[7, 7])
    constant = np.array([0.0, 1.0])
    assert average_weights([constant, np.array([3.0, 0.0])], local(data)).tolist() == [2.0, 0.0]
    assert average_weights([constant, constant], local(data)).tolist() == [0.0, 1.0]
