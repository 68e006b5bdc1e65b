"""Journal of a collection: the answers of one retriever, kept as they arrive.

The file has one line of JSON per answer, below a line that says what was asked::

    {"schema": "rankmax/collection/1", "asked": {engine, address, index, template, depth, command}}
    {"query": id, "text": text, "hits": [[document, score], ...]}

A last line that a crash has truncated is dropped. One process at a time writes a file, and holds its lock.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import msgspec

from rankmax._io.appended_files import AppendedFile
from rankmax.errors import DataFormatError, IncompatibleError

_SCHEMA = "rankmax/collection/1"
_REMEDY = "collect again from the start with --restart"


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    schema: str
    asked: dict[str, Any]


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    query: str
    text: str
    hits: list[tuple[str, float]]


class CollectionJournal:
    """The answers of one retriever, in a file that survives a crash of the process that writes it.

    Parameters
    ----------
    path : str or path-like
        Created if it does not exist.
    asked : mapping
        Everything that answers depend on besides the query; a file of anything else is refused.
    restart : bool
        Whether to drop what the file has.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with CollectionJournal(f"{folder}/a", {"depth": 10}) as journal:
    ...         journal.add("q1", "wing", [("d1", 0.5)])
    ...     with CollectionJournal(f"{folder}/a", {"depth": 10}) as journal:
    ...         journal.answer("q1", "wing"), journal.answer("q1", "wings")
    ([('d1', 0.5)], None)
    """

    def __init__(self, path: str | os.PathLike[str], asked: Mapping[str, Any], *, restart: bool = False) -> None:
        self._path = path
        self._entries: dict[str, _Entry] = {}
        self._file = AppendedFile(path)
        try:
            if restart:
                self._file.truncate(0)
            self._read(_Header(_SCHEMA, dict(asked)))
        except BaseException:
            self._file.close()
            raise

    def answer(self, query: str, text: str) -> list[tuple[str, float]] | None:
        """Return the answer to a query, or None where there is none to this text.

        Parameters
        ----------
        query : str
            Id of the query.
        text : str
        """
        entry = self._entries.get(query)
        return entry.hits if entry is not None and entry.text == text else None

    def add(self, query: str, text: str, hits: list[tuple[str, float]]) -> None:
        """Keep an answer.

        Parameters
        ----------
        query : str
            Id of the query.
        text : str
        hits : list of (str, float)
        """
        entry = _Entry(query, text, hits)
        self._file.append(msgspec.json.encode(entry) + b"\n")
        self._entries[query] = entry

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, header: _Header) -> None:
        content = self._file.read()
        complete = content.rfind(b"\n") + 1
        if complete == 0:
            self._file.truncate(0)
            self._file.append(msgspec.json.encode(header) + b"\n")
            return
        first, *lines = content[:complete].splitlines()
        try:
            found = msgspec.json.decode(first, type=_Header)
            if found.schema != _SCHEMA:
                raise msgspec.ValidationError(f"its schema is {found.schema!r}")
        except msgspec.DecodeError as error:
            raise DataFormatError(self._path, f"not a journal of a collection: {error}; {_REMEDY}", line=1) from None
        changed = [key for key in header.asked if found.asked.get(key) != header.asked[key]]
        if changed:
            raise IncompatibleError(
                f"{os.fspath(self._path)} was collected with another {changed[0]}; put it back, or {_REMEDY}"
            )
        for number, line in enumerate(lines, 2):
            try:
                entry = msgspec.json.decode(line, type=_Entry)
            except msgspec.DecodeError as error:
                raise DataFormatError(self._path, f"damaged: {error}; {_REMEDY}", line=number) from None
            self._entries[entry.query] = entry
        self._file.truncate(complete)
