"""File format of an index: a folder of plain arrays and one JSON file that describes them.

Grammar of version 2; F fields, V terms in ascending order of their UTF-8 bytes, N documents in their order of input,
and one row for each field and term, row = field * V + term::

    index             := meta.json array*
    meta.json         := {"format": "rankmax/index/2", "analyzer": {...}, "fields": [name, ...], "stored": [name, ...],
                          "columns": [name, ...], "n_documents": N, "n_terms": V,
                          "arrays": {name: {"type": type, "length": entries, "crc32": checksum}, ...},
                          "crc32": checksum of all before, as JSON without spaces and with sorted keys}
    array             := name.bin, its entries back to back, little-endian
    term_bytes        := uint8 ...          all terms back to back, and eight zeros to read words from
    term_offsets      := int64 * (V + 1)    where each begins
    id_bytes          := uint8 ...          all identifiers back to back, and eight zeros
    id_offsets        := int64 * (N + 1)    where each begins
    lengths           := int32 * (F * N)    terms in each document's field (a word without a term does not count)
    posting_offsets   := int64 * (F * V + 1)  where the postings of each row begin
    documents         := int32 ...          of each posting, ascending within a row
    position_starts   := int64 * (F * V + 1)  where the positions of each row begin
    position_offsets  := row{F * V}, row := 0, int32 ...   where those of each posting end, counted from the row's start
    positions         := int32 ...          ascending within a posting; words without a term are counted
    stored_bytes      := block*             block := packed JSON (zlib), {field: text} for each of at most 32 documents
    stored_offsets    := int64 * (B + 1)    where each of the B blocks begins
    stored_firsts     := int64 * B          the number of its first document
    columns           := float64 * (K * N)  of each document in each of the K columns

A row of n documents therefore has n + 1 position offsets, which begin at posting_offsets[row] + row. Document
frequencies are the differences of posting_offsets, collection frequencies those of position_starts, and term
frequencies those of position_offsets: nothing is stored twice.

When an index is opened, the sizes of all files are compared, and the checksums of all files if they have at most 256 MB
together (0.1 s), otherwise of those up to 16 MB; on request, the checksums of all files, however large. Whether the
numbers in them are consistent is checked separately (``index_checks.py``).
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import readonly
from rankmax._io.files import open_new, write_bytes, writing
from rankmax.errors import DataFormatError

FORMAT = "rankmax/index/2"
META = "meta.json"
TYPES = {
    "term_bytes": "|u1",
    "term_offsets": "<i8",
    "id_bytes": "|u1",
    "id_offsets": "<i8",
    "lengths": "<i4",
    "posting_offsets": "<i8",
    "documents": "<i4",
    "position_starts": "<i8",
    "position_offsets": "<i4",
    "positions": "<i4",
    "stored_bytes": "|u1",
    "stored_offsets": "<i8",
    "stored_firsts": "<i8",
    "columns": "<f8",
}
_SMALL_INDEX = 1 << 28  # bytes, whose checksums take 0.1 s
_SMALL_FILE = 1 << 24


@dataclass
class ArrayWriter:
    """Writer of one array of a folder, piece by piece.

    Parameters
    ----------
    folder : path
    name : str
        Name of the file, without ``.bin``.
    dtype : str
        Type of the entries.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ArrayWriter(Path(folder), "documents", "<i4") as writer:
    ...         writer.append(np.array([3, 4]))
    ...     map_array(Path(folder), "documents", "<i4")
    array([3, 4], dtype=int32)
    >>> writer.description
    {'type': '<i4', 'length': 2, 'crc32': 1691307997}
    """

    folder: Path
    name: str
    dtype: str
    _length: int = field(default=0, init=False)
    _checksum: int = field(default=0, init=False)

    def __enter__(self) -> ArrayWriter:
        path = self.folder / f"{self.name}.bin"
        self._file = open_new(path)
        return self

    def __exit__(self, *_: object) -> None:
        with writing(self._file.name):  # a network disk may report that it is full only on closing
            self._file.close()

    def append(self, array: NDArray[Any]) -> None:
        """Append entries to those written before."""
        data = np.ascontiguousarray(array, np.dtype(self.dtype))
        self._length += data.size
        left = data.reshape(-1).view(np.uint8).data
        self._checksum = zlib.crc32(left, self._checksum)
        with writing(self._file.name):
            while left:
                left = left[self._file.write(left) :]

    @property
    def description(self) -> dict[str, Any]:
        """Description of the array in the JSON file."""
        return {"type": self.dtype, "length": self._length, "crc32": self._checksum}


def map_array(folder: Path, name: str, dtype: str) -> NDArray[Any]:
    """Return a memory-mapped array of a folder, read from disk on access.

    Parameters
    ----------
    folder : path
    name : str
        Name of the file, without ``.bin``.
    dtype : str
        Type of the entries.
    """
    path = folder / f"{name}.bin"
    if path.stat().st_size == 0:  # empty files cannot be mapped
        return readonly(np.empty(0, dtype))
    return np.asarray(np.memmap(path, dtype, mode="r"))


def write_meta(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the JSON file of an index, with format and checksum.

    Parameters
    ----------
    folder : path
    content : mapping
        Everything but format and checksum.
    """
    meta = {"format": FORMAT, **content}
    text = json.dumps({**meta, "crc32": _checksum(meta)}, indent=1, ensure_ascii=False)
    write_bytes(folder / META, text.encode())


