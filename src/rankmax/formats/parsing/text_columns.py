"""Splitting of text in blank-separated columns into tokens, a block of lines at a time in numpy."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from rankmax._arrays import I64, U8, readonly
from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, not_utf8
from rankmax.formats.parsing.decimals import MARGIN

_BLANK, _NEWLINE = ord(" "), ord("\n")
_BLOCK = 1 << 19  # bytes: arrays derived from a block stay in the second-level cache
_STEP = 1 << 12
_LONGEST_LINE = 1 << 20
_HEAD = 1 << 16  # bytes from which a format is recognized
_READ = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_KINDS = {4: "qrels", 6: "a run"}  # of TREC, by their numbers of columns
_SHOWN = 60  # characters of a bad token in a message


@dataclass(frozen=True, slots=True)
class Block:
    """The tokens of some lines, as start and end positions in the file's buffer.

    Attributes
    ----------
    edges : array of int64, shape (n_lines, 2 * n_columns)
        Start and end of each token, counted from `origin`.
    origin : int
    """

    edges: I64
    origin: int

    def __len__(self) -> int:
        return len(self.edges)

    def column(self, index: int) -> tuple[I64, I64]:
        """Return the starts and lengths of one column's tokens."""
        starts = self.edges[:, 2 * index]
        return starts + self.origin, self.edges[:, 2 * index + 1] - starts


class ColumnFile:
    r"""A text file whose lines all have the same columns, separated by any run of blanks or tabs.

    Lines end in LF or CRLF, the last one possibly without either; lines without tokens are skipped. The text is
    UTF-8, with or without a byte order mark.

    Parameters
    ----------
    path : str or path-like
        Text file, plain or gzip.
    columns : sequence of str
        Names of the columns, for error messages.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "grades.txt")
    >>> _ = path.write_text("d1   2\n\n d2\t0")
    >>> file = ColumnFile(path, ["document", "grade"])
    >>> [file.token(*at) for block in file.blocks() for at in zip(*block.column(0))]
    ['d1', 'd2']
    """

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str]) -> None:
        self.path = path
        self.columns = tuple(columns)
        self.buffer, self._stop = _read_with_margins(path)

    def blocks(self) -> Iterator[Block]:
        """Yield the tokens of the whole file, block by block."""
        start, found = MARGIN, False
        while start < self._stop:
            stop = self._end_of_line(min(start + _BLOCK, self._stop) - 1)
            block = self._tokenize(start, stop)
            if block.edges.size:
                found = True
                yield block
            start = stop
        if not found:
            raise self.error(f"empty file; expected lines of {self._expected()}")

    def content(self) -> bytes:
        """Return all bytes of the text, with a newline at the end."""
        return self.buffer[MARGIN : self._stop].tobytes()

    def first_line(self) -> bytes:
        """Return the beginning of the text, to the end of the first line that is not blank, at most 64 kB."""
        lines = self.buffer[MARGIN : min(MARGIN + _HEAD, self._stop)].tobytes().split(b"\n")
        return next((line for line in lines if line.strip()), b"")

    @property
    def most_lines(self) -> int:
        """Maximum number of lines of a file of this size: a byte and a blank per column."""
        return (self._stop - MARGIN) // (2 * len(self.columns))

    def token(self, start: int, length: int) -> str:
        """Return one token, shortened if it is very long."""
        text = self.buffer[start : start + length].tobytes().decode(errors="replace")
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

    def line(self, position: int) -> int:
        """Return the number of the line, counted from 1, that contains a position of the buffer."""
        return 1 + int(np.count_nonzero(self.buffer[MARGIN:position] == _NEWLINE))

    def error(self, reason: str, position: int | None = None) -> DataFormatError:
        """Return the error to raise, with the line of `position`."""
        return DataFormatError(self.path, reason, line=None if position is None else self.line(position))

    def _expected(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"

    def _other_kind(self, n_columns: int) -> str:
        """Return what the file seems to be instead, by its first line and the columns found."""
        first = self.first_line().split()
        if first[0].startswith(b"{"):
            kind = "JSON, such as a model file"
        elif len(first) > 1 and first[1].startswith(b"qid:"):
            kind = "a data file with features"
        elif len(first) == n_columns and n_columns in _KINDS:
            kind = _KINDS[n_columns]
        else:
            return ""
        return f": this looks like {kind}"

    def _end_of_line(self, position: int) -> int:
        """Return the position after the first newline at or after `position`; the text ends in one."""
        for start in range(position, position + _LONGEST_LINE, _STEP):
            newlines = np.flatnonzero(self.buffer[start : start + _STEP] == _NEWLINE)
            if newlines.size:
                return start + int(newlines[0]) + 1
        raise self.error(f"a line of more than {_LONGEST_LINE:,} bytes; expected {self._expected()}", position)

    def _tokenize(self, start: int, stop: int) -> Block:
        text = self.buffer[start:stop]
        self._check_text(text, start)
        # The byte before the block (margin or newline) and the last one are blank, so edges come in pairs.
        inked = self.buffer[start - 1 : stop] > _BLANK
        edges = np.flatnonzero(inked[1:] != inked[:-1])
        is_newline = text == _NEWLINE
        width = 2 * len(self.columns)
        if edges.size == width * np.count_nonzero(is_newline):
            lines = edges.reshape(-1, width)
            if is_newline[lines[:, -1]].all():  # every line: its columns, then at once its end
                return Block(lines, start)
        newlines = np.flatnonzero(is_newline)
        tokens_by_line = np.diff(np.searchsorted(edges[::2], newlines), prepend=0)
        wrong = np.flatnonzero((tokens_by_line != len(self.columns)) & (tokens_by_line != 0))
        if wrong.size:
            found = int(tokens_by_line[wrong[0]])
            reason = f"expected {self._expected()}, found {found}{self._other_kind(found)}"
            raise self.error(reason, start + int(newlines[wrong[0]]))
        return Block(edges.reshape(-1, width), start)

    def _check_text(self, text: U8, start: int) -> None:
        if text.view(np.int8).min() > 0:  # plain ASCII; 0 is a null byte, and other bytes are negative
            return
        if not text.all():
            position = start + int(np.argmin(text))
            raise self.error(f"binary file (null byte); expected lines of {self._expected()}", position)
        try:
            text.tobytes().decode()
        except UnicodeDecodeError as error:
            raise self.error(not_utf8(error), start + error.start) from None


def _read_with_margins(path: str | os.PathLike[str]) -> tuple[U8, int]:
    """Return the file's bytes between zero margins, ending in a newline, and the position after it."""
    with open_binary(path) as opened:
        file = cast("io.BufferedReader", opened)
        # A gzip file unpacks to more than this: the buffer grows as needed.
        buffer = np.empty(os.fstat(file.fileno()).st_size + _READ + 2 * MARGIN, np.uint8)
        stop = MARGIN
        while n_read := file.readinto(buffer.data[stop : stop + _READ]):
            stop += n_read
            if stop + _READ + MARGIN > buffer.size:
                larger = np.empty(2 * buffer.size, np.uint8)
                larger[:stop] = buffer[:stop]
                buffer = larger
    buffer[:MARGIN] = 0
    buffer[stop : stop + MARGIN + 1] = 0
    mark = buffer[MARGIN : MARGIN + len(_BYTE_ORDER_MARK)]
    if mark.tobytes() == _BYTE_ORDER_MARK:
        mark[:] = _BLANK
    if stop > MARGIN and buffer[stop - 1] != _NEWLINE:
        buffer[stop] = _NEWLINE
        stop += 1
    return readonly(buffer[: stop + MARGIN]), stop
