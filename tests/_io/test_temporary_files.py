"""Temporary files: cleared when their writer is gone, and never while it is there."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rankmax._io import temporary_files as temporary
from rankmax._io.files import atomic_writer, write_bytes
from rankmax._io.locked_files import lock
from rankmax.errors import CannotWriteError

KILLED = """
import os, signal, sys
from rankmax._io.files import atomic_writer

with atomic_writer(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_writer_left_is_cleared_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
        assert done.returncode == -signal.SIGKILL
        [left] = names(tmp_path)
        assert left.startswith(".model.json.")
    write_bytes(path, b"whole")
    assert names(tmp_path) == ["model.json"]


def test_a_failed_writer_clears_too(tmp_path: Path) -> None:
    (tmp_path / ".model.json.0123456789abcdef").touch()
    with pytest.raises(ZeroDivisionError), atomic_writer(tmp_path / "model.json"):
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_a_writer_at_work_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    with atomic_writer(path) as slow:
        slow.write(b"slow")
        write_bytes(path, b"fast")
        assert path.read_bytes() == b"fast"
    assert path.read_bytes() == b"slow"
    assert names(tmp_path) == ["model.json"]


def test_a_file_is_left_alone_until_it_is_moved(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    with temporary.temporary_beside(path) as (file, hidden):
        file.close()
        write_bytes(path, b"other")
        assert hidden.exists()
        hidden.rename(path)
    assert names(tmp_path) == ["model.json"]
    assert path.read_bytes() == b""


@pytest.mark.parametrize("clearing", ["done", "under way"])
def test_a_file_that_is_cleared_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clearing: str
) -> None:
    path = tmp_path / "model.json"
    opened: list[int] = []

    def late(number: int) -> bool | None:
        monkeypatch.setattr(temporary, "lock", lock)
        if clearing == "done":
            write_bytes(path, b"other")
        else:
            [hidden] = tmp_path.iterdir()
            opened.append(os.open(hidden, os.O_RDWR))
            assert lock(opened[0])
        return lock(number)

    monkeypatch.setattr(temporary, "lock", late)
    write_bytes(path, b"mine")
    for number in opened:
        os.close(number)
    assert path.read_bytes() == b"mine"
    assert names(tmp_path) == ["model.json"]


def test_where_it_is_cleared_again_and_again_an_error_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "lock", lambda _: False)
    with pytest.raises(CannotWriteError, match=r"model\.json: cannot write: other processes keep removing"):
        write_bytes(tmp_path / "model.json", b"mine")
    assert names(tmp_path) == []


def test_without_locks_nothing_is_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    (tmp_path / ".model.json.0123456789abcdef").touch()
    write_bytes(tmp_path / "model.json", b"whole")
    assert names(tmp_path) == [".model.json.0123456789abcdef", "model.json"]


def test_only_its_own_are_cleared(tmp_path: Path) -> None:
    others = [".model.json.backup", ".model.json.0123456789abcde", ".model.json2.0123456789abcdef", "model.json.0123"]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / ".model.json.000000000000000d").mkdir()
    (tmp_path / ".model.json.000000000000000e").symlink_to(others[0])
    os.mkfifo(tmp_path / ".model.json.000000000000000f")
    before = names(tmp_path)
    write_bytes(tmp_path / "model.json", b"whole")
    assert names(tmp_path) == sorted([*before, "model.json"])


def test_many_writers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    errors: list[BaseException] = []

    def write(content: bytes) -> None:
        try:
            for _ in range(100):
                write_bytes(path, content)
        except BaseException as error:
            errors.append(error)

    contents = [bytes([65 + i]) * 10_000 for i in range(4)]
    threads = [threading.Thread(target=write, args=[content]) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert path.read_bytes() in contents
    assert names(tmp_path) == ["model.json"]
