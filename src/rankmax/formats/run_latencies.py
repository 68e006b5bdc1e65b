"""Latency by query, where a run that is a table has a column for it."""

from __future__ import annotations

import os
import re

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError
from rankmax.formats.parsing.text_columns import ColumnFile
from rankmax.formats.run_tables import finite_number, read_table

COLUMNS = ("latency_ms", "latency", "took_ms", "took")
"""Names of the column, in milliseconds."""

_NAMED = re.compile(rb"\b(latency|took)([_ -]ms)?\b", re.IGNORECASE)
_LONGEST_LINE = 1 << 16


def read_latencies(path: str | os.PathLike[str]) -> dict[str, float] | None:
    r"""Return the latency of each query in milliseconds, or None if a run carries none.

    Parameters
    ----------
    path : path
        A run; TREC's format has no place for latency, tables (CSV, tab-separated, JSON lines) may have a column
        ``latency_ms``. Of the values of a query's documents the largest is taken.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "new.csv")
    >>> _ = path.write_text("query,document,score,latency_ms\nq1,d7,2.5,14\nq1,d3,2.0,14\n")
    >>> read_latencies(path)
    {'q1': 14.0}
    """
    with open_binary(path) as opened:
        head = opened.readline(_LONGEST_LINE)
    if not _NAMED.search(head):
        return None
    file = ColumnFile(path, ["query", "Q0", "document", "rank", "score", "tag"])
    nested = read_table(file, COLUMNS, "latency", finite_number)
    if nested is None:
        return None
    found = {query: max(values.values()) for query, values in nested.items()}
    for query, value in found.items():
        if value < 0:
            raise DataFormatError(path, f"the latency of query {query!r} is {value:g}; expected milliseconds from 0")
    return found
