"""Shards in memory, and what other processes get of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.backends.partition import HeldPart, Partition, Source, describe
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.formats.registry import write_dataset
from rankmax.formats.shards import Shards, write_shards
from rankmax.metrics import AP
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged


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
    with pytest.raises(IncompatibleError, match="sparse features; backends need dense or binned ones"):
        Partition(Source(str(tmp_path / "sparse.npz"), Unchanged()))
    with pytest.raises(DataFormatError, match=r"^file://.*none\.npz: no such file"):
        Partition(Source(f"file://{tmp_path}/none.npz", Unchanged()))


@pytest.mark.parametrize("mapped", [True, False])
def test_a_shard_is_the_one_in_its_manifest_or_refused(data: RankingDataset, tmp_path: Path, mapped: bool) -> None:
    """Also one that is intact in itself: another shard, or the features of a mapped one, which no checksum is of."""
    first, second = write_shards([(data, 2)], tmp_path / "shards").files
    Partition(Source(first.file, Unchanged(), mapped, first.hash))
    with pytest.raises(DataFormatError, match=r"shard-00001\.npz: damaged or changed: its hash is blake2b:\w+, its"):
        Partition(Source(second.file, Unchanged(), mapped, first.hash))
    content = bytearray(Path(first.file).read_bytes())
    content[content.index(data.features[:5, 0].tobytes()) + 3] ^= 1
    Path(first.file).write_bytes(content)
    with pytest.raises(DataFormatError, match=r"shard-00000\.npz: damaged or changed"):
        Partition(Source(first.file, Unchanged(), mapped, first.hash))
    with pytest.raises(DataFormatError, match=r"none\.npz: cannot read: No such file"):
        Partition(Source(str(tmp_path / "none.npz"), Unchanged(), mapped, first.hash))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_on_disk_are_finite_or_the_file_is_named(data: RankingDataset, tmp_path: Path, value: float) -> None:
    [shard] = write_shards([(data, 1)], tmp_path / "shards").files
    content = bytearray(Path(shard.file).read_bytes())
    place = content.index(data.features[5:9, 2].tobytes())
    content[place : place + 8] = np.float64(value).tobytes()
    Path(shard.file).write_bytes(content)
    with pytest.raises(DataFormatError, match=rf"shard-00000\.npz: features\[5, 2\] is {value}; features must"):
        Partition(Source(shard.file, Unchanged(), mapped=True))
