"""Files into shards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.data.splits import concatenate
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.formats.registry import read_dataset, write_dataset
from rankmax.workflows.sharding import shard_files


@pytest.mark.parametrize(("format_", "suffix"), [("npz", ".npz"), ("letor", ".txt")])
def test_larger_files_are_cut_into_more_shards_and_all_is_there(tmp_path: Path, format_: str, suffix: str) -> None:
    data = planted_linear(40, 6, 3, seed=1).data
    small, large = data.select(np.arange(8)), data.select(np.arange(8, 40))
    write_dataset(small, tmp_path / "small.txt")
    write_dataset(large, tmp_path / "large.txt")
    read = []
    sources = [tmp_path / "small.txt", tmp_path / "large.txt"]
    shards = shard_files(sources, 5, tmp_path / "shards", format=format_, callback=lambda: read.append(1))
    assert [shard.n_queries for shard in shards.files] == [8] * 5
    assert {Path(shard.file).suffix for shard in shards.files} == {suffix}
    joined = concatenate([read_dataset(shard.file) for shard in shards.files])
    np.testing.assert_array_equal(joined.features, data.features)
    assert len(read) == 2


def test_every_file_is_at_least_one_shard(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="1 shard for 2 files"):
        shard_files([tmp_path / "a.txt", tmp_path / "b.txt"], 1, tmp_path / "shards")
