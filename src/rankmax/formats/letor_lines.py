"""Parsing of LETOR lines in blocks, with a reason for each line that cannot be parsed."""

from __future__ import annotations

import mmap
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, U8

EXAMPLE = "expected lines such as '2 qid:10 1:0.5 2:0.25'"

_BLOCK = 1 << 20  # bytes
_SHOWN = 60  # maximum number of bytes of a text quoted in a message
_TOKEN = re.compile(rb"[^ \t\n\v\f\r#]*")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_FEATURE_ID = re.compile(rb"\s([0-9]+):")


class LineError(Exception):
    """A reason why a line cannot be parsed, and the line's number, counted from 1 in the block."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(line, reason)


@dataclass(frozen=True, slots=True)
class Piece:
    """A parsed block of lines.

    Attributes
    ----------
    values : array of float32 or float64
        Feature values of each line, document by document.
    columns : array of int32
        Ids minus one of these features; if all documents have the same, in the same order, only the first one's.
    grades, row_stops : arrays by document
        Grade of each document, and the end of its values.
    queries : list of (document, line, query id)
        Documents at which the query changes, including the first document.
    docids, docid_stops : arrays of uint8, and int64 by document
        Concatenated identifiers of the documents, and the end of each.
    n_lines : int
        Number of lines, including blank lines and comments.
    last_feature, last_feature_line : int
        Largest feature id, and a line that has it; 0 if there are no features.
    """

    values: NDArray[Any]
    columns: NDArray[np.int32]
    grades: F64
    row_stops: I64
    queries: list[tuple[int, int, str]]
    docids: U8
    docid_stops: I64
    n_lines: int
    last_feature: int
    last_feature_line: int


def line_blocks(file: BufferedReader) -> Iterator[U8]:
    """Yield the text in blocks of whole lines; a missing newline at the end is added."""
    from rankmax._kernels.parsing.letor_text import end_of_last_line

    held = np.empty(0, np.uint8)
    while True:
        # Doubling the buffer copies a line of any length in linear time; one byte is for the newline.
        block = np.empty(held.size + max(_BLOCK, held.size) + 1, np.uint8)
        block[: held.size] = held
        n_read = file.readinto(block[held.size : -1].data)
        size = held.size + n_read
        if n_read == 0:
            if size:
                block[size] = ord("\n")
                yield block[: size + 1]
            return
        end = end_of_last_line(block, size)
        held = block[end:size].copy()
        if end:
            yield block[:end]


def zeros_in_own_pages(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return zeros that take memory page by page when written, and release it when dropped.

    With malloc (huge pages, keeping freed memory) every value would be in memory twice.
    """
    if size == 0:
        return np.zeros(0, dtype)
    return np.frombuffer(mmap.mmap(-1, size * dtype.itemsize, access=mmap.ACCESS_COPY), dtype)


