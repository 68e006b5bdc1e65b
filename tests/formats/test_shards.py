"""Shards: written whole or not at all, balanced, and found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import concatenate
from rankmax.data.synthetic import planted_linear
from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError
from rankmax.formats.registry import read_dataset
from rankmax.formats.shards import MANIFEST, Shards, is_sharded, write_shards


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    return planted_linear(50, 8, 3, seed=2).data


@pytest.mark.parametrize("suffix", [".npz", ".txt", ".parquet"])
def test_joined_shards_are_the_data_and_about_equal(data: RankingDataset, tmp_path: Path, suffix: str) -> None:
    shards = write_shards([(data, 7)], tmp_path / "shards", suffix=suffix)
    assert is_sharded(tmp_path / "shards")
    assert Shards.at(tmp_path / "shards") == Shards.at(f"file://{tmp_path}/shards/".removeprefix("file://")) == shards
    joined = concatenate([read_dataset(shard.file) for shard in shards.files])
    np.testing.assert_array_equal(joined.features, data.features)
    np.testing.assert_array_equal(joined.grades, data.grades)
    assert joined.query_ids == data.query_ids
    sizes = [shard.n_documents for shard in shards.files]
    assert sum(sizes) == data.n_documents
    assert max(sizes) - min(sizes) <= 16
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shards"]


def test_several_data_sets_keep_their_order(data: RankingDataset, tmp_path: Path) -> None:
    halves = data.select(np.arange(20)), data.select(np.arange(20, 50))
    shards = write_shards([(halves[0], 1), (halves[1], 2)], tmp_path / "shards")
    joined = concatenate([read_dataset(shard.file) for shard in shards.files])
    assert (len(shards.files), joined.query_ids) == (3, data.query_ids)


def test_equal_content_has_equal_hashes(data: RankingDataset, tmp_path: Path) -> None:
    first, second = (write_shards([(data, n)], tmp_path / f"{n}{m}") for n, m in ((2, "a"), (2, "b")))
    other = write_shards([(data, 3)], tmp_path / "c")
    assert first.content_hash == second.content_hash != other.content_hash


def test_what_goes_wrong_leaves_nothing_behind(data: RankingDataset, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="51 shards for 50 queries"):
        write_shards([(data, 51)], tmp_path / "shards")
    with pytest.raises(InvalidDataError, match=r"query '.*' is in two of the data sets"):
        write_shards([(data, 1), (data, 1)], tmp_path / "shards")
    with pytest.raises(InvalidDataError, match="different features"):
        write_shards([(data, 1), (data.select_features(["f1"]), 1)], tmp_path / "shards")
    with pytest.raises(InvalidDataError, match="no data to cut"):
        write_shards([], tmp_path / "shards")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").touch()
    with pytest.raises(DataFormatError, match="exists already"):
        write_shards([(data, 1)], tmp_path / "full")
    with pytest.raises(DataFormatError, match="no folder"):
        write_shards([(data, 1)], tmp_path / "none" / "shards")


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "not a manifest of shards"), ('{"schema": "x", "feature_names": [], "shards": []}', "schema is 'x'")],
)
def test_a_wrong_manifest_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(DataFormatError, match=f"{MANIFEST}: {message}"):
        Shards.at(tmp_path)
    with pytest.raises(InvalidParameterError, match="no shards are named"):
        Shards.at([])


@pytest.mark.parametrize(
    "content",
    [
        b'{"schema": "rankmax/shards/1", "feature_names": [], "shards": [{"file": "a.npz", "n_queries": -1}]}',
        b"\xff",
        b'{"schema": "rankmax/shards/1", "feature_names": ["\xff"], "shards": []}',
        b'{"x": ' + b"[" * 100_000,
    ],
)
def test_a_manifest_that_is_no_text_or_has_no_end_of_brackets(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(DataFormatError, match=r"manifest\.json: not a manifest of shards"):
        Shards.at(tmp_path)


@pytest.mark.parametrize("file", ["../secret.npz", "/etc/passwd", "", "..", "a/b.npz", "a\\\\b.npz", "a\\u0000b"])
def test_a_manifest_names_files_of_its_own_folder(tmp_path: Path, file: str) -> None:
    head = '{"schema": "rankmax/shards/1", "feature_names": ["f1"], '
    shards = '"shards": [{"file": "' + file + '"}]'
    (tmp_path / MANIFEST).write_text(head + shards + "}")
    with pytest.raises(DataFormatError, match=r"manifest\.json: .* is not the name of a file in the folder"):
        Shards.at(tmp_path)
