"""Segments: postings of as many documents as fit into memory, and their merging into the arrays of an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankmax._arrays import I32, I64, readonly
from rankmax._io.files import make_folder
from rankmax.errors import InvalidDataError
from rankmax.retrieval.index.file_format import ArrayWriter, map_array
from rankmax.retrieval.index.tokenized_batches import FieldTokens

_BLOCK = 1 << 22  # postings and positions written at a time
_TYPES = {
    "lengths": "<i4",
    "posting_offsets": "<i8",
    "documents": "<i4",
    "frequencies": "<i4",
    "position_starts": "<i8",
    "positions": "<i4",
}


@dataclass(frozen=True)
class Segment:
    """The postings of one field in consecutive documents, by term in the order of first occurrence.

    Parameters
    ----------
    first_document : int
    lengths : array of int32
        Number of terms of each document, starting with the first.
    posting_offsets, position_starts : arrays of int64
        Start of the documents and of the positions of each term.
    documents, frequencies : arrays of int32
        Document and frequency of each posting.
    positions : array of int32

    Examples
    --------
    >>> tokens = FieldTokens(*(np.array(a, np.int32) for a in ([2, 1], [0, 1, 0])))
    >>> segment = Segment.group([tokens], n_terms=2, first_document=7)
    >>> segment.posting_offsets, segment.documents
    (array([0, 2, 3]), array([7, 8, 7], dtype=int32))
    """

    first_document: int
    lengths: I32
    posting_offsets: I64
    documents: I32
    frequencies: I32
    position_starts: I64
    positions: I32

    @classmethod
    def group(cls, parts: Sequence[FieldTokens], *, n_terms: int, first_document: int) -> Segment:
        """Sort the tokens of consecutive documents by term."""
        from rankmax._kernels.text.postings import group_tokens

        n_words, terms = (np.concatenate([getattr(part, name) for part in parts]) for name in ("n_words", "terms"))
        return cls(first_document, *map(readonly, group_tokens(n_words, terms, n_terms, first_document)))

    def spill(self, folder: Path) -> Segment:
        """Write the arrays to a new folder, and return the segment mapped from it."""
        make_folder(folder)
        for name, dtype in _TYPES.items():
            with ArrayWriter(folder, name, dtype) as writer:
                writer.append(getattr(self, name))
        return Segment(self.first_document, **{name: map_array(folder, name, dtype) for name, dtype in _TYPES.items()})

    def counts(self, n_terms: int) -> tuple[I64, I64]:
        """Return the number of documents and of occurrences of each term, 0 for terms first seen later."""
        known = self.posting_offsets.size - 1
        n_documents, n_occurrences = np.zeros((2, n_terms), np.int64)
        n_documents[:known] = np.diff(self.posting_offsets)
        n_occurrences[:known] = np.diff(self.position_starts)
        return n_documents, n_occurrences


@dataclass(frozen=True)
class MergedRows:
    """Some rows of an index, ready to be written.

    Parameters
    ----------
    documents, position_offsets, positions : arrays of int32
        Arrays of the file format.
    """

    documents: I32
    position_offsets: I32
    positions: I32


def count_rows(segments: Sequence[Segment], order: I64) -> tuple[I64, I64]:
    """Return the number of documents and of occurrences of each term of a field, in a given order of the terms.

    Parameters
    ----------
    segments : sequence of Segment
    order : array of int64
        Term numbers of the segments.
    """
    n_documents, n_occurrences = np.zeros((2, order.size), np.int64)
    for segment in segments:
        more_documents, more_occurrences = segment.counts(order.size)
        n_documents += more_documents
        n_occurrences += more_occurrences
    if n_occurrences.max(initial=0) > np.iinfo(np.int32).max:
        raise InvalidDataError("a term occurs more than 2,147,483,647 times in a field; build several indexes")
    return n_documents[order], n_occurrences[order]


def field_lengths(segments: Sequence[Segment], n_documents: int) -> I32:
    """Return the number of terms of every document in a field.

    Parameters
    ----------
    segments : sequence of Segment
    n_documents : int
    """
    lengths = np.zeros(n_documents, np.int32)
    for segment in segments:
        lengths[segment.first_document : segment.first_document + segment.lengths.size] = segment.lengths
    return lengths


def merge_rows(segments: Sequence[Segment], order: I64, n_documents: I64, n_occurrences: I64) -> Iterator[MergedRows]:
    """Merge the segments of a field, a block of terms at a time.

    Parameters
    ----------
    segments : sequence of Segment
        Segments, ordered by their documents.
    order : array of int64
        Term numbers of the segments, in the order of the index.
    n_documents, n_occurrences : arrays of int64
        Result of :func:`count_rows`.
    """
    from rankmax._kernels.text.postings import append_postings

    for first, last in _blocks(n_documents + n_occurrences + 1):
        terms = order[first:last]
        df, cf = n_documents[first:last], n_occurrences[first:last]
        posting_ends, position_ends = np.cumsum(df) - df, np.cumsum(cf) - cf
        merged = MergedRows(
            np.empty(df.sum(), np.int32), np.zeros(df.sum() + terms.size, np.int32), np.empty(cf.sum(), np.int32)
        )
        for segment in segments:
            append_postings(
                terms,
                segment.posting_offsets,
                segment.documents,
                segment.frequencies,
                segment.position_starts,
                segment.positions,
                posting_ends,
                position_ends,
                merged.documents,
                merged.position_offsets,
                merged.positions,
            )
        yield merged


def _blocks(sizes: I64) -> Iterator[tuple[int, int]]:
    """Cut rows into groups of about a block, at least one row each."""
    ends = np.cumsum(sizes)
    first = 0
    while first < sizes.size:
        written = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, written + _BLOCK, side="right")))
        yield first, last
        first = last
