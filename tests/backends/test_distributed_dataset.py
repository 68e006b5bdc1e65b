"""Facts about distributed data that the driver knows."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.local import LocalBackend
from rankmax.backends.training_data import LocalData
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.errors import InvalidDataError
from rankmax.formats.registry import write_dataset
from rankmax.formats.shards import Shards
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import ZScore


@pytest.mark.parametrize("n_shards", [1, 5])
def test_facts_are_those_of_the_joined_data(n_shards: int, data: RankingDataset, cut: Callable[[int], Shards]) -> None:
    normalized = ZScore().apply(data)
    shared = DistributedDataset(LocalBackend(), cut(n_shards), ZScore())
    assert (shared.n_queries, shared.n_documents, shared.n_features) == (data.n_queries, data.n_documents, 4)
    np.testing.assert_array_equal(shared.levels, data.judgments.levels)
    np.testing.assert_array_equal(shared.feature_spread, spread_within_queries(normalized))
    chosen = np.array([0, 3, 4, 17, data.n_queries - 1])
    sample, expected = shared.select(chosen), normalized.select(chosen)
    assert sample.query_ids == expected.query_ids
    np.testing.assert_array_equal(sample.features, expected.features)
    assert sum(map(len, shared.by_part(np.arange(data.n_queries)))) == data.n_queries


def test_data_in_this_process_and_shards_say_the_same(data: RankingDataset, cut: Callable[[int], Shards]) -> None:
    here, there = LocalData(data, ZScore()), DistributedDataset(LocalBackend(), cut(5), ZScore())
    model = LinearModel(np.array([1.0, -0.5, 0.25, 2.0]), data.feature_names, ZScore())
    assert (here.feature_names, tuple(here.query_ids)) == (there.feature_names, there.query_ids)
    assert here.score_deviation(model.weights) == there.score_deviation(model.weights)
    np.testing.assert_array_equal(here.feature_spread, there.feature_spread)
    np.testing.assert_array_equal(here.levels, there.levels)
    np.testing.assert_array_equal(here.values(model, [AP()]), there.values(model, [AP()]))
    some = np.array([1, 5, 6])
    np.testing.assert_array_equal(here.values(model, [AP()], queries=some), there.values(model, [AP()], queries=some))
    weights = np.arange(data.n_queries, dtype=np.float64)
    values = [one.objective(AP(), weights).at(model.weights).value for one in (here, there)]
    assert values[0] == values[1]
    again = pickle.loads(pickle.dumps(here))
    np.testing.assert_array_equal(again.data.features, here.data.features)


def test_shards_must_fit_together(tmp_path: Path) -> None:
    def shard(name: str, query: str, feature: str) -> str:
        data = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=[query] * 2, feature_names=[feature])
        write_dataset(data, tmp_path / name)
        return str(tmp_path / name)

    first = shard("a.npz", "q1", "bm25")
    with pytest.raises(InvalidDataError, match=r"b.npz has other features than .*a.npz"):
        DistributedDataset(LocalBackend(), Shards.at([first, shard("b.npz", "q2", "clicks")]))
    with pytest.raises(InvalidDataError, match="a query is in more than one shard"):
        DistributedDataset(LocalBackend(), Shards.at([first, shard("c.npz", "q1", "bm25")]))
