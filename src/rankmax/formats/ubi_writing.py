"""Writing clicks as the searches and events of UBI (User Behavior Insights), in version 1.3.0 of its schema."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankmax._io.files import atomic_writer
from rankmax.data.click_log import ClickLog
from rankmax.errors import IncompatibleError, InvalidDataError, counted

MOST_SEARCHES = 10_000_000
"""Searches that are written: a click log with more should be loaded where it is from."""
_UNKNOWN_TIME = "1970-01-01T00:00:00Z"  # the schema asks for a time, and a table of clicks has none
_LINES = 10_000  # written at a time


def write_ubi(
    log: ClickLog, path: str | os.PathLike[str], *, texts: Mapping[str, str] | None = None, bulk: bool = False
) -> int:
    r"""Write each search and its events as JSON lines, atomically, and return the number of searches.

    A search has a ``query_id``, the text ``user_query`` and, if it showed documents from the first position on without
    a gap, ``query_response_hit_ids``. Events are an ``impression`` of each document with its position, from 1, and a
    ``click`` on each that was clicked. All have the time 1970-01-01, as clicks say nothing of theirs.

    Parameters
    ----------
    log : ClickLog
        With the clicks of each search.
    path : path
    texts : mapping of str to str, optional
        Text of each query; by default its id.
    bulk : bool, default False
        Write each object below the line that tells OpenSearch's bulk API its index, ubi_queries or ubi_events.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ubi.jsonl")
    >>> log = ClickLog.from_searches([("s1", "q1", "d1", 1, False, 1), ("s1", "q1", "d2", 2, True, 1)])
    >>> write_ubi(log, path, texts={"q1": "desk lamp"})
    1
    >>> [json.loads(line).get("action_name", "search") for line in path.read_text().splitlines()]
    ['search', 'impression', 'impression', 'click']
    """
    if log.searches is None:
        raise IncompatibleError(
            "UBI has the clicks of each search, and this table of clicks does not say which are of one search: add a "
            "column search with the id of each search"
        )
    counts = log.searches.counts
    if not (counts == np.floor(counts)).all():
        raise InvalidDataError(f"UBI has a record for each search, and one has the count {counts[counts % 1 > 0][0]:g}")
    n_searches = int(counts.sum())
    if n_searches > MOST_SEARCHES:
        raise InvalidDataError(f"{counted(n_searches, 'search', 'searches')}; at most {MOST_SEARCHES:,} are written")
    with atomic_writer(path) as file:
        lines: list[str] = []
        for index, fields in _records(log, texts):
            if bulk:
                lines.append(json.dumps({"index": {"_index": index}}))
            lines.append(json.dumps(fields, ensure_ascii=False))
            if len(lines) >= _LINES:
                file.write(("\n".join(lines) + "\n").encode())
                lines.clear()
        if lines:
            file.write(("\n".join(lines) + "\n").encode())
    return n_searches


def _records(log: ClickLog, texts: Mapping[str, str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the index and the fields of each search, followed by its events."""
    assert log.searches is not None
    assert log.document_ids is not None
    searches, documents = log.searches, log.document_ids.to_list()
    ends, pairs, positions, clicked = (
        column.tolist() for column in (searches.offsets, searches.pairs, searches.positions, searches.clicked)
    )
    queries = log.query_of_document[searches.pairs[searches.offsets[:-1]]].tolist()
    number = 0
    for s, count in enumerate(searches.counts.astype(np.int64).tolist()):
        query = log.query_ids[queries[s]]
        rows = range(ends[s], ends[s + 1])
        shown = [(documents[pairs[row]], positions[row]) for row in rows]
        hits = [document for document, _ in shown]
        for _ in range(count):
            number += 1
            search = {"query_id": f"{number}", "timestamp": _UNKNOWN_TIME}
            fields = {**search, "user_query": query if texts is None else texts[query]}
            if shown[-1][1] == len(shown):  # positions increase
                fields["query_response_hit_ids"] = hits
            yield "ubi_queries", fields
            for action in ("impression", "click"):
                for row, (document, position) in zip(rows, shown, strict=True):
                    if action == "impression" or clicked[row]:
                        attributes = {"object": {"object_id": document}, "position": {"ordinal": position}}
                        yield "ubi_events", {"action_name": action, **search, "event_attributes": attributes}
