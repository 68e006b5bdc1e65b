"""File with the journals of several ascents, which survives a crash of the process that writes it.

The file has one answer per line::

    file   = header entry*
    header = {"schema": "rankmax/journal/2", "fingerprint": {what is maximized, and how}}
    entry  = checksum " " {"ascent": key, "entry": {"kind", "asked": checksum of the question, "values", "weights",
                                                    "seconds"}}

The checksum (CRC-32, eight hexadecimal digits) covers all lines up to and including the entry itself, as if there were
no checksums between them, so an entry that was changed, removed, repeated or moved is detected. One process at a time
writes a file, and holds its lock.
"""

from __future__ import annotations

import os
import reprlib
import time
import warnings
import zlib
from collections.abc import Mapping
from threading import Lock
from types import TracebackType
from typing import Any, Self

import msgspec

from rankmax._io.appended_files import AppendedFile
from rankmax.errors import CannotWriteError, CheckpointWarning, DataFormatError, IncompatibleError
from rankmax.optimizers.journal import Entry, Journal

_SCHEMA = "rankmax/journal/2"
_SECONDS_BETWEEN_FLUSHES = 1.0


class JournalFile:
    """A file with the journals of several ascents, to which answers are appended as they arrive.

    It is written at least once a second, and when an ascent ends, so that little is lost when the process is killed. A
    last line that a crash has truncated or damaged is dropped. Ascents may run in several threads of one process; the
    file is locked against other processes. When the disk is full, a :class:`~rankmax.errors.CheckpointWarning` says so
    once, and the ascents go on without being recorded, as they matter more than the file.

    Parameters
    ----------
    path : str or path-like
        Journal file; created if it does not exist.
    fingerprint : mapping
        Everything that the answers depend on (hash of the data, metric, space, optimizer, seed, version, ...), as JSON
        values. A file with another fingerprint is refused.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with JournalFile(f"{folder}/ap.journal", {"metric": "AP", "seed": 0}) as file:
    ...         file.ascent("start 0").record("point", np.ones(2), np.array([0.1]), seconds=0.5)
    ...     with JournalFile(f"{folder}/ap.journal", {"metric": "AP", "seed": 0}) as file:
    ...         file.ascent("start 0").replay("point", np.ones(2)).values
    (0.1,)
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: Mapping[str, Any]) -> None:
        self.path = path
        self._entries_by_key: dict[str, list[Entry]] = {}
        self._lock = Lock()
        self._flushed = time.monotonic()
        self._waiting: list[bytes] = []  # lines not yet written
        self._checksum = 0
        self._is_full = False
        self._file = AppendedFile(path)
        try:
            self._read(msgspec.json.encode(_Header(_SCHEMA, dict(fingerprint))) + b"\n")
        except BaseException:
            self._file.close()
            raise

    def ascent(self, key: str) -> Journal:
        """Return the journal of one ascent, as far as it is recorded.

        Parameters
        ----------
        key : str
            Name of the ascent, such as "bag 3 start 0".
        """
        return Journal(self._entries_by_key.get(key, ()), lambda entry: self.append(key, entry), self.flush)

    def append(self, key: str, entry: Entry) -> None:
        """Append an answer of one ascent, which may come from another process.

        Parameters
        ----------
        key : str
        entry : Entry
        """
        line = msgspec.json.encode(_Line(key, entry)) + b"\n"
        with self._lock:
            self._entries_by_key.setdefault(key, []).append(entry)
            self._checksum = zlib.crc32(line, self._checksum)
            self._waiting.append(b"%08x %b" % (self._checksum, line))
        if time.monotonic() - self._flushed >= _SECONDS_BETWEEN_FLUSHES:
            self.flush()

    def flush(self) -> None:
        """Write the lines that are still in memory."""
        with self._lock:
            lines, self._waiting = self._waiting, []
            self._flushed = time.monotonic()
            if self._is_full:
                return
            try:
                self._file.append(b"".join(lines))
            except CannotWriteError as error:
                self._is_full = True
                warnings.warn(
                    f"{error}; the training goes on, but can be resumed only from what was recorded before",
                    CheckpointWarning,
                    stacklevel=2,
                )

    def close(self) -> None:
        """Write the lines that are still in memory, and close the file."""
        self.flush()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, header: bytes) -> None:
        content = self._file.read()
        complete = content.rfind(b"\n") + 1
        if complete == 0 and not header.startswith(content):
            raise DataFormatError(self.path, "not a rankmax journal; nothing was written to it")
        lines = content[:complete].splitlines(keepends=True)
        if lines:
            self._check_header(lines[0], header)
            self._checksum = zlib.crc32(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            checksum, _, text = line.partition(b" ")
            expected = zlib.crc32(text, self._checksum)
            if checksum != b"%08x" % expected:
                if number < len(lines):
                    raise DataFormatError(
                        self.path,
                        "damaged: its checksum is wrong; the lines before it are intact. Delete it and all after it to "
                        "resume from there, or remove the file to start over",
                        line=number,
                    )
                complete -= len(line)  # the last line: a write interrupted by a crash
                break
            self._checksum = expected
            try:
                decoded = msgspec.json.decode(text, type=_Line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise DataFormatError(self.path, f"not an entry of a journal: {error}", line=number) from None
            self._entries_by_key.setdefault(decoded.ascent, []).append(decoded.entry)
        self._file.truncate(complete)
        if complete == 0:
            self._file.append(header)
            self._checksum = zlib.crc32(header)

    def _check_header(self, line: bytes, header: bytes) -> None:
        try:
            found = msgspec.json.decode(line, type=_Header)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise DataFormatError(self.path, "not a rankmax journal; nothing was written to it", line=1) from None
        if found.schema != _SCHEMA:
            raise DataFormatError(
                self.path,
                f"schema is {found.schema!r}, expected {_SCHEMA!r}: it was started by another version of rankmax, and "
                "cannot be resumed by this one; remove the file, or choose another",
                line=1,
            )
        wanted = msgspec.json.decode(header, type=_Header).fingerprint
        differences = [
            f"{name} was {_short(found.fingerprint.get(name))}, is {_short(wanted.get(name))}"
            for name in sorted({*found.fingerprint, *wanted})
            if found.fingerprint.get(name) != wanted.get(name)
        ]
        if differences:
            raise IncompatibleError(
                f"{os.fspath(self.path)} is the journal of another training: {'; '.join(differences)}. "
                "Give the same settings to resume, or another file to start over"
            )


class _Header(msgspec.Struct, frozen=True):
    schema: str
    fingerprint: dict[str, Any]


class _Line(msgspec.Struct, frozen=True):
    ascent: str
    entry: Entry


def _short(value: object) -> str:
    shortener = reprlib.Repr()
    shortener.maxstring = 80
    return shortener.repr(value)