def parse_block(text: U8, dtype: np.dtype[Any], max_feature: int) -> Piece:
    r"""Parse a block of whole lines.

    Parameters
    ----------
    text : array of uint8
        The lines; the last byte is a newline.
    dtype : float32 or float64
        Type of the values.
    max_feature : int
        Largest feature id that is allowed.

    Raises
    ------
    LineError

    Examples
    --------
    >>> text = np.frombuffer(bytearray(b"1 qid:a 2:0.5\n"), np.uint8)
    >>> piece = parse_block(text, np.dtype(np.float64), 10)
    >>> piece.values, piece.columns, piece.queries
    (array([0.5]), array([1], dtype=int32), [(0, 1, 'a')])
    """
    from rankmax._kernels.parsing import letor_text

    most_values = text.size // letor_text.BYTES_PER_VALUE + 1
    most_documents = text.size // letor_text.BYTES_PER_DOCUMENT + 1
    values = np.empty(most_values, dtype)
    columns = np.empty(most_values, np.int32)
    grades = np.empty(most_documents)
    row_stops = np.empty(most_documents, np.int64)
    queries = np.empty((most_documents, 4), np.int64)
    docids = np.empty(text.size, np.uint8)
    docid_stops = np.empty(most_documents, np.int64)
    undecided = np.empty((text.size // letor_text.BYTES_PER_UNDECIDED + 1, 4), np.int64)
    extent = letor_text.Extent(
        *letor_text.parse_lines(
            text, max_feature, values, columns, grades, row_stops, queries, docids, docid_stops, undecided
        )
    )

    for index, line, start, stop in undecided[: extent.n_undecided].tolist():
        target, at, kind = (values, index, "value") if index >= 0 else (grades, -1 - index, "grade")
        with np.errstate(over="ignore"):
            target[at] = float(text[start:stop].tobytes())
        if np.isinf(target[at]):
            raise LineError(line, f"{kind} {_number_fault(text[start:stop].tobytes(), target.dtype)}")
    if extent.fault != letor_text.NO_FAULT:
        raise LineError(extent.n_lines, _reason(extent.fault, text, extent.position, max_feature, values.dtype))
    row_stops = row_stops[: extent.n_documents].copy()
    return Piece(
        _in_own_pages(values[: extent.n_values]),
        _in_own_pages(_without_repetition(columns[: extent.n_values], row_stops)),
        grades[: extent.n_documents].copy(),
        row_stops,
        [(row, line, _query_id(text, line, a, b)) for row, line, a, b in queries[: extent.n_queries].tolist()],
        docids[: extent.n_docid_bytes].copy(),
        docid_stops[: extent.n_documents].copy(),
        extent.n_lines,
        extent.last_feature,
        extent.last_feature_line,
    )


def _in_own_pages(array: NDArray[Any]) -> NDArray[Any]:
    copy = zeros_in_own_pages(array.size, array.dtype)
    copy[:] = array
    return copy


def _without_repetition(columns: NDArray[np.int32], row_stops: I64) -> NDArray[np.int32]:
    """Return the columns of the first document only, if all documents have the same."""
    width = int(row_stops[0]) if row_stops.size else 0
    if width and (np.diff(row_stops) == width).all() and not (columns[width:] != columns[:-width]).any():
        return columns[:width]
    return columns


def _query_id(text: U8, line: int, start: int, stop: int) -> str:
    raw = text[start:stop].tobytes()
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise LineError(line, f"query id {_quoted(raw)} is not UTF-8") from None


def _reason(fault: int, text: U8, position: int, max_feature: int, dtype: np.dtype[Any]) -> str:
    from rankmax._kernels.parsing import letor_text

    if not text.all():
        return f"not a text file: there are NUL bytes; {EXAMPLE}"
    matched = _TOKEN.match(text[position:].tobytes())
    token = matched[0] if matched else b""
    found = _quoted(token) if token else "the end of the line"
    if fault == letor_text.BAD_GRADE:
        return f"grade {_number_fault(token, np.dtype(np.float64))}; {EXAMPLE}"
    if fault == letor_text.BAD_QUERY:
        return f"expected 'qid:ID' after the grade, found {found}"
    if fault == letor_text.BAD_VALUE:
        return f"value {_number_fault(token, dtype)}"
    if fault == letor_text.REPEATED_FEATURE:
        start = letor_text.end_of_last_line(text, position)
        ids = Counter(map(int, _FEATURE_ID.findall(text[start:position].tobytes())))
        return f"feature {ids.most_common(1)[0][0]} occurs twice"
    feature, colon, _ = token.partition(b":")
    if not colon:
        return f"expected 'feature:value', found {found}"
    return f"feature id {_quoted(feature)} is not an integer from 1 to {max_feature}"


def _number_fault(token: bytes, dtype: np.dtype[Any]) -> str:
    """Return a reason why a token is not a finite, or a nonnegative, number."""
    if not _NUMBER.fullmatch(token):
        return f"{_quoted(token)} is not a number"
    number = float(token)
    if not np.isfinite(number):
        return f"{_quoted(token)} is not finite"
    if abs(number) > float(np.finfo(dtype).max):
        return f"{_quoted(token)} is too large for {dtype.name}; read it with dtype=float64"
    return f"{_quoted(token)} is negative; the lowest grade is 0"


def _quoted(raw: bytes) -> str:
    return repr(raw[:_SHOWN].decode(errors="replace"))
