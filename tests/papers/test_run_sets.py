from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.data.judging import join_runs
from rankmax.errors import DataFormatError
from rankmax.papers.run_sets import RunSet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("q1 0 d2 1\n")
    (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 9 bm25\nq1 Q0 d2 2 7 bm25\n")
    (tmp_path / "dense.run").write_text("q1 Q0 d2 1 0.5 dense\n")
    return tmp_path


def test_runs_are_features(folder: Path) -> None:
    runs = RunSet.of_folder(folder)
    assert runs is not None
    by_name, qrels = runs.content
    data = join_runs(by_name, qrels, missing="absent")
    assert data.feature_names == ("bm25", "dense")
    np.testing.assert_array_equal(data.features, [[7, 0.5], [9, np.nan]])  # by document id, descending


def test_the_fingerprint_is_of_the_content(folder: Path) -> None:
    before = RunSet(folder, folder / "qrels.txt").fingerprint
    (folder / "dense.run").rename(folder / "e5.run")
    assert RunSet(folder, folder / "qrels.txt").fingerprint == before
    (folder / "e5.run").write_text("q1 Q0 d2 1 0.6 dense\n")  # of the same size
    assert RunSet(folder, folder / "qrels.txt").fingerprint != before


def test_a_list_chooses_runs(folder: Path) -> None:
    (folder / "manual.run").write_text("q1 Q0 d1 1 1 manual\n")
    (folder / "runs.txt").write_text("dense.run\nbm25.run\n")
    assert list(RunSet(folder, folder / "qrels.txt").content[0]) == ["dense", "bm25"]


def test_a_listed_run_that_is_not_there_is_named_with_its_line(folder: Path) -> None:
    (folder / "runs.txt").write_text("dense.run\n\nbm-25.run\n")
    with pytest.raises(DataFormatError, match=r"runs.txt:3: no file bm-25.run"):
        _ = RunSet(folder, folder / "qrels.txt").content
    (folder / "runs.txt").write_text("dense.run\n")
    with pytest.raises(DataFormatError, match="1 runs; combining needs at least two"):
        _ = RunSet(folder, folder / "qrels.txt").content


def test_one_run_is_nothing_to_combine(folder: Path) -> None:
    (folder / "dense.run").unlink()
    with pytest.raises(DataFormatError, match="at least two"):
        _ = RunSet(folder, folder / "qrels.txt").content
    with pytest.raises(DataFormatError, match="no such folder"):
        _ = RunSet(folder / "none", folder / "qrels.txt").content
