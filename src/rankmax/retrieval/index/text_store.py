"""Stored text of documents for display, in compressed blocks of a few documents."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from rankmax._arrays import I64, U8
from rankmax.errors import DataFormatError
from rankmax.retrieval.index.line_batches import Fields

BLOCK = 32
"""Maximum number of documents per block."""

_LARGEST_BLOCK = 1 << 30  # bytes, unpacked: a few packed bytes can expand to any number of equal ones


def pack_texts(texts: Sequence[Fields]) -> list[bytes]:
    """Return the compressed blocks of some documents, 32 documents each.

    Parameters
    ----------
    texts : sequence of dict
        Fields to keep of each document.

    Examples
    --------
    >>> [block] = pack_texts([{"title": "Lift"}])
    >>> zlib.decompress(block)
    b'[{"title": "Lift"}]'
    """
    return [zlib.compress(json.dumps(texts[n : n + BLOCK]).encode(), 1) for n in range(0, len(texts), BLOCK)]


@dataclass(frozen=True)
class TextStore:
    """The stored text of an index, in blocks.

    Parameters
    ----------
    path : path
        Index to name in error messages.
    blocks : array of uint8
        Concatenated blocks.
    offsets : array of int64
        Start of each block, and the end.
    firsts : array of int64
        Number of the first document of each block.

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
        """Return the stored fields of a document; empty if nothing is stored."""
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
