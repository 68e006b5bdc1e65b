from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidParameterError
from rankmax.formats.named_files import named_files, split_name


@given(
    paths=st.lists(
        st.sampled_from(["a.run", "b.run", "x/a.run", "y/a.run.gz", "x/y/a.run", "c=a.run", "d=a.run", ".run"]),
        unique=True,
    )
)
def test_names_are_distinct_and_paths_kept(paths: list[str]) -> None:
    files = named_files(paths)
    assert [file.path for file in files] == [path.removeprefix("c=").removeprefix("d=") for path in paths]
    assert len({file.name for file in files}) == len(paths)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("splade.v1.run", "splade.v1"),
        ("runs/splade.v2.run.gz", "splade.v2"),
        ("input.bm25base_p.gz", "input.bm25base_p"),
        ("BM25.RUN", "BM25"),
        ("e5.top100.parquet", "e5.top100"),
        ("model.json", "model"),
        ("plain", "plain"),
        (".run", ".run"),
        ("bm25(k1=0.9).run", "bm25(k1=0.9)"),
    ],
)
def test_only_suffixes_of_formats_are_cut(path: str, name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).touch()
    assert named_files([path]) == [(name, path)]


def test_a_file_that_exists_is_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert split_name("e5=x.run") == ("e5", "x.run")
    (tmp_path / "e5=x.run").touch()
    assert split_name("e5=x.run") == (None, "e5=x.run")
    assert split_name("e5=e5=x.run") == ("e5", "e5=x.run")
    assert split_name("=x.run") == (None, "=x.run")
    assert split_name("e5=") == (None, "e5=")


@pytest.mark.parametrize(
    "paths", [["e5=a.run", "e5=b.run"], ["a.run", "a.run"], ["a.run", "a.run.gz"], ["a=x.run", "a.run"]]
)
def test_systems_of_one_name_are_refused_with_the_remedy(paths: list[str]) -> None:
    with pytest.raises(InvalidParameterError, match=r"several systems are called '(e5|a)' .*\1-1=\w\.run \1-2="):
        named_files(paths)
