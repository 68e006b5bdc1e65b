"""Click logs: tables with columns query, doc, position, clicked and count, and UBI events (User Behavior Insights)."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from rankmax._io.files import read_bytes, write_bytes
from rankmax.data.click_log import LEFT_OUT, ClickLog, require_row
from rankmax.errors import DataFormatError, InvalidDataError, counted
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
from rankmax.formats.ubi_events import query_of_text, ubi_rows

POSITIONS, CLICKED, COUNTS = ("position", "rank", "ordinal"), ("clicked", "click", "is_click"), ("count", "n", "times")
"""Names of the columns of a table of clicks."""
_Of = TypeVar("_Of")
_YES, _NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


def read_clicks(path: str | os.PathLike[str], *, ids: Mapping[str, str] | None = None) -> ClickLog:
    r"""Read clicks: a table (CSV, tab-separated, JSON lines), or UBI queries and events as JSON lines.

    A row of a table is a document at a position, from 1, that was shown and clicked (1) or not (0), as often as
    ``count`` says, or once; equal rows add up. UBI has searches (``user_query``, ``query_id``,
    ``query_response_hit_ids``) and events whose ``action_name`` is click, item_click, onclick or impression, as
    exported from OpenSearch or in its bulk format; other events are skipped. A document that is clicked twice in a
    search counts once. Positions count from 0 if any ``ordinal`` is 0.

    Parameters
    ----------
    path : path
    ids : mapping of str to str, optional
        Id of each query's text; searches for other texts are left out, as are those of UBI without a text, or with
        neither hits nor impressions, whose results are unknown.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "clicks.csv")
    >>> _ = path.write_text("query,doc,position,clicked,count\nq1,d1,1,1,3\nq1,d1,1,0,7\n")
    >>> read_clicks(path).clicks
    array([3.])
    """
    file = _columns(path)
    left_out: list[str] = []
    if has_column(file, CLICKED):
        rows = _table(file, ids, left_out)
    elif file.first_line().lstrip().startswith((b"{", b"[")):
        rows = ubi_rows(path, ids, left_out)
    else:
        kind = "binary file, or not UTF-8: " if b"\0" in file.first_line() else ""
        raise DataFormatError(
            path, f"{kind}expected columns query, doc, position, clicked and count, or UBI events as JSON lines"
        )
    try:
        return replace(ClickLog.from_rows(rows), left_out=len(left_out))
    except InvalidDataError as error:
        others = f" (left out {counted(len(left_out), 'search', 'searches')}: {LEFT_OUT})"
        raise DataFormatError(path, f"{error}{others if left_out else ''}") from None


def is_click_table(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a table with a column of clicks, rather than UBI events.

    Parameters
    ----------
    path : path
    """
    return has_column(_columns(path), CLICKED)


def write_click_table(log: ClickLog, path: str | os.PathLike[str]) -> None:
    """Write clicks as a table with columns query, doc, position, clicked and count, atomically.

    Parameters
    ----------
    log : ClickLog
    path : path
    """
    assert log.document_ids is not None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("query", "doc", "position", "clicked", "count"))
    cells = zip(log.pairs.tolist(), log.positions.tolist(), log.shown.tolist(), log.clicks.tolist(), strict=True)
    query_of_document = log.query_of_document.tolist()
    for pair, position, shown, clicks in cells:
        for clicked, count in ((1, clicks), (0, shown - clicks)):
            if count:
                query = log.query_ids[query_of_document[pair]]
                writer.writerow((query, log.document_ids[pair], position, clicked, f"{count:.12g}"))
    write_bytes(path, text.getvalue().encode())


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
    file: ColumnFile, ids: Mapping[str, str] | None, left_out: list[str]
) -> Iterator[tuple[str, str, int, bool, float]]:
    wanted = {"queries": QUERIES, "documents": DOCUMENTS, "positions": POSITIONS, "clicks": CLICKED}
    if has_column(file, COUNTS):
        wanted["counts"] = COUNTS
    unknown: dict[str, None] = {}
    for number, (query, document, position, clicked, *count) in table_rows(file, wanted) or ():
        try:
            word = str(clicked).strip().casefold()
            if word not in _YES | _NO:
                raise ValueError(f"clicked is {shortened(word)!r}; expected 1 or 0, with the number of times in count")
            text = query.strip() or query if isinstance(query, str) else identifier("query", query)
            query_id, document_id = query_of_text(file.path, text, ids), identifier("document", document)
            place = _number("position", position, whole_number)
            times = _number("count", count[0], finite_number) if count else 1.0
            if query_id is None:
                unknown.setdefault(text)
                continue
            require_row(query_id, document_id, place, times)
            yield query_id, document_id, place, word in _YES, times
        except ValueError as error:
            raise DataFormatError(file.path, str(error), line=number) from None
    left_out += unknown


def _number(name: str, cell: Any, convert: Callable[[Any], _Of]) -> _Of:
    try:
        return convert(cell)
    except ValueError as error:
        raise ValueError(f"{name} {shortened(str(cell))!r} is {error}") from None
