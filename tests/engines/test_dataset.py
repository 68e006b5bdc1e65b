"""What the driver knows of data that lies with an engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.formats import write_dataset
from rankmax.data.normalise import ZScore
from rankmax.data.shards import Shards
from rankmax.data.spread import spread_within_queries
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.local import LocalEngine
from rankmax.errors import InvalidDataError


@pytest.mark.parametrize("n_shards", [1, 5])
def test_facts_are_those_of_the_joined_data(n_shards: int, data: RankingDataset, cut: Callable[[int], Shards]) -> None:
    normalised = ZScore().apply(data)
    shared = EngineDataset(LocalEngine(), cut(n_shards), ZScore())
    assert (shared.n_queries, shared.n_documents, shared.n_features) == (data.n_queries, data.n_documents, 4)
    np.testing.assert_array_equal(shared.levels, data.judgments.levels)
    np.testing.assert_array_equal(shared.feature_spread, spread_within_queries(normalised))
    chosen = np.array([0, 3, 4, 17, data.n_queries - 1])
    sample, expected = shared.sample(chosen), normalised.select(chosen)
    assert sample.query_ids == expected.query_ids
    np.testing.assert_array_equal(sample.features, expected.features)
    assert sum(map(len, shared.by_part(np.arange(data.n_queries)))) == data.n_queries


def test_shards_must_fit_together(tmp_path: Path) -> None:
    def shard(name: str, query: str, feature: str) -> str:
        data = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=[query] * 2, feature_names=[feature])
        write_dataset(data, tmp_path / name)
        return str(tmp_path / name)

    first = shard("a.npz", "q1", "bm25")
    with pytest.raises(InvalidDataError, match=r"b.npz has other features than .*a.npz"):
        EngineDataset(LocalEngine(), Shards.at([first, shard("b.npz", "q2", "clicks")]))
    with pytest.raises(InvalidDataError, match="a query is in more than one shard"):
        EngineDataset(LocalEngine(), Shards.at([first, shard("c.npz", "q1", "bm25")]))
