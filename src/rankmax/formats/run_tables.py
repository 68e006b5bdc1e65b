r"""Runs and qrels as tables with named columns: CSV, tab-separated, JSON lines or Parquet.

A table is told from TREC's format by its content: its first line names a column for the query, one for the document and
one for the score or grade, in any order, among any others. BEIR's qrels are such a table::

    query-id        corpus-id       score
    q1      d7      2
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from rankmax.data.query_documents import check_ids
from rankmax.errors import DataFormatError, InvalidDataError, counted, not_utf8
from rankmax.formats.parsing import numbers
from rankmax.formats.parsing.json_line import json_object, shortened
from rankmax.formats.parsing.text_columns import ColumnFile

_Number = TypeVar("_Number", int, float)
_Row: TypeAlias = tuple[Any, ...]  # a cell of each wanted column
_Wanted: TypeAlias = Mapping[str, Sequence[str]]  # accepted names of each column, by what it holds

# Ids come before texts: tables of other programs have the query's words next to its id.
QUERIES = ("qid", "query_id", "queryid", "q_id", "topic_id", "topicid", "topic", "query")
"""Names of the query column, in order of preference; - or a blank may replace _."""
DOCUMENTS = (
    *("docno", "doc_id", "docid", "document_id", "documentid", "corpus_id", "passage_id", "pid", "did"),
    *("doc", "document", "passage"),
)
"""Names of the document column."""
SCORES = ("score", "sim", "similarity")
"""Names of the score column of a run."""
GRADES = ("grade", "label", "relevance", "rel", "judgment", "judgement", "rating", "score")
"""Names of the grade column."""

_PARQUET = b"PAR1"
_DELIMITERS = "\t,;"  # spreadsheets write semicolons where a comma is in numbers
_JSON_LINES = (".jsonl", ".ndjson")
_CUT = re.compile(r"[\x00-\x20\ud800-\udfff]")  # characters that no identifier contains
_WHOLE = re.compile(r"\s*[+-]?[0-9]+(\.0*)?\s*", re.ASCII)


def read_table(
    file: ColumnFile, values: Sequence[str], kind: str, convert: Callable[[Any], _Number]
) -> dict[str, dict[str, _Number]] | None:
    r"""Return ``{query: {document: value}}`` if a file's content is a table, otherwise None.

    Parameters
    ----------
    file : ColumnFile
        File opened as for TREC's format.
    values : sequence of str
        Accepted names of the value column.
    kind : str
        Name of a value in error messages.
    convert : callable
        Converts a cell to a number, or raises a ValueError with the reason why it cannot.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "qrels.tsv")
    >>> _ = path.write_text("query-id\tcorpus-id\tscore\nq1\td7\t2\n")
    >>> read_table(ColumnFile(path, ["query", "iteration", "document", "grade"]), GRADES, "grade", whole_number)
    {'q1': {'d7': 2}}
    """
    rows = table_rows(file, {"queries": QUERIES, "documents": DOCUMENTS, f"{kind}s": values})
    if rows is None:
        return None
    nested: dict[str, dict[str, _Number]] = {}
    for number, (query_cell, document_cell, value) in rows:
        try:
            query, document = identifier("query", query_cell), identifier("document", document_cell)
            documents = nested.setdefault(query, {})
            if document in documents:
                raise ValueError(f"document {shortened(document)!r} occurs twice in query {shortened(query)!r}")
            if value is None or not str(value).strip():
                raise ValueError(f"document {shortened(document)!r} has no {kind}: fill it in, or leave the line out")
            try:
                documents[document] = convert(value)
            except ValueError as error:
                raise ValueError(f"{kind} {shortened(str(value))!r} is {error}") from None
        except ValueError as error:
            raise DataFormatError(file.path, str(error), line=number) from None
    if not nested:
        raise DataFormatError(file.path, "no line with a document below the names of the columns")
    return nested


def whole_number(cell: Any) -> int:
    """Return the integer in a cell, of at most 64 bits.

    Parameters
    ----------
    cell : str or number

    Examples
    --------
    >>> whole_number("2"), whole_number(1.0)
    (2, 1)
    """
    if isinstance(cell, str) and _WHOLE.fullmatch(cell) and len(cell) < 100:
        cell = int(cell.partition(".")[0])
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, bool) or not isinstance(cell, int):
        raise ValueError("not an integer")
    if not -(2**63) <= cell < 2**63:
        raise ValueError("an integer of more than 64 bits")
    return cell


def finite_number(cell: Any) -> float:
    """Return the finite number in a cell.

    Parameters
    ----------
    cell : str or number

    Examples
    --------
    >>> finite_number("-1.5e3"), finite_number(2)
    (-1500.0, 2.0)
    """
    if isinstance(cell, str):
        return numbers.finite_number(cell)
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise ValueError("not a finite number")
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def has_column(file: ColumnFile, known: Sequence[str]) -> bool:
    """Return whether the first line of a CSV, a tab-separated table or JSON lines names one of some columns.

    Parameters
    ----------
    file : ColumnFile
    known : sequence of str
    """
    line = file.first_line().decode(errors="replace").strip()
    names = _json_keys(line) if line.startswith("{") else _split(line, delimiter_of(line))
    return _first([_plain(name) for name in names], known) is not None


def delimiter_of(line: str) -> str | None:
    """Return what separates the cells of a table's first line; None for blanks.

    Parameters
    ----------
    line : str

    Examples
    --------
    >>> delimiter_of("query;doc;grade")
    ';'
    """
    return next((one for one in _DELIMITERS if one in line), None)


def table_rows(file: ColumnFile, wanted: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, tuple[Any, ...]]] | None:
    r"""Return the cells of some columns with their line numbers, or None if a file's content is not a table.

    Parameters
    ----------
    file : ColumnFile
    wanted : mapping of str to sequence of str
        Accepted names of each column, by what it holds. The first two are of queries and documents.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ratings.csv")
    >>> _ = path.write_text("judge,query,doc,grade\nann,q1,d7,2\n")
    >>> columns = {"queries": QUERIES, "documents": DOCUMENTS, "judges": ("judge",), "grades": GRADES}
    >>> list(table_rows(ColumnFile(path, ["query", "iteration", "document", "grade"]), columns))
    [(2, ('q1', 'd7', 'ann', '2'))]
    """
    head = file.first_line()
    if head.startswith(_PARQUET):
        return _parquet_rows(file, wanted)
    line = head.decode(errors="replace").strip()
    if os.fspath(file.path).lower().removesuffix(".gz").endswith(_JSON_LINES) or _is_json_row(line):
        return _json_rows(file, wanted)
    delimiter = delimiter_of(line)
    names = [_plain(name) for name in _split(line, delimiter)]
    if _places(names, wanted) is not None:
        return _text_rows(file, delimiter, wanted)
    looks_so = delimiter == "," or (_first(names, QUERIES) is not None and _first(names, DOCUMENTS) is not None)
    if looks_so and len(line.split()) != len(file.columns):
        raise DataFormatError(file.path, _no_columns(names, wanted), line=1)
    return None


def _text_rows(file: ColumnFile, delimiter: str | None, wanted: _Wanted) -> Iterator[tuple[int, _Row]]:
    try:
        text = file.content().decode()
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise DataFormatError(file.path, not_utf8(error), line=line) from None
    lines = ((number, cells) for number, cells in _lines(file, text, delimiter) if any(cells))
    number, header = next(lines)
    names = [_plain(name) for name in header]
    places = _places(names, wanted) or ()
    repeated = {names[place] for place in places if names.count(names[place]) > 1}
    if repeated:
        raise DataFormatError(file.path, f"several columns are named {', '.join(sorted(repeated))}", line=number)
    for number, cells in lines:
        if len(cells) != len(header):
            wrong = f"{counted(len(cells), 'column', 'columns')}, the first line has {len(header)}"
            raise DataFormatError(file.path, wrong, line=number)
        yield number, tuple(cells[place] for place in places)


def _lines(file: ColumnFile, text: str, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    if delimiter is None:
        for number, line in enumerate(text.split("\n"), 1):
            yield number, line.split()
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise DataFormatError(file.path, f"not CSV: {error}", line=reader.line_num) from None


def _json_rows(file: ColumnFile, wanted: _Wanted) -> Iterator[tuple[int, _Row]]:
    keys: tuple[str, ...] = ()
    places: tuple[int, ...] | None = None
    for number, line in enumerate(io.BytesIO(file.content()), 1):
        if not line.strip():
            continue
        try:
            fields = json_object(line.decode())
        except ValueError as error:  # including invalid UTF-8
            raise DataFormatError(file.path, str(error), line=number) from None
        if places is None or tuple(fields) != keys:
            keys = tuple(fields)
            names = [_plain(key) for key in keys]
            places = _places(names, wanted)
            if places is None:
                raise DataFormatError(file.path, _no_columns(names, wanted), line=number)
        cells = list(fields.values())
        yield number, tuple(cells[place] for place in places)


def _parquet_rows(file: ColumnFile, wanted: _Wanted) -> Iterator[tuple[int, _Row]]:
    from rankmax.formats.parquet import read_columns

    def choose(names: Sequence[str]) -> list[str]:
        places = _places([_plain(name) for name in names], wanted)
        if places is None:
            raise InvalidDataError(_no_columns(names, wanted))
        return [names[place] for place in places]

    columns = read_columns(file.path, file.content().removesuffix(b"\n"), choose)
    return enumerate(zip(*columns, strict=True), 1)


def _is_json_row(line: str) -> bool:
    return line.startswith("{") and _first([_plain(key) for key in _json_keys(line)], QUERIES) is not None


def _json_keys(line: str) -> list[str]:
    try:
        return list(json.loads(line))
    except (ValueError, RecursionError):
        return []


def _split(line: str, delimiter: str | None) -> list[str]:
    try:
        return line.split() if delimiter is None else next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # then it is not the first line of a table
        return []


def _plain(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def _first(names: Sequence[str], known: Iterable[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


def _places(names: Sequence[str], wanted: _Wanted) -> tuple[int, ...] | None:
    """Return the positions of the wanted columns, or None if one is missing."""
    found = [_first(names, known) for known in wanted.values()]
    places = tuple(place for place in found if place is not None)
    return places if len(places) == len(found) else None


def _no_columns(names: Sequence[str], wanted: _Wanted) -> str:
    found = [_plain(name) for name in names]
    what, known = next((what, known) for what, known in wanted.items() if _first(found, known) is None)
    listed = shortened(", ".join(names)) or "nothing"
    return f"no column of {what}: expected one called {', '.join(known)}; found {listed}"


def identifier(kind: str, cell: Any) -> str:
    """Return the id in a cell, or raise an error that says why it is none.

    Parameters
    ----------
    kind : str
        Word for the message, such as "query".
    cell : str or int

    Examples
    --------
    >>> identifier("query", 7)
    '7'
    """
    if isinstance(cell, int) and not isinstance(cell, bool):
        cell = str(cell)
    if not isinstance(cell, str):
        raise ValueError(f"the {kind} is {shortened(repr(cell))}; expected text or a whole number")
    if not cell or _CUT.search(cell):
        check_ids(f"{kind} id", [cell])
    return cell
