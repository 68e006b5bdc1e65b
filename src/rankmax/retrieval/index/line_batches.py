"""Document files cut into batches of whole lines, which are parsed later, possibly by another process.

Cutting only looks for line ends (and, in SGML, for the tags of documents), so it is many times faster than parsing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any

from rankmax._io.files import open_binary
from rankmax.data.query_documents import check_ids
from rankmax.errors import DataFormatError, not_utf8
from rankmax.retrieval.index.sgml import read_sgml

Fields = dict[str, str]
"""Text by field."""
_Lines = Iterator[tuple[int, bytes]]  # with line numbers
_Found = Iterator[tuple[int, Any, Fields]]  # line, id and fields of each document

_ID_KEYS = ("id", "_id", "docno", "doc_id", "docid")
_EXPECTED = "expected JSON lines, lines of id, tab, text, or TREC's <DOC><DOCNO>"
_BATCH = 1 << 20  # bytes
_SHOWN = 60  # characters of a bad line in a message
_PLAIN_ID = re.compile("[!-~]+")  # nearly all ids match, and need no further check
_DOC_TAG = re.compile(rb"<(/?)doc[\s>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LineBatch:
    r"""Some lines of a file that hold whole documents.

    Parameters
    ----------
    path : str
        File to name in error messages.
    first_line : int
        Number of the first line.
    raw : bytes
    form : {"json", "sgml", "tabs"}
    columns : tuple of str
        Fields named in the header of a file with tabs.

    Examples
    --------
    >>> list(LineBatch("docs.tsv", 2, b"d1\tFlutter\tof wings\n", "tabs", ("title", "text")).pairs())
    [('d1', {'title': 'Flutter', 'text': 'of wings'})]
    """

    path: str
    first_line: int
    raw: bytes
    form: str
    columns: tuple[str, ...] = ()

    def pairs(self) -> Iterator[tuple[str, Fields]]:
        """Parse the lines: yield the id and the fields of each document."""
        return ((identifier, fields) for _, identifier, fields in self.numbered())

    def numbered(self) -> Iterator[tuple[int, str, Fields]]:
        """Parse the lines: yield the line, the id and the fields of each document."""
        number = self.first_line

        def counted() -> _Lines:
            nonlocal number  # the current line if a reader fails
            for number, line in enumerate(BytesIO(self.raw), self.first_line):  # noqa: UP028
                yield number, line

        try:
            for number, identifier, fields in self._reader()(counted()):
                yield number, _checked(identifier), fields
        except (ValueError, RecursionError) as error:
            raise _wrong(self.path, error, number) from None

    def _reader(self) -> Callable[[_Lines], _Found]:
        if self.form == "tabs":
            return lambda lines: _read_tabs(lines, self.columns)
        return _read_json if self.form == "json" else read_sgml


def cut_lines(path: str | os.PathLike[str]) -> Iterator[LineBatch]:
    """Yield a file, plain or gzip, in batches; its format is recognized by its first character.

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "docs.jsonl")
    >>> _ = path.write_text('{"id": "d1", "text": "wing"}')
    >>> [(batch.form, batch.first_line) for batch in cut_lines(path)]
    [('json', 1)]
    """
    name = os.fspath(path)
    with open_binary(path) as file:
        number, line = 1, file.readline().removeprefix(b"\xef\xbb\xbf")
        while line.isspace():
            number, line = number + 1, file.readline()
        if not line:
            raise DataFormatError(path, f"empty file; {_EXPECTED}")
        start = line.lstrip()[:1]
        form = "json" if start == b"{" else "sgml" if start == b"<" else "tabs"
        columns: tuple[str, ...] = ()
        if form == "tabs":
            try:
                columns = _columns(line)
            except ValueError as error:
                raise _wrong(path, error, number) from None
            if columns:
                number, line = number + 1, b""
        n_batches = 0
        while raw := line + _read_batch(file, form):
            if _holds_documents(raw, form):
                n_batches += 1
                yield LineBatch(name, number, raw, form, columns)
            number += raw.count(b"\n")
            line = b""
        if not n_batches:
            raise DataFormatError(path, f"no documents; {_EXPECTED}")


def _read_batch(file: IO[bytes], form: str) -> bytes:
    parts = [file.read(_BATCH), file.readline()]
    is_open = form == "sgml" and _ends_open(parts[0] + parts[1], False)
    while is_open and (line := file.readline()):
        parts.append(line)
        is_open = _ends_open(line, True)
    return b"".join(parts)


def _ends_open(raw: bytes, was_open: bool) -> bool:
    """Return whether text ends within a <DOC>."""
    tags = _DOC_TAG.findall(raw)
    return tags[-1] == b"" if tags else was_open


def _holds_documents(raw: bytes, form: str) -> bool:
    return not raw.isspace() if form != "sgml" else _DOC_TAG.search(raw) is not None


def _wrong(path: str | os.PathLike[str], error: Exception, line: int) -> DataFormatError:
    reason = not_utf8(error) if isinstance(error, UnicodeDecodeError) else str(error)
    return DataFormatError(path, reason, line=line)


def _checked(identifier: Any) -> str:
    if isinstance(identifier, str) and _PLAIN_ID.fullmatch(identifier):
        return identifier
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return str(identifier)
    if not isinstance(identifier, str):
        raise ValueError(f"the document's id must be a string or an integer, not {identifier!r}")
    stripped = identifier.strip()
    check_ids("document id", [stripped])
    return stripped


def _read_json(lines: _Lines) -> _Found:
    import msgspec

    decode = msgspec.json.Decoder().decode
    for number, line in lines:
        if line.isspace():
            continue
        try:
            content = decode(line)
        except msgspec.DecodeError as error:
            raise ValueError(f"not JSON ({error}): {_shortened(line)!r}") from None
        if not isinstance(content, dict):
            raise ValueError(f"expected a JSON object, found {_shortened(line)!r}")
        id_key = next((key for key in _ID_KEYS if key in content), None)
        if id_key is None:
            has = ", ".join(content) or "nothing"
            raise ValueError(f"expected a JSON object with one of {', '.join(_ID_KEYS)}; it has {has}")
        identifier = content.pop(id_key)
        yield number, identifier, {key: value for key, value in content.items() if isinstance(value, str)}


def _read_tabs(lines: _Lines, columns: tuple[str, ...]) -> _Found:
    for number, raw in lines:
        line = raw.decode().rstrip("\r\n")
        if not line.strip():
            continue
        identifier, tab, text = line.partition("\t")
        if not tab:
            raise ValueError(f"expected id, tab, text, found {_shortened(raw)!r}")
        if not columns:
            yield number, identifier, {"text": text}
            continue
        values = text.split("\t")
        if len(values) != len(columns):
            raise ValueError(f"expected {len(columns) + 1} columns as in the header, found {len(values) + 1}")
        yield number, identifier, dict(zip(columns, values, strict=True))


def _columns(first: bytes) -> tuple[str, ...]:
    """Return the names of all columns but the id's; empty if the first line is not a header."""
    identifier, *names = (name.strip() for name in first.decode().split("\t"))
    if not names or identifier.lower() not in _ID_KEYS:
        return ()
    if not all(names) or len(set(names)) < len(names):
        raise ValueError(f"the header must name every column once, found {', '.join(map(repr, names))}")
    return tuple(names)


def _shortened(line: bytes) -> str:
    text = line[: 4 * _SHOWN].decode(errors="replace").strip()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
