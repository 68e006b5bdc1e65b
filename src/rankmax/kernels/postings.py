"""Grouping the tokens of many documents by term, and putting groups of several segments one after the other."""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import I32, I64


@njit(cache=True)
def group_tokens(
    lengths: I32, terms: I32, positions: I32, n_terms: int, first_document: int
) -> tuple[I64, I32, I32, I64, I32]:
    """Sort tokens by term, then document, then position, in two passes over them.

    Parameters
    ----------
    lengths : int32
        Number of tokens of each document.
    terms, positions : int32
        Of each token, document after document, positions ascending within a document.
    n_terms : int
        All terms are below it.
    first_document : int
        Number of the first document.

    Returns
    -------
    posting_offsets : int64, n_terms + 1
        Where a term's documents begin.
    documents, frequencies : int32
        Of each posting.
    position_starts : int64, n_terms + 1
        Where a term's positions begin.
    positions : int32
    """
    posting_offsets = np.zeros(n_terms + 1, np.int64)
    position_starts = np.zeros(n_terms + 1, np.int64)
    latest = np.full(n_terms, -1, np.int64)  # the last document a term was met in
    token = 0
    for document in range(lengths.size):
        for _ in range(lengths[document]):
            term = terms[token]
            position_starts[term + 1] += 1
            if latest[term] != document:
                latest[term] = document
                posting_offsets[term + 1] += 1
            token += 1
    for term in range(n_terms):
        posting_offsets[term + 1] += posting_offsets[term]
        position_starts[term + 1] += position_starts[term]
    documents = np.empty(posting_offsets[n_terms], np.int32)
    frequencies = np.zeros(posting_offsets[n_terms], np.int32)
    grouped = np.empty(position_starts[n_terms], np.int32)
    posting = posting_offsets[:-1] - 1
    slot = position_starts[:-1].copy()
    latest[:] = -1
    token = 0
    for document in range(lengths.size):
        for _ in range(lengths[document]):
            term = terms[token]
            if latest[term] != document:
                latest[term] = document
                posting[term] += 1
                documents[posting[term]] = first_document + document
            frequencies[posting[term]] += 1
            grouped[slot[term]] = positions[token]
            slot[term] += 1
            token += 1
    return posting_offsets, documents, frequencies, position_starts, grouped


@njit(cache=True)
def append_postings(
    terms: I64,
    segment_posting_offsets: I64,
    segment_documents: I32,
    segment_frequencies: I32,
    segment_position_starts: I64,
    segment_positions: I32,
    posting_ends: I64,
    position_ends: I64,
    documents: I32,
    position_offsets: I32,
    positions: I32,
) -> None:
    """Append a segment's postings of some terms to what earlier segments gave.

    Parameters
    ----------
    terms : int64
        Terms of the segment in the order of the rows to fill; the segment may know fewer.
    segment_... : arrays
        What :func:`group_tokens` returned.
    posting_ends, position_ends : int64
        Up to where each row is filled; moved on.
    documents, positions : int32
        Rows back to back.
    position_offsets : int32
        Each row has one entry more than it has documents: where in the row's positions a document's begin.
    """
    n_known = segment_posting_offsets.size - 1
    for row in range(terms.size):
        term = terms[row]
        if term >= n_known:
            continue
        posting = posting_ends[row]
        for p in range(segment_posting_offsets[term], segment_posting_offsets[term + 1]):
            documents[posting] = segment_documents[p]
            slot = posting + row  # every row before this one has an entry more
            position_offsets[slot + 1] = position_offsets[slot] + segment_frequencies[p]
            posting += 1
        posting_ends[row] = posting
        begin, end = segment_position_starts[term], segment_position_starts[term + 1]
        target = position_ends[row]
        positions[target : target + end - begin] = segment_positions[begin:end]
        position_ends[row] = target + end - begin
