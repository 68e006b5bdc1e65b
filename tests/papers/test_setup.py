from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError
from rankmax.papers.setup import find_setup


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data folder with one collection of each kind, which the environment names."""
    data = tmp_path / "data"
    for folder in ("text/aero", "letor/MQ", "runs/dl"):
        (data / folder).mkdir(parents=True)
    for name in ("docs.tsv", "topics.tsv", "qrels.txt"):
        (data / "text" / "aero" / name).touch()
    for part in range(1, 6):
        (data / "letor" / "MQ" / f"S{part}.txt").touch()
    for name in ("qrels.txt", "a.run", "b.run"):
        (data / "runs" / "dl" / name).touch()
    monkeypatch.setenv("RANKMAX_DATA", str(data))
    return data


def test_all_of_the_data_folder_and_the_embedded_collection(data: Path, tmp_path: Path) -> None:
    setup = find_setup(tmp_path)
    assert [corpus.name for corpus in setup.corpora] == ["aero", "docstrings"]
    assert [one.name for one in setup.letor] == ["MQ"]
    assert [one.name for one in setup.run_sets] == ["dl"]


def test_small_is_embedded_only(data: Path, tmp_path: Path) -> None:
    setup = find_setup(tmp_path, small=True)
    assert [corpus.name for corpus in setup.corpora] == ["docstrings"]
    assert (setup.letor, setup.run_sets) == ((), ())


@pytest.mark.parametrize("given", ["text", "text/aero"])
def test_own_text_replaces_what_is_found(data: Path, tmp_path: Path, given: str) -> None:
    setup = find_setup(tmp_path, corpus=data / given)
    assert [corpus.name for corpus in setup.corpora] == ["aero"]
    assert setup.letor == ()


def test_own_letor_data_and_runs(data: Path, tmp_path: Path) -> None:
    setup = find_setup(
        tmp_path, corpus=data / "letor" / "MQ", runs=data / "runs" / "dl", qrels=data / "runs" / "dl" / "qrels.txt"
    )
    assert [one.name for one in setup.letor] == ["MQ"]
    assert [path.name for one in setup.run_sets for path in one.paths] == ["a.run", "b.run"]


def test_folders_with_nothing_known_are_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="neither text"):
        find_setup(tmp_path, corpus=data / "runs")
    with pytest.raises(DataFormatError, match="no such folder"):
        find_setup(tmp_path, corpus=data / "none")
