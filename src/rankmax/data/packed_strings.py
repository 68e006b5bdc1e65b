"""Strings packed into two arrays, of bytes and of lengths, for files and hashes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax._arrays import I64, U8
from rankmax.data.ids import Ids
from rankmax.errors import InvalidDataError


def pack(strings: Sequence[str]) -> tuple[U8, I64]:
    """Return the concatenated UTF-8 bytes of all strings, and the number of bytes of each.

    Parameters
    ----------
    strings : sequence of str or Ids

    Examples
    --------
    >>> pack(["d7", "d11"])
    (array([100,  55, 100,  49,  49], dtype=uint8), array([2, 3]))
    """
    if isinstance(strings, Ids):
        return strings.packed()
    raw = [string.encode() for string in strings]
    return np.frombuffer(b"".join(raw), np.uint8), np.fromiter(map(len, raw), np.int64, len(raw))


def unpack(packed: U8, lengths: I64) -> Ids:
    """Return the strings that :func:`pack` packed.

    Parameters
    ----------
    packed : array of uint8
    lengths : array of int64

    Examples
    --------
    >>> unpack(*pack(["d7", "d11"])).to_list()
    ['d7', 'd11']
    """
    if (lengths < 0).any() or (lengths > packed.size).any() or lengths.sum() != packed.size:
        raise InvalidDataError("the lengths of strings do not add up to their bytes")
    return Ids(packed, np.cumsum(lengths) - lengths, lengths)