def read_meta(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the JSON file of an index and check format and checksum.

    Parameters
    ----------
    folder : str or path-like

    Examples
    --------
    >>> read_meta("no-such-index")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such-index: not an index: it has no meta.json
    """
    try:
        meta = msgspec.json.decode((Path(folder) / META).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise DataFormatError(folder, f"not an index: it has no {META}") from None
    except OSError as error:
        raise DataFormatError(folder, f"cannot read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DataFormatError(folder, f"damaged: {META} is not JSON; build the index again") from None
    if not isinstance(meta, dict):
        meta = {}
    found = meta.get("format")
    if not isinstance(found, str) or not found.startswith("rankmax/index/"):
        raise DataFormatError(folder, f"not a rankmax index: the format in {META} should be {FORMAT!r}")
    if found != FORMAT:
        raise DataFormatError(
            folder, f"has format {found!r}; this version of rankmax reads {FORMAT!r}: build the index again"
        )
    if meta.pop("crc32", None) != _checksum(meta):
        raise DataFormatError(folder, f"damaged: the checksum of {META} is wrong; build the index again")
    try:
        msgspec.convert(meta, _Meta)
    except msgspec.ValidationError as error:
        raise DataFormatError(folder, f"damaged: {META} is not as expected ({error}); build the index again") from None
    for name, kind in TYPES.items():
        if meta["arrays"].get(name, {}).get("type") != kind:
            raise DataFormatError(folder, f"damaged: {META} describes no {name} of type {kind}; build the index again")
    return meta


def open_arrays(folder: str | os.PathLike[str], meta: Mapping[str, Any], *, verify: bool) -> dict[str, NDArray[Any]]:
    """Map all arrays of an index; raise if a file has another size or, where compared, another checksum.

    Parameters
    ----------
    folder : str or path-like
    meta : mapping
        Result of :func:`read_meta`.
    verify : bool
        Whether to compare the checksums of all files, however large.
    """
    paths = {name: Path(folder) / f"{name}.bin" for name in TYPES}
    for name, path in paths.items():
        expected = meta["arrays"][name]["length"] * np.dtype(TYPES[name]).itemsize
        try:
            found = path.stat().st_size
        except OSError as error:
            raise DataFormatError(path, f"cannot read: {error.strerror}; build the index again") from None
        if found != expected:
            raise DataFormatError(path, f"damaged: {found} bytes, expected {expected}; build the index again")
    arrays = {name: map_array(Path(folder), name, dtype) for name, dtype in TYPES.items()}
    verify_all = verify or sum(array.nbytes for array in arrays.values()) <= _SMALL_INDEX
    for name, array in arrays.items():
        checked = verify_all or array.nbytes <= _SMALL_FILE
        if checked and zlib.crc32(array.data) != meta["arrays"][name]["crc32"]:
            raise DataFormatError(paths[name], "damaged: its checksum is wrong; build the index again")
    return arrays


_Names = Annotated[list[str], msgspec.Meta(max_length=1 << 16)]
_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class _Array(msgspec.Struct):
    type: str
    length: _Size
    crc32: int


class _Meta(msgspec.Struct):
    """Fields of the JSON file."""

    analyzer: dict[str, bool | str | list[str]]
    fields: _Names
    stored: _Names
    columns: _Names
    n_documents: _Size
    n_terms: _Size
    arrays: dict[str, _Array]


def _checksum(meta: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(meta, sort_keys=True, separators=(",", ":")).encode())
