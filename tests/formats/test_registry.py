"""The door by file name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, UnknownNameError
from rankmax.formats.registry import format_names, read_dataset, require_format, write_dataset

DATA = RankingDataset.from_arrays(
    [[0.5, 0.0], [0.1, 3.0]], [1, 0], qid=["7", "7"], document_ids=["d1", "d2"], feature_names=["f1", "f2"]
)


@pytest.mark.parametrize(
    "name",
    [
        "a.txt",
        "a.letor",
        "a.svm",
        "a.dat",
        "a.txt.gz",
        "A.TXT",
        "fold.1.dat.gz",
        "a.npz",
        "a.parquet",
        "a.csv",
        "a.jsonl.gz",
    ],
)
def test_name_tells_the_format(tmp_path: Path, name: str) -> None:
    write_dataset(DATA, tmp_path / name)
    back = read_dataset(tmp_path / name)
    assert [back.column(j).tolist() for j in range(2)] == [DATA.column(j).tolist() for j in range(2)]
    assert back.grades.tolist() == DATA.grades.tolist()
    assert back.query_ids == DATA.query_ids
    assert back.document_ids is not None
    assert back.document_ids.to_list() == ["d1", "d2"]


@pytest.mark.parametrize("format_name", format_names())
def test_format_may_be_given(tmp_path: Path, format_name: str) -> None:
    write_dataset(DATA, tmp_path / "data", format=format_name)
    assert np.array_equal(read_dataset(tmp_path / "data", format=format_name).grades, DATA.grades)


@pytest.mark.parametrize("name", ["data", "data.xls", "data.gz", ".gz", "data.npz.gz", "npz"])
def test_other_names_are_refused_before_anything_is_read(name: str) -> None:
    with pytest.raises(DataFormatError, match="the name tells no format"):
        require_format(name)


@pytest.mark.parametrize("name", ["data", "data.xls", "data.gz", ".gz", "data.npz.gz", "npz"])
def test_other_names_are_refused_with_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataFormatError, match=r"\.dat \(letor\), \.npz \(npz\), \.parquet \(parquet\)"):
        read_dataset(tmp_path / name)
    with pytest.raises(DataFormatError, match="the name tells no format"):
        write_dataset(DATA, tmp_path / name)


def test_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown data format 'parket'; did you mean 'parquet'"):
        read_dataset("data", format="parket")
