"""Counting, for every term of an index, how many of some documents have it."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import I32, I64, U8
from rankmax._kernels.compilation import njit


@njit(cache=True)
def count_by_kind(kinds: U8, n_kinds: int, fields: I64, n_terms: int, posting_offsets: I64, documents: I32) -> I64:
    """Return in how many documents of each kind every term occurs, shape (n_kinds, n_terms).

    Row `field * n_terms + term` of the postings holds a term's documents in a field; a document with the term in
    several of `fields` counts once. Documents of kind 0 do not count: the first row of what is returned is zero.
    """
    counts = np.zeros((n_kinds, n_terms), np.int64)
    last_term = np.full(kinds.size, -1, np.int64)  # that each document was counted for
    for term in range(n_terms):
        for field in fields:
            row = field * n_terms + term
            for posting in range(posting_offsets[row], posting_offsets[row + 1]):
                document = documents[posting]
                if kinds[document] > 0 and last_term[document] != term:
                    last_term[document] = term
                    counts[kinds[document], term] += 1
    return counts
