"""What an ascent has found out, kept so that it can be stopped at any time and resumed to the same bits.

An ascent is deterministic: the same code, start and seed ask the same questions in the same order (the value at a
point, the best place on a line), and all else follows from the answers. So the answers are all there is to save. To
resume is to run the same ascent again with the saved answers in place of the costly work, and nothing that an optimizer
keeps in its variables has to be written down.

A file holds the answers of several ascents, one JSON object a line::

    file   = header entry*
    header = {"schema": "rankmax/journal/1", "fingerprint": {what is maximised, and how}}
    entry  = {"ascent": key, "entry": {"kind", "asked": checksum of the question, "values", "weights", "seconds"}}
"""

from __future__ import annotations

import os
import reprlib
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from types import TracebackType
from typing import Any, Literal, Self

import msgspec
import numpy as np

from rankmax.arrays import F64
from rankmax.errors import DataFormatError, IncompatibleError

_SCHEMA = "rankmax/journal/1"
_SECONDS_BETWEEN_FLUSHES = 1.0

Kind = Literal["start", "line", "point", "points", "direction", "stop"]
"""Of a question: the start, the best place on a line, the value at a point or many, where to go, whether time is up."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer.

    Attributes
    ----------
    kind : str
    asked : int
        Checksum of the question.
    values : tuple of float
        The objective's, or the direction.
    weights : tuple of float or None
        Of the best place on a line, where it is better than the place searched from.
    seconds : float
        From the beginning of the ascent until the answer was known.
    """

    kind: Kind
    asked: int
    values: tuple[float, ...] = ()
    weights: tuple[float, ...] | None = None
    seconds: float = 0.0


class Journal:
    """The answers of one ascent: those recorded before are given again, later ones are added.

    Parameters
    ----------
    entries : iterable of Entry
        Recorded before.
    write : callable, optional
        Called with each new entry.
    flush : callable, optional
        Called when the ascent ends.

    Examples
    --------
    >>> first = Journal()
    >>> first.record("line", np.array([0.0, 1.0]), np.array([0.5]), seconds=0.1)
    >>> again = Journal(first.entries)
    >>> again.is_replaying, again.replay("line", np.array([0.0, 1.0])).values
    (True, (0.5,))
    >>> again.is_replaying, again.replay("line", np.array([1.0, 0.0]))
    (False, None)
    """

    def __init__(
        self,
        entries: Iterable[Entry] = (),
        write: Callable[[Entry], None] = lambda entry: None,
        flush: Callable[[], None] = lambda: None,
    ) -> None:
        self.entries = list(entries)
        self.flush = flush
        self._write = write
        self._n_replayed = 0

    @property
    def is_replaying(self) -> bool:
        """Whether an entry is left to be given again."""
        return self._n_replayed < len(self.entries)

    def replay(self, kind: Kind, question: F64) -> Entry | None:
        """Return the recorded answer to the next question, or None where that is asked for the first time.

        Parameters
        ----------
        kind : str
        question : array
            The direction, or the points.
        """
        if not self.is_replaying:
            return None
        entry = self.entries[self._n_replayed]
        if (entry.kind, entry.asked) != (kind, _checksum(question)):
            asked = f"another {kind!r}" if entry.kind == kind else repr(kind)
            raise IncompatibleError(
                f"the journal does not belong to this ascent: its entry {self._n_replayed + 1} is of kind "
                f"{entry.kind!r}, and now {asked} is asked for; resume with the data, start, seed, optimizer and "
                "versions it was recorded with, or begin a new journal"
            )
        self._n_replayed += 1
        return entry

    def replay_stop(self) -> Entry | None:
        """Return the next entry if it says that time was up."""
        if self.is_replaying and self.entries[self._n_replayed].kind == "stop":
            self._n_replayed += 1
            return self.entries[self._n_replayed - 1]
        return None

    def record(self, kind: Kind, question: F64, values: F64, weights: F64 | None = None, *, seconds: float) -> None:
        """Add an answer.

        Parameters
        ----------
        kind, question
            As in :meth:`replay`.
        values, weights, seconds
            As in :class:`Entry`.
        """
        place = None if weights is None else tuple(weights.tolist())
        entry = Entry(kind, _checksum(question), tuple(values.tolist()), place, seconds)
        self.entries.append(entry)
        self._n_replayed += 1
        self._write(entry)


