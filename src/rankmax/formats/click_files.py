"""Click logs: tables with columns query, doc, position, clicked and count, and UBI events (User Behavior Insights)."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rankmax._io.files import open_binary, read_bytes, write_bytes
from rankmax.data.click_log import ClickLog, require_row
from rankmax.errors import DataFormatError, InvalidDataError, not_utf8
from rankmax.formats.judgment_lists import folded
from rankmax.formats.parsing.json_line import json_object, shortened
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

POSITIONS, CLICKED, COUNTS = ("position", "rank", "ordinal"), ("clicked", "click", "is_click"), ("count", "n", "times")
"""Names of the columns of a table of clicks."""
_YES, _NO = {"1", "true", "yes"}, {"0", "false", "no"}


def read_clicks(path: str | os.PathLike[str], *, ids: Mapping[str, str] | None = None) -> ClickLog:
    r"""Read clicks: a table (CSV, tab-separated, JSON lines), or UBI queries and events as JSON lines.

    A row of a table is a document at a position, from 1, that was shown and clicked (1) or not (0), as often as
    ``count`` says, or once. UBI has searches (``user_query``, ``query_id``, ``query_response_hit_ids``) and events
    whose ``action_name`` is click or impression, as exported from OpenSearch or in its bulk format; other events are
    skipped. A document that is clicked twice in a search counts once. Positions count from 0 if any ``ordinal`` is 0.

    Parameters
    ----------
    path : path
    ids : mapping of str to str, optional
        Id of each query's text, for UBI; searches for other texts are left out, as are those without a text.

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
        rows = _table(file)
    elif file.first_line().lstrip().startswith(b"{"):
        rows = _ubi(path, ids, left_out)
    else:
        raise DataFormatError(
            path, "expected columns query, doc, position, clicked and count, or UBI events as JSON lines"
        )
    try:
        return replace(ClickLog.from_rows(rows), left_out=len(left_out))
    except InvalidDataError as error:
        others = f" ({len(left_out):,} searches have no user_query in the file, or none of the topics)"
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


def _table(file: ColumnFile) -> Iterator[tuple[str, str, int, bool, float]]:
    wanted = {"queries": QUERIES, "documents": DOCUMENTS, "positions": POSITIONS, "clicks": CLICKED}
    if has_column(file, COUNTS):
        wanted["counts"] = COUNTS
    for number, (query, document, position, clicked, *count) in table_rows(file, wanted) or ():
        try:
            word = str(clicked).strip().casefold()
            if word not in _YES | _NO:
                raise ValueError(f"clicked is {shortened(word)!r}; expected 1 or 0, with the number of times in count")
            query_id, document_id = identifier("query", query), identifier("document", document)
            place = whole_number(position)
            times = finite_number(count[0]) if count else 1.0
            require_row(query_id, document_id, place, times)
            yield query_id, document_id, place, word in _YES, times
        except ValueError as error:
            raise DataFormatError(file.path, str(error), line=number) from None


def _ubi(
    path: str | os.PathLike[str], ids: Mapping[str, str] | None, left_out: list[str]
) -> Iterator[tuple[str, str, int, bool, float]]:
    """Yield rows of UBI's events, and add the searches whose query is unknown to `left_out`."""
    texts: dict[str, str] = {}
    shown: dict[str, dict[str, int]] = {}  # position of each document, by search
    hits: dict[str, dict[str, int]] = {}
    clicked: dict[str, dict[str, int | None]] = {}
    for number, fields in _objects(path):
        try:
            search = str(fields.get("query_id") or "")
            if search and isinstance(fields.get("user_query"), str):
                texts.setdefault(search, folded(fields["user_query"]))
            if isinstance(fields.get("query_response_hit_ids"), list):
                hits[search] = {str(one): k for k, one in reversed([*enumerate(fields["query_response_hit_ids"])])}
            action = fields.get("action_name")
            if action not in ("click", "impression"):
                continue
            attributes = fields.get("event_attributes")
            document, ordinal = _object(attributes if isinstance(attributes, dict) else {})
            if not search or not document:
                raise ValueError(f"{action} without query_id or event_attributes.object.object_id")
            if action == "click":
                clicked.setdefault(search, {}).setdefault(document, ordinal)
            elif ordinal is not None:
                shown.setdefault(search, {})[document] = ordinal
        except ValueError as error:
            raise DataFormatError(path, str(error), line=number) from None
    ordinals = [k for of in shown.values() for k in of.values()]
    ordinals += [k for of in clicked.values() for k in of.values() if k is not None]
    first = 1 if ordinals and min(ordinals) > 0 else 0
    for search in dict.fromkeys([*shown, *hits, *clicked]):
        query = _query_of(path, search, texts, ids)
        if query is None:
            left_out.append(search)
            continue
        seen = {d: k - first for d, k in shown[search].items()} if search in shown else dict(hits.get(search, {}))
        for document, ordinal in clicked.get(search, {}).items():
            if document not in seen and ordinal is None:
                raise DataFormatError(path, f"a click on {shortened(document)!r} in search {search} has no position")
            seen.setdefault(document, (ordinal or 0) - first)
        for document, place in seen.items():
            yield query, document, place + 1, document in clicked.get(search, {}), 1.0


def _query_of(
    path: str | os.PathLike[str], search: str, texts: Mapping[str, str], ids: Mapping[str, str] | None
) -> str | None:
    text = texts.get(search, "")
    if not text:
        return None
    if ids is not None:
        return ids.get(text)
    if len(text.split()) != 1:
        raise DataFormatError(
            path,
            f"query {shortened(text)!r} is a text, and runs name queries by ids: rankmax data clicks {os.fspath(path)} "
            "clicks.csv --topics topics.tsv takes them from topics",
        )
    return text


def _object(attributes: dict[str, Any]) -> tuple[str, int | None]:
    """Return the id of the document of an event, and its ordinal."""
    item, position = attributes.get("object"), attributes.get("position")
    document = str(item.get("object_id") or "") if isinstance(item, dict) else ""
    ordinal = position.get("ordinal") if isinstance(position, dict) else None
    if ordinal is not None and (isinstance(ordinal, bool) or not isinstance(ordinal, int) or ordinal < 0):
        raise ValueError(f"ordinal {shortened(repr(ordinal))} is not a whole number from 0 on")
    return document, ordinal


def _objects(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their line numbers, without the lines of bulk requests and envelopes."""
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                if not line:
                    continue
                fields = json_object(line)
            except UnicodeDecodeError as error:
                raise DataFormatError(path, not_utf8(error), line=number) from None
            except ValueError as error:
                raise DataFormatError(path, str(error), line=number) from None
            source = fields.get("_source")
            if isinstance(source, dict):
                fields = source
            if len(fields) == 1 and next(iter(fields)) in ("index", "create"):
                continue
            yield number, fields
