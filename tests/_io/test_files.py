"""Files: gzip by content, errors that name the path, and never half a file."""

from __future__ import annotations

import gzip
import os
import pickle
import stat
import threading
from pathlib import Path

import pytest

from rankmax._io.files import atomic_writer, open_binary, read_bytes, write_bytes, writing
from rankmax.errors import CannotWriteError, DataFormatError


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"content")
    (tmp_path / "packed").write_bytes(gzip.compress(b"content", mtime=0))
    (tmp_path / "empty").write_bytes(b"")
    assert read_bytes(tmp_path / "plain") == read_bytes(tmp_path / "packed") == b"content"
    assert read_bytes(tmp_path / "empty") == b""


def test_damaged_gzip_is_named(tmp_path: Path) -> None:
    packed = gzip.compress(b"content" * 100, mtime=0)
    for number, damaged in enumerate((packed[:-9], packed[:20], packed[:15] + b"\xff\xff" + packed[17:], packed[:5])):
        path = tmp_path / f"{number}.gz"
        path.write_bytes(damaged)
        with pytest.raises(DataFormatError, match=f"{path}: damaged or truncated gzip file"):
            read_bytes(path)


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="no such file"):
        read_bytes(tmp_path / "absent")
    with pytest.raises(DataFormatError, match="is a folder, expected a file"):
        read_bytes(tmp_path)
    with pytest.raises(DataFormatError, match="cannot read: File name too long"):
        read_bytes(tmp_path / ("x" * 300))
    with pytest.raises(DataFormatError, match="cannot read: embedded null byte"):
        read_bytes("a\0b")


def test_errors_of_the_reader_pass_through(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with pytest.raises(FileNotFoundError), open_binary(tmp_path / "file"):
        (tmp_path / "other").read_bytes()


def test_written_content_is_read_back(tmp_path: Path) -> None:
    for name in ("a.txt", "a.txt.gz"):
        with atomic_writer(tmp_path / name) as file:
            file.write(b"content")
        assert read_bytes(tmp_path / name) == b"content"
    assert gzip.decompress((tmp_path / "a.txt.gz").read_bytes()) == b"content"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "a.txt.gz"]


def test_equal_content_gives_equal_gzip_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with atomic_writer(tmp_path / name) as file:
            file.write(b"content")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), atomic_writer(path) as file:
        file.writelines([b"new", "no bytes"])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_have_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with atomic_writer(tmp_path / "file") as file:
            file.write(b"content")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_links_keep_pointing(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with atomic_writer(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_pipes_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    with atomic_writer(pipe) as file:
        file.write(b"content")
    reader.join()
    assert received == [b"content"]
    assert pipe.is_fifo()


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "absent" / "file", "cannot write: no folder"),
        (tmp_path, "cannot write: is a folder"),
        ("a\0b", "a file name has no null byte"),
    ):
        with pytest.raises(DataFormatError, match=reason), atomic_writer(path):
            pass


def test_a_full_disk_is_named_and_an_error_with_a_name_passes(tmp_path: Path) -> None:
    with pytest.raises(CannotWriteError, match=r"^/dev/full: cannot write: No space left on device$"):
        write_bytes("/dev/full", b"content")
    with pytest.raises(FileNotFoundError), atomic_writer(tmp_path / "file"):
        (tmp_path / "other").read_bytes()
    with pytest.raises(BrokenPipeError), writing("pipe"):
        raise BrokenPipeError
    assert list(tmp_path.iterdir()) == []


def test_errors_of_writing_go_to_other_processes() -> None:
    error = pickle.loads(pickle.dumps(CannotWriteError("model.json", "No space left on device")))
    assert (type(error), str(error)) == (CannotWriteError, "model.json: cannot write: No space left on device")
