"""One builder at a time, and nothing of a failed or killed one in the way of the next."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankmax._io.folders import building_folder
from rankmax.errors import DataFormatError


def test_the_folder_appears_at_the_end(tmp_path: Path) -> None:
    with building_folder(tmp_path / "index") as folder:
        (folder / "meta.json").write_text("new")
        assert not (tmp_path / "index").exists()
    assert [path.name for path in tmp_path.rglob("*")] == ["index", "meta.json"]


@pytest.mark.parametrize("reason", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_nothing(tmp_path: Path, reason: type[BaseException]) -> None:
    with pytest.raises(reason), building_folder(tmp_path / "index"):
        raise reason
    assert list(tmp_path.iterdir()) == []


def test_two_builders_at_once_are_one_too_many(tmp_path: Path) -> None:
    with building_folder(tmp_path / "index") as folder:
        (folder / "meta.json").write_text("first")
        with (
            pytest.raises(DataFormatError, match="index: is being built by another process"),
            building_folder(tmp_path / "index"),
        ):
            pass
    assert (tmp_path / "index" / "meta.json").read_text() == "first"


def test_a_builder_in_another_process_is_waited_for_by_nobody(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom rankmax._io.folders import building_folder\n"
        "with building_folder(sys.argv[1]) as folder:\n"
        "    (folder / 'meta.json').write_text('other'); print(flush=True); input()"
    )
    arguments = [sys.executable, "-c", script, str(tmp_path / "index")]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdout.readline()  # it is at work
        with (
            pytest.raises(DataFormatError, match="index: is being built by another process"),
            building_folder(tmp_path / "index"),
        ):
            pass
        other.communicate(b"\n")
    assert (tmp_path / "index" / "meta.json").read_text() == "other"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_what_a_killed_builder_left_is_cleared_away(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom rankmax._io.folders import building_folder\n"
        "with building_folder(sys.argv[1]) as folder:\n"
        "    (folder / 'half').touch(); (folder / 'segment0').mkdir(); os._exit(9)"
    )
    status = subprocess.run([sys.executable, "-c", script, str(tmp_path / "index")], check=False).returncode
    assert status == 9
    assert (tmp_path / ".index.building" / "half").exists()
    with building_folder(tmp_path / "index") as folder:
        assert {path.name for path in folder.iterdir()} == {"lock"}
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_index_that_appeared_meanwhile_is_kept(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "meta.json").write_text("other")
    with (
        pytest.raises(DataFormatError, match="the index cannot be put in place: Directory not empty"),
        building_folder(tmp_path / "index"),
    ):
        shutil.copytree(other, tmp_path / "index")
    assert (tmp_path / "index" / "meta.json").read_text() == "other"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_index_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "meta.json").write_text("old")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name.endswith(".building"):
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with (
        pytest.raises(DataFormatError, match="the index cannot be put in place: Permission denied"),
        building_folder(tmp_path / "index", replaces="meta.json"),
    ):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["index", "meta.json"]
    assert (tmp_path / "index" / "meta.json").read_text() == "old"


def test_only_an_index_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").touch()
    with (
        pytest.raises(DataFormatError, match="thesis: is no index"),
        building_folder(tmp_path / "thesis", replaces="meta.json"),
    ):
        pass
    assert (tmp_path / "thesis" / "chapter.tex").exists()


def test_a_place_without_a_parent_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(DataFormatError, match=r"cannot write: no folder .*nowhere"),
        building_folder(tmp_path / "nowhere/i"),
    ):
        pass


def test_a_name_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(DataFormatError, match="cannot write: File name too long"),
        building_folder(tmp_path / ("x" * 250)),
    ):
        pass
