"""Topics: the text of each query, as tab-separated lines or JSON lines."""

from __future__ import annotations

import os
from typing import Any

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, not_utf8
from rankmax.formats.parsing.json_line import json_object, shortened

_ID_KEYS = ("id", "qid", "query_id", "_id")
_TEXT_KEYS = ("text", "query", "title")
_EXPECTED = "expected lines of id, tab, text, or JSON lines"


def read_topics(path: str | os.PathLike[str]) -> dict[str, str]:
    r"""Read the text of each query, plain or gzip; blank lines are skipped.

    A file whose first line starts with a brace holds JSON lines, objects with ``id`` (or ``qid``, ``query_id``,
    ``_id``) and ``text`` (or ``query``, ``title``); any other file holds lines of id, tab, text.

    Parameters
    ----------
    path : str or path-like
        File to read, plain or gzipped: lines of id, tab, text, or JSON lines.

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
    parse = None
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                # The codec utf-8-sig skips a byte order mark, which only the first line can have.
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if not line.strip():
                    continue
                if "\0" in line:
                    raise ValueError(f"binary file (null byte); {_EXPECTED}")
                if parse is None:
                    parse = _parse_json if line.lstrip().startswith("{") else _parse_tabs
                query_id, text = parse(line)
                if not query_id:
                    raise ValueError("the topic has no id")
                if query_id in line_of:
                    raise ValueError(f"topic {query_id!r} occurs twice, first in line {line_of[query_id]}")
            except UnicodeDecodeError as error:
                raise DataFormatError(path, not_utf8(error), line=number) from None
            except ValueError as error:
                raise DataFormatError(path, str(error), line=number) from None
            topics[query_id] = text
            line_of[query_id] = number
    if not topics:
        raise DataFormatError(path, f"empty file; {_EXPECTED}")
    return topics


def _parse_tabs(line: str) -> tuple[str, str]:
    query_id, tab, text = line.partition("\t")
    if not tab:
        raise ValueError(f"expected id, tab, text, found {shortened(line)!r}")
    return query_id.strip(), text.strip()


def _parse_json(line: str) -> tuple[str, str]:
    fields = json_object(line)
    query_id, text = _field(fields, _ID_KEYS, str | int), _field(fields, _TEXT_KEYS, str)
    return str(query_id).strip(), text.strip()


def _field(fields: dict[str, Any], keys: tuple[str, ...], kind: Any) -> Any:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, kind) and not isinstance(value, bool):
            return value
    raise ValueError(f"expected a JSON object with one of {', '.join(keys)}; it has {', '.join(fields) or 'nothing'}")
