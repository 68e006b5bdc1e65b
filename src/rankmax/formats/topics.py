"""Topics: the text of each query, as tab-separated lines, a table with named columns, or JSON lines."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, not_utf8
from rankmax.formats.parsing.json_line import json_object, shortened

_ID_KEYS = ("id", "qid", "query_id", "_id")
TEXT_KEYS = ("text", "query", "title")
"""Names of the column with the text of a query, in order of preference."""
ID_COLUMNS = (*_ID_KEYS, "query-id", "query")
"""Names of the column with the id of a query, in order of preference."""
_EXPECTED = "expected lines of id, tab, text, a table with columns id and text, or JSON lines"


def read_topics(path: str | os.PathLike[str]) -> dict[str, str]:
    r"""Read the text of each query, plain or gzip; blank lines are skipped.

    A file whose first line starts with a brace holds JSON lines, objects with ``id`` (or ``qid``, ``query_id``,
    ``_id``) and ``text`` (or ``query``, ``title``). A file whose first line names such columns is a table, CSV or
    tab-separated; the id may be called ``query-id`` there, too, or ``query`` beside a ``text``. Any other file holds
    lines of id, tab, text.

    Parameters
    ----------
    path : str or path-like
        File to read, plain or gzipped.

    Returns
    -------
    dict of str to str
        Text by query id, in the order of the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "topics.tsv")
    ...     _ = path.write_text("q1\twing flutter\nq2\theat transfer\n")
    ...     read_topics(path)
    {'q1': 'wing flutter', 'q2': 'heat transfer'}
    """
    topics: dict[str, str] = {}
    line_of: dict[str, int] = {}
    with open_binary(path) as file:
        lines = _Lines(file)
        try:
            for query_id, text in _topics(lines):
                if not query_id:
                    raise ValueError("the topic has no id")
                if query_id in line_of:
                    raise ValueError(f"topic {query_id!r} occurs twice, first in line {line_of[query_id]}")
                topics[query_id] = text
                line_of[query_id] = lines.number
        except UnicodeDecodeError as error:
            raise DataFormatError(path, not_utf8(error), line=lines.number) from None
        except csv.Error as error:
            raise DataFormatError(path, f"not a table: {error}", line=lines.number) from None
        except ValueError as error:
            raise DataFormatError(path, str(error), line=lines.number) from None
    if not topics:
        raise DataFormatError(path, f"empty file; {_EXPECTED}")
    return topics


class _Lines:
    """The lines of a text file, and the number of the last one read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for raw in self._file:
            self.number += 1
            # The codec utf-8-sig skips a byte order mark, which only the first line can have.
            line = raw.decode("utf-8-sig" if self.number == 1 else "utf-8")
            if "\0" in line:
                raise ValueError(f"binary file (null byte); {_EXPECTED}")
            yield line


def _topics(lines: _Lines) -> Iterator[tuple[str, str]]:
    rest = iter(lines)
    first = next((line for line in rest if line.strip()), "")
    is_json = first.lstrip().startswith("{")
    if not is_json and (columns := _columns(first)) is not None:
        yield from _table(first, rest, *columns)
        return
    parse = _parse_json if is_json else _parse_tabs
    for line in chain([first], rest):
        if line.strip():
            yield parse(line.rstrip("\r\n"))


def _columns(header: str) -> tuple[int, int] | None:
    """Return the places of the columns with the id and the text, or None if a first line does not name both."""
    names = [name.strip().strip('"').lower() for name in header.split(_delimiter(header))]
    query_id = next((name for name in ID_COLUMNS if name in names), None)
    text = next((name for name in TEXT_KEYS if name in names and name != query_id), None)
    return None if query_id is None or text is None else (names.index(query_id), names.index(text))


def _table(header: str, lines: Iterator[str], query_id: int, text: int) -> Iterator[tuple[str, str]]:
    rows = csv.reader(chain([header], lines), delimiter=_delimiter(header))
    width = len(next(rows))
    for cells in rows:
        if any(cells):
            if len(cells) != width:
                raise ValueError(f"expected {width} columns, found {len(cells)}; put a text with commas in quotes")
            yield cells[query_id].strip(), cells[text].strip()


def _delimiter(header: str) -> str:
    return "\t" if "\t" in header else ","


def _parse_tabs(line: str) -> tuple[str, str]:
    query_id, tab, text = line.partition("\t")
    if not tab:
        raise ValueError(f"expected id, tab, text, found {shortened(line)!r}")
    return query_id.strip(), text.strip()


def _parse_json(line: str) -> tuple[str, str]:
    fields = json_object(line)
    query_id, text = _field(fields, _ID_KEYS, str | int), _field(fields, TEXT_KEYS, str)
    return str(query_id).strip(), text.strip()


def _field(fields: dict[str, Any], keys: tuple[str, ...], kind: Any) -> Any:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, kind) and not isinstance(value, bool):
            return value
    raise ValueError(f"expected a JSON object with one of {', '.join(keys)}; it has {', '.join(fields) or 'nothing'}")
