"""The text of documents, kept in an index to be shown: blocks of a few documents, compressed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from rankmax.arrays import I64, U8
from rankmax.errors import DataFormatError
from rankmax.retrieval.lines import Fields

BLOCK = 32
"""Most documents in a block."""

_LARGEST_BLOCK = 1 << 30  # bytes, unpacked: a few packed bytes can stand for any number of equal ones


def pack_texts(texts: Sequence[Fields]) -> list[bytes]:
    """Return the blocks of some documents, one for each 32.

    Parameters
    ----------
    texts : sequence of dict
        The fields to keep of each document.

    Examples
    --------
    >>> [block] = pack_texts([{"title": "Lift"}])
    >>> zlib.decompress(block)
    b'[{"title": "Lift"}]'
    """
    return [zlib.compress(json.dumps(texts[n : n + BLOCK]).encode(), 1) for n in range(0, len(texts), BLOCK)]


@dataclass(frozen=True)
class TextStore:
    """The blocks of an index.

    Parameters
    ----------
    path : path
        The index, to be named in errors.
    blocks : array of uint8
        All blocks back to back.
    offsets : array of int64
        Where each begins, and the end.
    firsts : array of int64
        The number of the first document of each.

    Examples
    --------
    >>> [block] = pack_texts([{"title": "Lift"}, {"title": "Drag"}])
    >>> offsets, firsts = np.array([0, len(block)]), np.array([0])
    >>> TextStore(Path("docs.index"), np.frombuffer(block, np.uint8), offsets, firsts).fields_of(1)
    {'title': 'Drag'}
    """

    path: Path
    blocks: U8
    offsets: I64
    firsts: I64

    def fields_of(self, document: int) -> dict[str, str]:
        """Return the stored fields of a document; none where nothing is stored."""
        block = int(np.searchsorted(self.firsts, document, side="right")) - 1
        if block < 0:
            return {}
        packed = self.blocks[self.offsets[block] : self.offsets[block + 1]]
        try:
            texts = msgspec.convert(json.loads(_unpacked(packed)), list[dict[str, str]])
            return texts[document - int(self.firsts[block])]
        except (zlib.error, ValueError, RecursionError, IndexError):
            raise DataFormatError(self.path, "damaged: stored text cannot be unpacked; build the index again") from None


def _unpacked(packed: U8) -> bytes:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed.data, _LARGEST_BLOCK)
    if not unpacker.eof:
        raise ValueError("too long, or cut short")
    return content
