"""Columns of a table of topics: properties of queries besides their text."""

from __future__ import annotations

import csv
import io
import os

from rankmax._io.files import read_bytes
from rankmax.errors import DataFormatError, UnknownNameError, not_utf8
from rankmax.formats.parsing.json_line import json_object
from rankmax.formats.topics import ID_COLUMNS, TEXT_KEYS, read_topics

QUERY_LENGTH = "query_length"
"""Column that every file of topics has: the number of words of the query."""


def read_query_column(path: str | os.PathLike[str], column: str) -> dict[str, str]:
    r"""Read one column of a table of topics, as text by query.

    The file holds JSON lines, objects with ``id`` (or ``qid``, ``query_id``, ``query-id``, ``_id``, ``query``) and the
    column; or a CSV or tab-separated table whose first line names the columns, with the same names for the id; or, for
    ``query_length``, topics as :func:`~rankmax.formats.topics.read_topics` reads them. Words are counted in the column
    ``text`` (or ``query`` beside another id, ``title``).

    Parameters
    ----------
    path : path
    column : str
        Name of the column. ``query_length`` is the number of words of a query, unless a column has that name.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "topics.tsv")
    ...     _ = path.write_text("q1\twing flutter\nq2\theat\n")
    ...     read_query_column(path, "query_length")
    {'q1': '2', 'q2': '1'}
    """
    rows, known, is_json = _rows(path)
    if column in known:
        return _values(path, rows, column)
    if column != QUERY_LENGTH:
        raise UnknownNameError(f"column of {os.fspath(path)}", column, [*known, QUERY_LENGTH])
    words = read_topics(path) if is_json or not _is_header(known) else _values(path, rows, _text_column(path, known))
    return {query: str(len(text.split())) for query, text in words.items()}


def read_query_rows(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    r"""Read all that a table of topics says of each query: its text, under "text", and the other columns.

    Parameters
    ----------
    path : path
        As in :func:`read_query_column`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "topics.tsv")
    ...     _ = path.write_text("id\ttitle\tclicks\nq1\twing flutter\t7\n")
    ...     read_query_rows(path)
    {'q1': {'text': 'wing flutter', 'clicks': '7'}}
    """
    rows, known, is_json = _rows(path)
    if not is_json and not _is_header(known):
        return {query: {"text": text} for query, text in read_topics(path).items()}
    text = next((key for key in TEXT_KEYS if key in known and (key != "query" or _has_id(known))), None)
    found: dict[str, dict[str, str]] = {}
    for line, row in rows:
        key = next((key for key in ID_COLUMNS if row.get(key) and key != text), None)
        if key is None:
            raise DataFormatError(path, f"names no query: expected one of {', '.join(ID_COLUMNS)}", line=line)
        if row[key] in found:
            raise DataFormatError(path, f"query {row[key]!r} occurs twice", line=line)
        found[row[key]] = {("text" if name == text else name): value for name, value in row.items() if name != key}
    return found


def _rows(path: str | os.PathLike[str]) -> tuple[list[tuple[int, dict[str, str]]], list[str], bool]:
    """Return the lines by column name, the names of all columns, and whether the file holds JSON lines."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFormatError(path, not_utf8(error)) from None
    is_json = text.lstrip().startswith("{")
    rows = _json_rows(path, text) if is_json else _table_rows(path, text)
    return rows, list(dict.fromkeys(name for _, row in rows for name in row)), is_json


def _values(path: str | os.PathLike[str], rows: list[tuple[int, dict[str, str]]], column: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line, row in rows:
        key = next((key for key in ID_COLUMNS if row.get(key) and key != column), None)
        if key is None:
            raise DataFormatError(path, f"names no query: expected one of {', '.join(ID_COLUMNS)}", line=line)
        if not row.get(column):
            raise DataFormatError(path, f"query {row[key]!r} has no {column!r}", line=line)
        if row[key] in values:
            raise DataFormatError(path, f"query {row[key]!r} occurs twice", line=line)
        values[row[key]] = row[column]
    return values


def _is_header(names: list[str]) -> bool:
    """Return whether a first line names columns of topics; "query" behind an id may be the text of a topic."""
    return _has_id(names) or names[:1] == ["query"] or {"query", "text"} <= set(names)


def _has_id(names: list[str]) -> bool:
    """Return whether a column holds ids besides "query", which is the id only where there is no other."""
    return any(key in names for key in ID_COLUMNS[:-1])


def _text_column(path: str | os.PathLike[str], names: list[str]) -> str:
    """Return the name of the column with the text of the queries."""
    found = next((key for key in TEXT_KEYS if key in names and (key != "query" or _has_id(names))), None)
    if found is None:
        raise DataFormatError(
            path, f"no column has the text of the queries, whose words are counted: expected {' or '.join(TEXT_KEYS)}"
        )
    return found


def _json_rows(path: str | os.PathLike[str], text: str) -> list[tuple[int, dict[str, str]]]:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            fields = json_object(line)
        except ValueError as error:
            raise DataFormatError(path, str(error), line=number) from None
        rows.append((number, {key: str(value) for key, value in fields.items() if value is not None}))
    return rows


def _table_rows(path: str | os.PathLike[str], text: str) -> list[tuple[int, dict[str, str]]]:
    """Return the lines below the first, by column name; nothing unless the first line names a column of ids."""
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next(lines, [])
        if not set(header) & set(ID_COLUMNS):
            return []
        return [(lines.line_num, dict(zip(header, cells, strict=False))) for cells in lines if cells]
    except csv.Error as error:
        raise DataFormatError(path, f"not a table: {error}", line=lines.line_num) from None
