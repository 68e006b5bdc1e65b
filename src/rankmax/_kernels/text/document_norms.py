"""Lengths of documents as vectors of weighted terms."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.compilation import njit


@njit(cache=True)
def vector_norms(
    fields: I64, n_terms: int, n_documents: int, posting_offsets: I64, documents: I32, position_offsets: I32
) -> F64:
    """Return the Euclidean norm of each document's vector of tf * log((N + 1) / (df + 0.5)).

    Parameters
    ----------
    fields : int64
        Numbers of the fields that are read as one text; row ``field * n_terms + term`` holds a term's postings.
    n_terms, n_documents : int
    posting_offsets : int64
        Where each row's documents begin.
    documents : int32
    position_offsets : int32
        Each row has one entry more than it has documents; differences are frequencies.
    """
    squares = np.zeros(n_documents)
    frequencies = np.zeros(n_documents, np.int64)
    found = np.empty(n_documents, np.int32)
    for term in range(n_terms):
        n_found = 0
        for field in fields:
            row = field * n_terms + term
            for posting in range(posting_offsets[row], posting_offsets[row + 1]):
                document = documents[posting]
                if frequencies[document] == 0:
                    found[n_found] = document
                    n_found += 1
                slot = posting + row
                frequencies[document] += position_offsets[slot + 1] - position_offsets[slot]
        weight = np.log((n_documents + 1) / (n_found + 0.5))
        for document in found[:n_found]:
            squares[document] += (frequencies[document] * weight) ** 2
            frequencies[document] = 0
    return np.sqrt(squares)
