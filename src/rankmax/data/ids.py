"""Identifiers of documents and queries in one block of bytes instead of a million Python strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import I64, U8, U64, Bool, readonly

WORD = 8  # bytes
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_LOW_BYTES = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], np.uint64)  # masks that keep n bytes
_SLICE = 1 << 16  # identifiers copied at a time when compacting, to bound the index arrays


class Ids(Sequence[str]):
    """An immutable sequence of UTF-8 strings: slices of one shared byte buffer.

    Reading a million-line run this way costs two integers per line; a Python string is made only on request.
    Operations on whole columns (hashing, comparing) process eight bytes at a time in numpy, so their cost grows with
    the number of bytes, however uneven the lengths.

    Parameters
    ----------
    buffer : array of uint8
        Bytes that the identifiers point into. Padded with eight zero bytes if these are missing.
    starts, lengths : arrays of int64
        First byte and number of bytes of each identifier.
    hashes : array of uint64, optional
        Result of :meth:`hashes`, if already known.

    Examples
    --------
    >>> ids = Ids.from_strings(["d7", "d11", "d7"])
    >>> ids[1], len(ids), ids.take([2, 0]).to_list()
    ('d11', 3, ['d7', 'd7'])
    >>> hashes = ids.hashes()
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """

    __slots__ = ("_buffer", "_hashes", "_lengths", "_starts")

    def __init__(self, buffer: U8, starts: I64, lengths: I64, hashes: U64 | None = None) -> None:
        if buffer.size < WORD or buffer[-WORD:].any():
            buffer = np.concatenate([buffer, np.zeros(WORD, np.uint8)])
        self._buffer = buffer
        self._starts = starts
        self._lengths = lengths
        self._hashes = hashes

    @classmethod
    def from_strings(cls, strings: Iterable[str]) -> Ids:
        """Pack Python strings."""
        encoded = [string.encode() for string in strings]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        starts = np.cumsum(lengths) - lengths
        buffer = np.frombuffer(b"".join(encoded) + bytes(WORD), np.uint8)
        return cls(buffer, starts, lengths)

    @classmethod
    def concatenate(cls, parts: Sequence[Ids]) -> Ids:
        """Join one or more sequences into one with its own buffer."""
        compact = [part.compact() for part in parts]
        shifts = np.cumsum([0] + [part._buffer.size for part in compact[:-1]])
        return cls(
            np.concatenate([part._buffer for part in compact]),
            np.concatenate([part._starts + shift for part, shift in zip(compact, shifts, strict=True)]),
            np.concatenate([part._lengths for part in compact]),
        )

    def __len__(self) -> int:
        return self._starts.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Ids: ...
    def __getitem__(self, index: int | slice) -> str | Ids:
        if isinstance(index, slice):
            return self._select(index)
        return self.raw(index).decode("utf-8", errors="replace")

    def raw(self, index: int) -> bytes:
        """Return the bytes of one identifier."""
        start = self._starts[index]
        return self._buffer[start : start + self._lengths[index]].tobytes()

    def start(self, index: int) -> int:
        """Return the position in the buffer at which an identifier starts."""
        return int(self._starts[index])

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_list())

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3].to_list()))
        return f"Ids([{shown}{', ...' if len(self) > 3 else ''}], n={len(self)})"

    def to_list(self) -> list[str]:
        """Unpack to Python strings (bytes that are not UTF-8 become U+FFFD)."""
        return [raw.decode("utf-8", errors="replace") for raw in self.to_bytes()]

    def to_bytes(self) -> list[bytes]:
        """Unpack to Python bytes."""
        view = self._buffer.data
        stops = self._starts + self._lengths
        return [view[a:b].tobytes() for a, b in zip(self._starts.tolist(), stops.tolist(), strict=True)]

    def take(self, indices: ArrayLike) -> Ids:
        """Select by integer indices or a boolean mask; shares the buffer."""
        return self._select(np.asarray(indices))

    def compact(self) -> Ids:
        """Copy into a buffer that holds only these identifiers."""
        starts = np.cumsum(self._lengths) - self._lengths
        buffer = np.zeros(int(self._lengths.sum()) + WORD, np.uint8)
        for first in range(0, len(self), _SLICE):
            part = slice(first, first + _SLICE)
            lengths = self._lengths[part]
            shift = np.repeat(self._starts[part] - starts[part], lengths)
            target = np.arange(shift.size) + starts[first]
            buffer[target] = self._buffer[target + shift]
        return Ids(buffer, starts, self._lengths)

    def packed(self) -> tuple[U8, I64]:
        """Return the bytes of all identifiers back to back, and the number of bytes of each."""
        return self.compact()._buffer[:-WORD], self._lengths

    def hashes(self) -> U64:
        """Hash each identifier to 64 bits; equal identifiers have equal hashes in any `Ids`."""
        if self._hashes is None:
            hashed = self._lengths.astype(np.uint64) * _MULTIPLIER
            for chosen, words in self._words():
                mixed = (hashed[chosen] ^ words) * _MULTIPLIER
                hashed[chosen] = mixed ^ (mixed >> _SHIFT)
            self._hashes = readonly(hashed)
        return self._hashes

    def equal(self, other: Ids) -> Bool:
        """Compare element by element with another sequence of the same length."""
        same: Bool = self._lengths == other._lengths
        compared = slice(None) if same.all() else np.flatnonzero(same)
        mine, theirs = self._select(compared), other._select(compared)
        alike = np.ones(len(mine), np.bool_)
        for (chosen, words), (_, other_words) in zip(mine._words(), theirs._words(), strict=True):
            alike[chosen] &= words == other_words
        same[compared] = alike
        return same

    def changes(self) -> I64:
        """Return the positions at which an identifier differs from the one before it.

        Examples
        --------
        >>> Ids.from_strings(["q1", "q1", "q2", "q1"]).changes()
        array([2, 3])
        """
        changed: Bool = self._lengths[1:] != self._lengths[:-1]
        for chosen, words in self._words():
            differs = words[1:] != words[:-1]
            if isinstance(chosen, slice):
                changed |= differs
            else:  # neighbors in this subset need not be neighbors in the sequence
                changed[chosen[1:] - 1] |= differs & (chosen[1:] == chosen[:-1] + 1)
        return np.flatnonzero(changed) + 1

    def ascending(self) -> I64:
        """Return the positions that sort the identifiers by their bytes, keeping the order of equal ones.

        Examples
        --------
        >>> Ids.from_strings(["d7", "d11", "c", "d7"]).ascending()
        array([2, 1, 0, 3])
        """
        most_words = max(1, -(-int(self._lengths.max(initial=0)) // WORD))
        if (most_words - 1) * len(self) * WORD > 2 * self._lengths.sum():  # a table of words would be mostly padding
            return np.argsort(np.array(self.to_bytes(), dtype=object), kind="stable")
        table = np.zeros((most_words, len(self)), np.uint64)
        for row, (chosen, words) in zip(table, self._words(), strict=False):  # no words if there are no ids
            row[chosen] = words.byteswap()  # the first byte becomes the most significant
        return np.lexsort(table[::-1])

    def _select(self, chosen: slice | NDArray[np.intp]) -> Ids:
        hashes = None if self._hashes is None else self._hashes[chosen]
        return Ids(self._buffer, self._starts[chosen], self._lengths[chosen], hashes)

    def _words(self) -> Iterator[tuple[slice | NDArray[np.intp], U64]]:
        """Yield word 0, 1, ... of the identifiers that are long enough, zero-padded, with their positions."""
        view = words_at_every_byte(self._buffer)
        chosen: slice | NDArray[np.intp] = slice(None)
        starts, left = self._starts, self._lengths
        while left.size:
            yield chosen, view[starts] & _LOW_BYTES.take(left, mode="clip")
            longer = left > WORD
            if not longer.all():
                chosen = np.flatnonzero(longer) if isinstance(chosen, slice) else chosen[longer]
                starts, left = starts[longer], left[longer]
            starts, left = starts + WORD, left - WORD


def words_at_every_byte(buffer: U8) -> U64:
    """Return a view with a little-endian uint64 at every byte offset: numpy gathers unaligned words from it."""
    return np.ndarray((buffer.size - WORD + 1,), "<u8", buffer.data, strides=(1,))
