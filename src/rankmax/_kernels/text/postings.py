"""Grouping the tokens of many documents by term, and putting groups of several segments one after the other."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import I32, I64
from rankmax._kernels.compilation import njit


@njit(cache=True)
def group_tokens(n_words: I32, terms: I32, n_terms: int, first_document: int) -> tuple[I32, I64, I32, I32, I64, I32]:
    """Sort words by term, then document, then position, in two passes over them.

    Parameters
    ----------
    n_words : int32
        Number of words of each document.
    terms : int32
        Of each word, document after document; -1 for a word without a term.
    n_terms : int
        All terms are below it.
    first_document : int
        Number of the first document.

    Returns
    -------
    lengths : int32
        Number of words with a term in each document.
    posting_offsets : int64, n_terms + 1
        Where a term's documents begin.
    documents, frequencies : int32
        Of each posting.
    position_starts : int64, n_terms + 1
        Where a term's positions begin.
    positions : int32
        Among the words of the document, those without a term included.
    """
    lengths = np.zeros(n_words.size, np.int32)
    posting_offsets = np.zeros(n_terms + 1, np.int64)
    position_starts = np.zeros(n_terms + 1, np.int64)
    latest = np.full(n_terms, -1, np.int32)  # the last document a term was met in
    word = 0
    for document in range(n_words.size):
        for _ in range(n_words[document]):
            term = terms[word]
            word += 1
            if term < 0:
                continue
            lengths[document] += 1
            position_starts[term + 1] += 1
            if latest[term] != document:
                latest[term] = document
                posting_offsets[term + 1] += 1
    for term in range(n_terms):
        posting_offsets[term + 1] += posting_offsets[term]
        position_starts[term + 1] += position_starts[term]
    documents = np.empty(posting_offsets[n_terms], np.int32)
    frequencies = np.zeros(posting_offsets[n_terms], np.int32)
    positions = np.empty(position_starts[n_terms], np.int32)
    posting = posting_offsets[:-1] - 1
    slot = position_starts[:-1].copy()
    latest[:] = -1
    word = 0
    for document in range(n_words.size):
        for position in range(n_words[document]):
            term = terms[word]
            word += 1
            if term < 0:
                continue
            if latest[term] != document:
                latest[term] = document
                posting[term] += 1
                documents[posting[term]] = first_document + document
            frequencies[posting[term]] += 1
            positions[slot[term]] = position
            slot[term] += 1
    return lengths, posting_offsets, documents, frequencies, position_starts, positions


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
        What :func:`group_tokens` returned after the lengths.
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
        for p in range(begin, end):  # copying a slice as a whole takes seconds to compile
            positions[target + p - begin] = segment_positions[p]
        position_ends[row] = target + end - begin
