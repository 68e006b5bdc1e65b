"""Norms of documents against the vectors they are of."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax._kernels.text.document_norms import vector_norms

N_TERMS, N_FIELDS = 3, 2

frequencies = st.lists(  # by field, term and document
    st.lists(st.integers(0, 3), min_size=N_FIELDS * N_TERMS, max_size=N_FIELDS * N_TERMS), min_size=1, max_size=6
).map(lambda rows: np.array(rows).T.reshape(N_FIELDS, N_TERMS, -1))


@settings(max_examples=30)
@given(frequencies, st.sampled_from([[0], [1], [0, 1]]))
def test_norms_are_those_of_the_vectors(frequencies: np.ndarray, fields: list[int]) -> None:
    rows = frequencies.reshape(N_FIELDS * N_TERMS, -1)
    offsets = np.concatenate([[0], np.cumsum((rows > 0).sum(axis=1))])
    documents = np.concatenate([np.flatnonzero(row) for row in rows]).astype(np.int32)
    position_offsets = np.concatenate([np.cumsum([0, *row[row > 0]]) for row in rows]).astype(np.int32)
    n = rows.shape[1]
    found = vector_norms(np.array(fields), N_TERMS, n, offsets, documents, position_offsets)
    tf = frequencies[fields].sum(axis=0)
    idf = np.log((n + 1) / ((tf > 0).sum(axis=1) + 0.5))
    np.testing.assert_allclose(found, np.linalg.norm(tf * idf[:, np.newaxis], axis=0))