class JournalFile:
    """A file with the journals of several ascents, to which answers are added as they come.

    Written at least once a second, and when an ascent ends, so that little is lost when the process is killed. A last
    line that a crash has cut short is dropped. Ascents may run in several threads of one process.

    Parameters
    ----------
    path : str or path-like
        Made if there is none.
    fingerprint : mapping
        What decides the answers (hash of the data, metric, space, optimizer, seed, version, ...), as JSON values. A
        file with another one is refused.

    Examples
    --------
    >>> import tempfile
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
        try:
            self._file = open(path, "a+b")  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise DataFormatError(path, f"cannot write: {error.strerror}") from None
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
            Names the ascent, such as "bag 3 start 0".
        """
        return Journal(self._entries_by_key.get(key, ()), lambda entry: self.append(key, entry), self.flush)

    def append(self, key: str, entry: Entry) -> None:
        """Add an answer of one ascent, which may come from another process.

        Parameters
        ----------
        key : str
        entry : Entry
        """
        line = msgspec.json.encode(_Line(key, entry)) + b"\n"
        with self._lock:
            self._entries_by_key.setdefault(key, []).append(entry)
            self._file.write(line)
        if time.monotonic() - self._flushed >= _SECONDS_BETWEEN_FLUSHES:
            self.flush()

    def flush(self) -> None:
        """Write what is still in memory."""
        with self._lock:
            self._file.flush()
            self._flushed = time.monotonic()

    def close(self) -> None:
        """Write what is still in memory, and close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, header: bytes) -> None:
        self._file.seek(0)
        content = self._file.read()
        complete = content.rfind(b"\n") + 1
        if complete == 0 and not header.startswith(content):
            raise DataFormatError(self.path, "no journal of rankmax; nothing was written to it")
        lines = content[:complete].splitlines()
        if lines:
            self._check_header(lines[0], header)
        for number, line in enumerate(lines[1:], start=2):
            try:
                decoded = msgspec.json.decode(line, type=_Line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise DataFormatError(self.path, f"no entry of a journal: {error}", line=number) from None
            self._entries_by_key.setdefault(decoded.ascent, []).append(decoded.entry)
        self._file.truncate(complete)
        if complete == 0:
            self._file.write(header)
            self._file.flush()

    def _check_header(self, line: bytes, header: bytes) -> None:
        try:
            found = msgspec.json.decode(line, type=_Header)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise DataFormatError(self.path, "no journal of rankmax; nothing was written to it", line=1) from None
        if found.schema != _SCHEMA:
            raise DataFormatError(self.path, f"schema is {found.schema!r}, expected {_SCHEMA!r}", line=1)
        wanted = msgspec.json.decode(header, type=_Header).fingerprint
        differences = [
            f"{name} was {_short(found.fingerprint.get(name))}, is {_short(wanted.get(name))}"
            for name in sorted({*found.fingerprint, *wanted})
            if found.fingerprint.get(name) != wanted.get(name)
        ]
        if differences:
            raise IncompatibleError(
                f"{os.fspath(self.path)} is the journal of something else: {'; '.join(differences)}. "
                "Choose what it was recorded with to resume, or another file to begin anew"
            )


class _Header(msgspec.Struct, frozen=True):
    schema: str
    fingerprint: dict[str, Any]


class _Line(msgspec.Struct, frozen=True):
    ascent: str
    entry: Entry


def _checksum(question: F64) -> int:
    return zlib.crc32(np.ascontiguousarray(question, np.float64).data)


def _short(value: object) -> str:
    shortener = reprlib.Repr()
    shortener.maxstring = 80
    return shortener.repr(value)
