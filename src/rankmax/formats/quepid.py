"""Quepid's CSV exports of judgments.

A case has the columns ``query,docid,rating``; a book has ``query,docid`` and a column for each judge, with empty cells
where a judge gave no rating.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping

from rankmax._io.files import atomic_writer
from rankmax.errors import DataFormatError, counted, not_utf8
from rankmax.formats.judgment_lists import Opinions, Ratings, folded, parse_rating, rated_queries, ratings_of
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.run_tables import GRADES, delimiter_of

_TEXTS, _DOCUMENTS = ("query", "query_text"), ("docid", "doc_id")
_FORMULA = ("-", "=", "+", "@")  # Quepid writes a blank before these, as spreadsheets would compute


def quepid_ratings(path: str | os.PathLike[str], content: bytes) -> Ratings | None:
    r"""Return the ratings of a CSV export of Quepid, or None if the first line is not that of one.

    Parameters
    ----------
    path : path
        File's name, for error messages.
    content : bytes

    Examples
    --------
    >>> quepid_ratings("book.csv", b"query,docid,Ann,Bob\nstar wars,11,3.0,2.0\nstar wars,12,,1.0\n")
    {'star wars': {'11': [3.0, 2.0], '12': [1.0]}}
    """
    opinions = quepid_opinions(path, content)
    return None if opinions is None else ratings_of(opinions)


def quepid_opinions(path: str | os.PathLike[str], content: bytes) -> Opinions | None:
    r"""Return the ratings of a CSV export of Quepid with their judges, or None if the first line is not that of one.

    Parameters
    ----------
    path : path
        File's name, for error messages.
    content : bytes

    Examples
    --------
    >>> quepid_opinions("book.csv", b"query,docid,Ann,Bob\nstar wars,11,3.0,2.0\nstar wars,12,,1.0\n")
    {'star wars': {'11': {'Ann': 3.0, 'Bob': 2.0}, '12': {'Bob': 1.0}}}
    """
    columns = _columns(content.lstrip().partition(b"\n")[0])
    if columns is None:
        return None
    delimiter, n_columns, query_column, document_column, judges = columns
    try:
        text = content.decode("utf-8-sig").lstrip()
    except UnicodeDecodeError as error:
        raise DataFormatError(path, not_utf8(error), line=1 + error.object.count(b"\n", 0, error.start)) from None
    skipped = content.count(b"\n", 0, len(content) - len(content.lstrip()))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    opinions: Opinions = {}
    try:
        next(reader)
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != n_columns:
                raise ValueError(f"{counted(len(cells), 'column', 'columns')}, the first line has {n_columns}")
            query, document = folded(cells[query_column]), cells[document_column].strip()
            given = {
                name: parse_rating(cells[column], query, document)
                for name, column in judges.items()
                if cells[column].strip()
            }
            if not given:  # a query without rated documents, or a document that nobody rated
                continue
            if not query or not document:
                raise ValueError("a rating without a query or a document")
            if document in opinions.setdefault(query, {}):
                raise ValueError(f"document {shortened(document)!r} occurs twice in query {shortened(query)!r}")
            opinions[query][document] = given
    except csv.Error as error:
        raise DataFormatError(path, f"not CSV: {error}", line=skipped + reader.line_num) from None
    except ValueError as error:
        raise DataFormatError(path, str(error), line=skipped + reader.line_num) from None
    return rated_queries(path, opinions)


def write_quepid(grades: Mapping[str, Mapping[str, int]], path: str | os.PathLike[str]) -> None:
    r"""Write Quepid's CSV of a case, ``query,docid,rating``, atomically; gzip for names ending in .gz.

    Parameters
    ----------
    grades : mapping
        ``{text of the query: {document: grade}}``.
    path : path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "case.csv")
    >>> write_quepid({"star wars": {"11": 3}}, path)
    >>> path.read_text()
    'query,docid,rating\nstar wars,11,3\n'
    """
    with atomic_writer(path) as file:
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["query", "docid", "rating"])
        for query, documents in grades.items():
            safe = f" {query}" if query.startswith(_FORMULA) else query
            writer.writerows([safe, document, grade] for document, grade in documents.items())
        file.write(text.getvalue().encode())


def _columns(first_line: bytes) -> tuple[str, int, int, int, dict[str, int]] | None:
    """Return delimiter, number of columns, and places of query, document and judges, or None for another table."""
    line = first_line.decode("utf-8-sig", errors="replace").strip()
    delimiter = delimiter_of(line) or ","
    try:
        shown = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return None
    names = [name.casefold().replace(" ", "_") for name in shown]
    query = next((names.index(name) for name in _TEXTS if name in names), None)
    document = next((names.index(name) for name in _DOCUMENTS if name in names), None)
    if query is None or document is None or {"qid", "query_id", "query-id"} & set(names):
        return None
    if names.count("rating") == 1:
        return delimiter, len(names), query, document, {"rating": names.index("rating")}
    if names[:2] == ["query", "docid"] and len(names) > 2 and not set(GRADES) & set(names):
        unique = [name if shown.count(name) == 1 else f"{name} ({i - 1})" for i, name in enumerate(shown)]
        return delimiter, len(names), query, document, {unique[column]: column for column in range(2, len(names))}
    return None
