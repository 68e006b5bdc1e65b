"""Shards in memory, and what other processes get of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.formats import write_dataset
from rankmax.data.normalise import MinMax, Unchanged
from rankmax.data.shards import Shards
from rankmax.engines.partition import HeldPart, Partition, Source, describe
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.metrics import AP


def test_another_process_gets_the_source_and_reads_it(data: RankingDataset, cut: Callable[[int], Shards]) -> None:
    partition = Partition(Source(cut(3).files[1].file, MinMax()))
    part = HeldPart(partition, AP(), np.array([np.nan, 0, 1, 2, 3, 4]), np.ones(partition.data.n_queries))
    message = pickle.dumps(part)
    assert len(message) < 3000 < part.__sizeof__()
    again = pickle.loads(message)
    np.testing.assert_array_equal(again.data.features, part.data.features)
    assert again.data.features.max() == 1.0
    assert again.data.judgments.n_levels == 6
    assert describe(partition).n_queries == partition.data.n_queries


def test_features_may_stay_on_disk(cut: Callable[[int], Shards]) -> None:
    file = cut(3).files[0].file
    mapped, read = (Partition(Source(f"file://{file}", Unchanged(), mapped)) for mapped in (True, False))
    assert isinstance(mapped.data.features.base, np.memmap)
    np.testing.assert_array_equal(mapped.data.features, read.data.features)


def test_what_cannot_be_used_is_refused_by_the_name_it_was_given(tmp_path: Path) -> None:
    sparse = RankingDataset.from_arrays(csc_array([[1.0, 0.0], [0.0, 2.0]]), [1, 0], qid=[7, 7])
    write_dataset(sparse, tmp_path / "sparse.npz")
    with pytest.raises(IncompatibleError, match="sparse features; engines take dense ones"):
        Partition(Source(str(tmp_path / "sparse.npz"), Unchanged()))
    with pytest.raises(DataFormatError, match=r"^file://.*none\.npz: no such file"):
        Partition(Source(f"file://{tmp_path}/none.npz", Unchanged()))
