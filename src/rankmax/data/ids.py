"""Identifiers of documents and queries as one block of bytes, not as a million Python strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax.arrays import I64, U8, U64, Bool

_WORD = 8
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_SLICE = 1 << 20  # identifiers copied at a time when compacting, to bound the index arrays


class Ids(Sequence[str]):
    """A frozen sequence of UTF-8 strings: slices of one shared byte buffer.

    Reading a million-line run this way costs two integers a line; a Python string is made only when one is asked
    for. Whole-column work (hashing, comparing) goes eight bytes at a time in numpy, so its cost grows with the
    bytes, however uneven the lengths.

    Parameters
    ----------
    buffer : array of uint8
        Bytes that the identifiers point into. Padded with eight zero bytes when they are not there.
    starts, lengths : arrays of int64
        First byte and number of bytes of each identifier.

    Examples
    --------
    >>> ids = Ids.from_strings(["d7", "d11", "d7"])
    >>> ids[1], len(ids), ids.take([2, 0]).to_list()
    ('d11', 3, ['d7', 'd7'])
    >>> hashes = ids.hashes()
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """

    __slots__ = ("_buffer", "_lengths", "_starts")

    def __init__(self, buffer: U8, starts: I64, lengths: I64) -> None:
        if buffer.size < _WORD or buffer[-_WORD:].any():
            buffer = np.concatenate([buffer, np.zeros(_WORD, np.uint8)])
        self._buffer = buffer
        self._starts = starts
        self._lengths = lengths

    @classmethod
    def from_strings(cls, strings: Iterable[str]) -> Ids:
        """Pack Python strings."""
        encoded = [string.encode() for string in strings]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        starts = np.cumsum(lengths) - lengths
        buffer = np.frombuffer(b"".join(encoded) + bytes(_WORD), np.uint8)
        return cls(buffer, starts, lengths)

    def __len__(self) -> int:
        return self._starts.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Ids: ...
    def __getitem__(self, index: int | slice) -> str | Ids:
        if isinstance(index, slice):
            return Ids(self._buffer, self._starts[index], self._lengths[index])
        return self.raw(index).decode("utf-8", errors="replace")

    def raw(self, index: int) -> bytes:
        """Return the bytes of one identifier."""
        start = self._starts[index]
        return self._buffer[start : start + self._lengths[index]].tobytes()

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
        data = self._buffer.tobytes()
        stops = self._starts + self._lengths
        return [data[a:b] for a, b in zip(self._starts.tolist(), stops.tolist(), strict=True)]

    def take(self, indices: ArrayLike) -> Ids:
        """Select by integer indices or a boolean mask; shares the buffer."""
        chosen = np.asarray(indices)
        return Ids(self._buffer, self._starts[chosen], self._lengths[chosen])

    def compact(self) -> Ids:
        """Copy into a buffer that holds these identifiers and nothing else."""
        starts = np.cumsum(self._lengths) - self._lengths
        buffer = np.zeros(int(self._lengths.sum()) + _WORD, np.uint8)
        for first in range(0, len(self), _SLICE):
            part = slice(first, first + _SLICE)
            lengths = self._lengths[part]
            shift = np.repeat(self._starts[part] - starts[part], lengths)
            target = np.arange(shift.size) + starts[first]
            buffer[target] = self._buffer[target + shift]
        return Ids(buffer, starts, self._lengths)

    def hashes(self) -> U64:
        """Hash each identifier to 64 bits; equal identifiers hash alike in any `Ids`."""
        hashed = self._lengths.astype(np.uint64) * _MULTIPLIER
        for chosen, words in self._words():
            mixed = (hashed[chosen] ^ words) * _MULTIPLIER
            hashed[chosen] = mixed ^ (mixed >> _SHIFT)
        return hashed

    def equal(self, other: Ids) -> Bool:
        """Compare element by element with another sequence of the same length."""
        same: Bool = self._lengths == other._lengths
        pair = np.flatnonzero(same)
        mine, theirs = self.take(pair), other.take(pair)
        for (chosen, words), (_, other_words) in zip(mine._words(), theirs._words(), strict=True):
            same[pair[chosen[words != other_words]]] = False
        return same

    def _words(self) -> Iterator[tuple[NDArray[np.intp], U64]]:
        """Yield word 0, 1, ... of the identifiers that are long enough, zero-padded, with their positions."""
        # A uint64 at every byte offset: numpy gathers unaligned words from it in one call.
        view = np.ndarray((self._buffer.size - _WORD + 1,), "<u8", self._buffer.data, strides=(1,))
        chosen = np.arange(len(self))
        position = 0
        while chosen.size:
            left = self._lengths[chosen] - position
            words = view[self._starts[chosen] + position]
            short = left < _WORD
            if short.any():
                keep_bits = (left[short] * 8).astype(np.uint64)
                words[short] &= (np.uint64(1) << keep_bits) - np.uint64(1)
            yield chosen, words
            chosen = chosen[left > _WORD]
            position += _WORD
