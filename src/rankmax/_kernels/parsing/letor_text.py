"""Parsing LETOR text, and laying out what was parsed feature by feature.

A line is ``grade qid:query (feature:value)* [# comment]``. The kernels are single-threaded and release Python's
lock: the reader runs them on several blocks of lines at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, U8
from rankmax._kernels.compilation import njit
from rankmax._kernels.metrics.ranking import rank_documents
from rankmax._kernels.parsing.decimal import NOT_A_NUMBER, UNDECIDED, byte_at, parse_decimal

NO_FAULT, BAD_GRADE, BAD_QUERY, BAD_FEATURE, BAD_VALUE, REPEATED_FEATURE = range(6)

# The fewest bytes that one of these takes in the text, which bounds the arrays that parse_lines fills.
BYTES_PER_VALUE = 4  # "1:1 "
BYTES_PER_DOCUMENT = 8  # "0 qid:a\n"
BYTES_PER_UNDECIDED = 20  # more than 19 digits

_NEWLINE, _SPACE, _TAB, _RETURN, _HASH, _COLON, _EQUALS = (ord(c) for c in "\n \t\r#:=")
_QID = np.frombuffer(b"qid:", np.uint8).copy()
_DOCID = np.frombuffer(b"docid", np.uint8).copy()


class Extent(NamedTuple):
    """How much `parse_lines` filled, and where it ended.

    Attributes
    ----------
    n_documents, n_values, n_queries, n_docid_bytes, n_undecided : int
        Number of entries that were filled.
    n_lines : int
        Blank lines and comments counted too.
    last_feature, last_feature_line : int
        The largest feature id, and a line that has it.
    fault, position : int
        NO_FAULT, or what is wrong in line `n_lines`, where parsing ended, and the byte it is at.
    """

    n_documents: int
    n_values: int
    n_queries: int
    n_docid_bytes: int
    n_undecided: int
    n_lines: int
    last_feature: int
    last_feature_line: int
    fault: int
    position: int


@njit(cache=True, nogil=True)
def end_of_last_line(text: U8, size: int) -> int:
    """Return the position behind the last newline in text[:size], 0 when there is none."""
    while size > 0 and text[size - 1] != _NEWLINE:
        size -= 1
    return size


@njit(cache=True, nogil=True)
def _is_blank_or_newline(byte: int) -> bool:
    return byte == _SPACE or _TAB <= byte <= _RETURN


@njit(cache=True, nogil=True)
def _ends_token(byte: int) -> bool:
    return _is_blank_or_newline(byte) or byte == _HASH


@njit(cache=True, nogil=True)
def _skip_blanks(text: U8, i: int) -> int:
    while byte_at(text, i) != _NEWLINE and _is_blank_or_newline(byte_at(text, i)):
        i += 1
    return i


@njit(cache=True, nogil=True)
def _end_of_token(text: U8, i: int) -> int:
    while not _ends_token(byte_at(text, i)):
        i += 1
    return i


@njit(cache=True, nogil=True)
def _starts_with(text: U8, i: int, word: U8) -> bool:
    """Whether `word`, which has no newline, is at byte `i`; stops at the newline that ends the text."""
    k = 0
    while k < word.size and byte_at(text, i + k) == word[k]:
        k += 1
    return k == word.size


@njit(cache=True, nogil=True)
def _same(text: U8, a: int, a_stop: int, b: int, b_stop: int) -> bool:
    while a < a_stop and b < b_stop and byte_at(text, a) == byte_at(text, b):
        a += 1
        b += 1
    return a == a_stop and b == b_stop


@njit(cache=True, nogil=True)
def _parse_feature(text: U8, i: int, max_feature: int) -> tuple[int, int]:
    """Read ``id:`` at byte `i`; return the id, 0 when there is none in 1..max_feature, and the byte behind."""
    feature = 0
    while byte_at(text, i) >= 48 and byte_at(text, i) <= 57 and feature <= max_feature:
        feature = feature * 10 + int(byte_at(text, i) - 48)
        i += 1
    if byte_at(text, i) != _COLON or feature > max_feature:
        return 0, i
    return feature, i + 1


@njit(cache=True, nogil=True)
def _document_id(text: U8, i: int) -> tuple[int, int]:
    """Find X in a comment ``docid = X`` that starts at byte `i`; empty when it is no such comment."""
    i = _skip_blanks(text, i)
    if not _starts_with(text, i, _DOCID):
        return i, i
    i = _skip_blanks(text, i + _DOCID.size)
    if byte_at(text, i) != _EQUALS:
        return i, i
    i = _skip_blanks(text, i + 1)
    stop = i
    while not _is_blank_or_newline(byte_at(text, stop)):
        stop += 1
    return i, stop


@njit(cache=True, nogil=True)
def _repeats(columns: NDArray[np.int32], first: int, stop: int) -> bool:
    """Whether a column is named twice: whether there are ties when they are ranked."""
    n = stop - first
    numbers, order = np.empty(n), np.empty(n, np.int64)
    for i in range(n):
        numbers[i] = columns[first + i]
    return bool(rank_documents(numbers, n, order, np.empty_like(order), np.empty(n + 2, np.int64)))


@njit(cache=True, nogil=True)
def parse_lines(
    text: U8,
    max_feature: int,
    values: NDArray[Any],
    columns: NDArray[np.int32],
    grades: F64,
    row_stops: I64,
    queries: I64,
    docids: U8,
    docid_stops: I64,
    undecided: I64,
) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    """Parse whole lines into arrays that are long enough (see BYTES_PER_VALUE and the like).

    What it returns is an Extent's attributes, not an Extent: an interrupt while numba hands over a named tuple ends
    the process with signal 11.

    Parameters
    ----------
    text : array of uint8
        Ends in a newline, which every loop below relies on.
    max_feature : int
        The largest feature id that is allowed.
    values, columns : arrays of float32 or float64, and int32
        Filled with the features' values and ids less one, document by document.
    grades, row_stops : arrays by document
        Filled with the grade, and the end of the document's values.
    queries : array of int64, shape (any, 4)
        Filled with document, line, first byte and end of the query id wherever the query changes.
    docids, docid_stops : arrays of uint8, and int64 by document
        Filled with the documents' identifiers one behind the other, and the end of each.
    undecided : array of int64, shape (any, 4)
        Filled with index (of a value, or -1 - document for a grade), line, first byte and end of the numbers
        that only Python's float() can round.
    """
    i = line = row = n = n_queries = n_docid_bytes = n_undecided = last = last_line = 0
    query = query_stop = 0
    fault = NO_FAULT
    while i < text.size:
        line += 1
        i = _skip_blanks(text, i)
        is_document = byte_at(text, i) != _NEWLINE and byte_at(text, i) != _HASH
        if is_document:
            start = i
            grade, i, status = parse_decimal(text, start)
            if status == NOT_A_NUMBER or not _ends_token(byte_at(text, i)) or not 0 <= grade < np.inf:
                fault = BAD_GRADE
                i = start
                break
            if status == UNDECIDED:
                undecided[n_undecided] = (-1 - row, line, start, i)
                n_undecided += 1
            grades[row] = grade

            i = _skip_blanks(text, i)
            stop = _end_of_token(text, i)
            if not _starts_with(text, i, _QID) or stop == i + _QID.size:
                fault = BAD_QUERY
                break
            if row == 0 or not _same(text, query, query_stop, i + _QID.size, stop):
                query, query_stop = i + _QID.size, stop
                queries[n_queries] = (row, line, query, query_stop)
                n_queries += 1

            first = n
            previous = 0
            ascending = True
            i = _skip_blanks(text, stop)
            while byte_at(text, i) != _NEWLINE and byte_at(text, i) != _HASH:
                start = i
                feature, i = _parse_feature(text, start, max_feature)
                if feature == 0:
                    fault = BAD_FEATURE
                    i = start
                    break
                start = i
                value, i, status = parse_decimal(text, start)
                values[n] = value
                if status == NOT_A_NUMBER or not _ends_token(byte_at(text, i)) or not np.isfinite(values[n]):
                    fault = BAD_VALUE
                    i = start
                    break
                if status == UNDECIDED:
                    undecided[n_undecided] = (n, line, start, i)
                    n_undecided += 1
                columns[n] = feature - 1
                ascending &= feature > previous
                previous = feature
                if feature > last:
                    last, last_line = feature, line
                n += 1
                i = _skip_blanks(text, i)
            if fault:
                break
            if not ascending and _repeats(columns, first, n):
                fault = REPEATED_FEATURE
                break
            row_stops[row] = n
        if byte_at(text, i) == _HASH and is_document:
            i, stop = _document_id(text, i + 1)
            for byte in range(i, stop):  # copying a slice as a whole takes seconds to compile
                docids[n_docid_bytes] = text[byte]
                n_docid_bytes += 1
        if is_document:
            docid_stops[row] = n_docid_bytes
            row += 1
        while byte_at(text, i) != _NEWLINE:
            i += 1
        i += 1
    return row, n, n_queries, n_docid_bytes, n_undecided, line, last, last_line, fault, i


# The kernels below take the columns of every value, or those of one document that all the others have too.


@njit(cache=True, nogil=True)
def fill_dense(
    values: NDArray[Any], columns: NDArray[np.int32], row_stops: I64, first_row: int, by_feature: NDArray[Any]
) -> None:
    """Spread documents over by_feature[:, first_row:], shape (n_features, n_documents), that is all zeros."""
    repeat = columns.size < values.size
    start = 0
    for row in range(row_stops.size):
        first = 0 if repeat else start
        for k in range(row_stops[row] - start):
            by_feature[columns[first + k], first_row + row] = values[start + k]
        start = row_stops[row]


@njit(cache=True, nogil=True)
def count_nonzeros(values: NDArray[Any], columns: NDArray[np.int32], counts: I64) -> None:
    """Add to `counts` the number of values of each feature that are not 0."""
    for start in range(0, values.size, max(columns.size, 1)):
        for k in range(columns.size):
            counts[columns[k]] += values[start + k] != 0


@njit(cache=True, nogil=True)
def fill_sparse(
    values: NDArray[Any],
    columns: NDArray[np.int32],
    row_stops: I64,
    first_row: int,
    first_column: int,
    next_free: I64,
    indices: NDArray[Any],
    data: NDArray[Any],
) -> None:
    """Append the nonzero values of features first_column, first_column + 1, ... to their CSC columns.

    `next_free` says for each of these features where its next entry goes, and is moved on.
    """
    repeat = columns.size < values.size
    start = 0
    for row in range(row_stops.size):
        first = 0 if repeat else start
        for k in range(row_stops[row] - start):
            column = columns[first + k] - first_column
            if 0 <= column < next_free.size and values[start + k] != 0:
                indices[next_free[column]] = first_row + row
                data[next_free[column]] = values[start + k]
                next_free[column] += 1
        start = row_stops[row]
