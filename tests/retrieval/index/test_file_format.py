"""Damage of every kind is seen when an index is opened, and said in one line."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax._io.files import make_folder, open_new
from rankmax.errors import DataFormatError
from rankmax.retrieval.index import file_format as index_format
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_columns import Columns
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.file_format import FORMAT, TYPES, ArrayWriter, map_array, write_meta
from rankmax.retrieval.index.inverted_index import Index


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = [Document("d1", {"text": "lift of a wing"}), Document("d2", {"text": "wing"})]
    columns = Columns.from_dict(["d2", "d1"], {"depth": [2, 5]})
    build_index(documents, tmp_path / "index", store=["text"], columns=columns)
    return tmp_path / "index"


def test_the_files_are_those_of_the_grammar(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"meta.json", *(f"{name}.bin" for name in TYPES)}
    arrays = {name: map_array(folder, name, TYPES[name]).tolist() for name in TYPES}
    block = bytes(arrays["stored_bytes"])
    assert zlib.decompress(block) == b'[{"text": "lift of a wing"}, {"text": "wing"}]'
    assert arrays == {
        "term_bytes": [*b"aliftofwing", *bytes(8)],
        "term_offsets": [0, 1, 5, 7, 11],
        "id_bytes": [*b"d1d2", *bytes(8)],
        "id_offsets": [0, 2, 4],
        "lengths": [4, 1],
        "posting_offsets": [0, 1, 2, 3, 5],
        "documents": [0, 0, 0, 0, 1],
        "position_starts": [0, 1, 2, 3, 5],
        "position_offsets": [0, 1, 0, 1, 0, 1, 0, 1, 2],
        "positions": [2, 0, 1, 3, 0],
        "stored_bytes": [*block],
        "stored_offsets": [0, len(block)],
        "stored_firsts": [0],
        "columns": [5, 2],
    }


@pytest.mark.parametrize("name", TYPES)
def test_a_flipped_bit_in_any_file_is_seen(folder: Path, name: str) -> None:
    path = folder / f"{name}.bin"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 4
    path.write_bytes(raw)
    with pytest.raises(DataFormatError, match=rf"{name}\.bin: damaged: its checksum is wrong"):
        Index.open(folder)


def test_large_files_of_a_large_index_are_checked_on_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "positions.bin"
    path.write_bytes(bytes(path.stat().st_size))
    monkeypatch.setattr(index_format, "_SMALL_INDEX", 100)
    with pytest.raises(DataFormatError, match=r"positions\.bin: damaged: its checksum is wrong"):
        Index.open(folder)
    monkeypatch.setattr(index_format, "_SMALL_FILE", 4)
    Index.open(folder)
    with pytest.raises(DataFormatError, match=r"positions\.bin: damaged: its checksum is wrong"):
        Index.open(folder, verify=True)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("size", [0, -1, 1])
def test_a_file_of_another_size_is_seen(folder: Path, name: str, size: int) -> None:
    path = folder / f"{name}.bin"
    raw = path.read_bytes()
    path.write_bytes(raw + b"\0" if size == 1 else raw[:size])
    with pytest.raises(DataFormatError, match=rf"{name}\.bin: damaged: \d+ bytes, expected {len(raw)}"):
        Index.open(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "documents.bin").unlink()
    with pytest.raises(DataFormatError, match=r"documents\.bin: cannot read: No such file"):
        Index.open(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "meta.json is not JSON"),
        ("\udcff", "meta.json is not JSON"),
        ('{"format": "rankmax/ind', "meta.json is not JSON"),
        ("[" * 100_000, "meta.json is not JSON"),
        ("[1, 2]", f"not a rankmax index: the format in meta.json should be '{FORMAT}'"),
        ('{"format": 3}', "not a rankmax index"),
        ('{"format": "rankmax/index/99"}', f"has format 'rankmax/index/99'; this version of rankmax reads '{FORMAT}'"),
        (json.dumps({"format": FORMAT, "crc32": 7}), "the checksum of meta.json is wrong"),
        (json.dumps({"format": FORMAT}), "the checksum of meta.json is wrong"),
    ],
)
def test_a_description_that_is_wrong(folder: Path, content: str, message: str) -> None:
    (folder / "meta.json").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(DataFormatError, match=f"index: .*{message}"):
        Index.open(folder)


def test_every_byte_of_the_description_matters(folder: Path) -> None:
    path = folder / "meta.json"
    raw = path.read_bytes()
    for place in np.random.default_rng(1).choice(len(raw), 60, replace=False).tolist():
        if not raw[place : place + 1].isspace():
            path.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
            with pytest.raises(DataFormatError):
                Index.open(folder)


def test_a_file_is_no_index(folder: Path) -> None:
    with pytest.raises(DataFormatError, match=r"not an index: it has no meta\.json"):
        Index.open(folder / "documents.bin")


def test_a_description_that_cannot_be_read(folder: Path) -> None:
    (folder / "meta.json").unlink()
    (folder / "meta.json").mkdir()
    with pytest.raises(DataFormatError, match="index: cannot read: Is a directory"):
        Index.open(folder)


class FullDisk:
    """A file that takes a few bytes and then no more."""

    name = "positions.bin"

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, data: memoryview) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(self.room, len(data))
        self.room -= taken
        return taken

    def close(self) -> None: ...


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: Path) -> Any:
        return FullDisk(5) if path.name == "positions.bin" else open_new(path)

    monkeypatch.setattr(index_format, "open_new", opened)
    with pytest.raises(DataFormatError, match=r"positions\.bin: cannot write: No space left on device"):
        build_index([Document("d1", {"text": "lift of a wing"})], tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


LIMITED = """
import resource, sys
from rankmax.errors import RankmaxError
from rankmax.retrieval.index import builder
from rankmax.retrieval.index.document_files import Document

builder._BYTES_PER_WORD = int(sys.argv[2])
documents = [Document(f"d{n}", {"text": f"wing lift w{n}"}) for n in range(2000)]
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
try:
    builder.build_index(documents, sys.argv[1], memory=1 << 20, replace=True)
except RankmaxError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits to set")
@pytest.mark.parametrize(("bytes_per_word", "place"), [(1, r"\w+\.bin"), (1000, r"segment0.\w+\.bin")])
def test_no_room_while_building_keeps_the_old_index(folder: Path, bytes_per_word: int, place: str) -> None:
    arguments = [sys.executable, "-c", LIMITED, str(folder), str(bytes_per_word)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert re.fullmatch(rf".*\.index\.building.{place}: cannot write: File too large\n", done.stdout)
    assert [path.name for path in folder.parent.iterdir()] == ["index"]
    assert Index.open(folder).n_documents == 2


def test_a_folder_that_is_gone_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=r"gone.documents\.bin: cannot write: No such file"):
        ArrayWriter(tmp_path / "gone", "documents", "<i4").__enter__()
    with pytest.raises(DataFormatError, match=r"gone.segment0: cannot write: No such file"):
        make_folder(tmp_path / "gone" / "segment0")
    with pytest.raises(DataFormatError, match=r"gone.meta\.json: cannot write: no folder"):
        write_meta(tmp_path / "gone", {})
