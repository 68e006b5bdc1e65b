"""Click logs: tables with columns query, doc, position, clicked and count, and UBI events (User Behavior Insights)."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from rankmax._io.files import read_bytes, write_bytes
from rankmax.data.click_log import ClickLog, require_row
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.judgment_lists import IdsByText, folded
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.parsing.text_columns import ColumnFile
from rankmax.formats.run_tables import (
    DOCUMENTS,
    QUERIES,
    finite_number,
    has_column,
    identifier,
    table_rows,
    whole_number,
)
from rankmax.formats.ubi_events import SEVERAL_TOPICS, LeftOut, query_of_text, ubi_rows

POSITIONS, CLICKED, COUNTS = ("position", "rank", "ordinal"), ("clicked", "click", "is_click"), ("count", "n", "times")
SEARCHES = ("search", "search_id", "session", "session_id")
"""Names of the columns of a table of clicks."""
_Of = TypeVar("_Of")
_YES, _NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


def read_clicks(path: str | os.PathLike[str], *, ids: Mapping[str, str] | None = None) -> ClickLog:
    r"""Read clicks: a table (CSV, tab-separated, JSON lines), or UBI queries and events as JSON lines.

    A row of a table is a document at a position, from 1, that was shown and clicked (1) or not (0), as often as
    ``count`` says, or once; equal rows add up. With a column ``search``, an id, it is known which clicks are of one
    search; then a row that is repeated in a search counts once, clicked if any is, and ``count`` says how often there
    was such a search. UBI has searches (``user_query``, ``query_id``,
    ``query_response_hit_ids``) and events whose ``action_name`` is click, item_click, onclick or impression, as
    exported from OpenSearch or in its bulk format; other events are skipped. A document that is clicked twice in a
    search counts once. Ordinals of impressions count from 0 if any is 0.

    Parameters
    ----------
    path : path
    ids : mapping of str to str, optional
        Id of each query's text; searches for other texts are left out, as are those of UBI without a text, or with
        neither hits nor impressions, whose results are unknown, and clicks on what their search did not show.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "clicks.csv")
    >>> _ = path.write_text("query,doc,position,clicked,count\nq1,d1,1,1,3\nq1,d1,1,0,7\n")
    >>> read_clicks(path).clicks
    array([3.])
    """
    file = _columns(path)
    left_out = LeftOut()
    try:
        if has_column(file, CLICKED):
            if has_column(file, SEARCHES):
                log = ClickLog.from_searches(_table(file, ids, left_out, SEARCHES))
            else:
                log = ClickLog.from_rows(row[1:] for row in _table(file, ids, left_out, QUERIES))
        elif file.first_line().lstrip().startswith((b"{", b"[")):
            log = ClickLog.from_searches(ubi_rows(path, ids, left_out))
        else:
            kind = "binary file, or not UTF-8: " if b"\0" in file.first_line() else ""
            raise DataFormatError(
                path, f"{kind}expected columns query, doc, position, clicked and count, or UBI events as JSON lines"
            )
    except InvalidDataError as error:
        others = f" (left out {'; '.join(left_out.messages)})" if left_out.messages else ""
        raise DataFormatError(path, f"{error}{others}") from None
    return replace(log, left_out=left_out.messages)


def is_click_table(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a table with a column of clicks, rather than UBI events.

    Parameters
    ----------
    path : path
    """
    return has_column(_columns(path), CLICKED)


def write_click_table(log: ClickLog, path: str | os.PathLike[str]) -> None:
    """Write clicks as a table with columns query, doc, position, clicked and count, and search if known, atomically.

    Parameters
    ----------
    log : ClickLog
    path : path
    """
    assert log.document_ids is not None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = ("query", "doc", "position", "clicked", "count")
    writer.writerow(columns if log.searches is None else (*columns, "search"))
    documents, query_of_document = log.document_ids.to_list(), log.query_of_document.tolist()
    for pair, position, clicked, count, *search in _cells(log):
        query = log.query_ids[query_of_document[pair]]
        writer.writerow((query, documents[pair], position, int(clicked), f"{count:.12g}", *search))
    write_bytes(path, text.getvalue().encode())


def _cells(log: ClickLog) -> Iterator[tuple[Any, ...]]:
    if log.searches is not None:
        number = np.repeat(np.arange(1, len(log.searches) + 1), np.diff(log.searches.offsets))
        yield from zip(*(column.tolist() for column in (*log.searches.rows(), number)), strict=True)
        return
    columns = (log.pairs, log.positions, log.shown, log.clicks)
    for pair, position, shown, clicks in zip(*(column.tolist() for column in columns), strict=True):
        for clicked, count in ((True, clicks), (False, shown - clicks)):
            if count:
                yield pair, position, clicked, count


def read_propensities(path: str | os.PathLike[str]) -> list[float]:
    r"""Read propensities: a number for each position, from the first on, one on a line or separated by commas.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "propensities.txt")
    >>> _ = path.write_text("1\n0.5\n")
    >>> read_propensities(path)
    [1.0, 0.5]
    """
    values = []
    for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
        for cell in line.replace(",", " ").split():
            try:
                values.append(finite_number(cell))
            except ValueError as error:
                raise DataFormatError(path, f"propensity {shortened(cell)!r} is {error}", line=number) from None
    if not values:
        raise DataFormatError(path, "holds no numbers; expected a propensity for each position")
    return values


def _columns(path: str | os.PathLike[str]) -> ColumnFile:
    return ColumnFile(path, ("query", "document", "position", "clicked"))


def _table(
    file: ColumnFile, ids: Mapping[str, str] | None, left_out: LeftOut, searches: Sequence[str]
) -> Iterator[tuple[str, str, str, int, bool, float]]:
    wanted = {"queries": QUERIES, "documents": DOCUMENTS, "positions": POSITIONS, "clicks": CLICKED}
    wanted["searches"] = tuple(searches)
    if has_column(file, COUNTS):
        wanted["counts"] = COUNTS
    unknown = set()
    for number, (query, document, position, clicked, search, *count) in table_rows(file, wanted) or ():
        try:
            word = str(clicked).strip().casefold()
            if word not in _YES | _NO:
                raise ValueError(f"clicked is {shortened(word)!r}; expected 1 or 0, with the number of times in count")
            text = query.strip() or query if isinstance(query, str) else identifier("query", query)
            query_id, document_id = query_of_text(file.path, text, ids), identifier("document", document)
            place = _number("position", position, whole_number)
            times = _number("count", count[0], finite_number) if count else 1.0
            if search is None or not str(search).strip():
                raise ValueError("the search is empty; give the id of each search, or leave the column out")
            if query_id is None:
                if text not in unknown:
                    several = isinstance(ids, IdsByText) and ids.is_ambiguous(folded(text))
                    left_out.add("query", SEVERAL_TOPICS if several else "their text is not in the topics")
                unknown.add(text)
                continue
            require_row(query_id, document_id, place, times)
            yield str(search), query_id, document_id, place, word in _YES, times
        except ValueError as error:
            raise DataFormatError(file.path, str(error), line=number) from None


def _number(name: str, cell: Any, convert: Callable[[Any], _Of]) -> _Of:
    try:
        return convert(cell)
    except ValueError as error:
        raise ValueError(f"{name} {shortened(str(cell))!r} is {error}") from None
