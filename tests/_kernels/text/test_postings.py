"""Grouping and merging against sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmax._kernels.text.postings import append_postings, group_tokens

N_TERMS = 5

documents_of_terms = st.lists(st.lists(st.integers(-1, N_TERMS - 1), max_size=8), max_size=10)


def grouped(collection: list[list[int]], first: int) -> tuple[np.ndarray, ...]:
    n_words = np.array([len(words) for words in collection], np.int32)
    terms = np.array([term for words in collection for term in words], np.int32)
    lengths, *postings = group_tokens(n_words, terms, N_TERMS, first)
    assert lengths.tolist() == [sum(term >= 0 for term in words) for words in collection]
    return tuple(postings)


@given(documents_of_terms, st.integers(0, 1000))
def test_tokens_are_sorted_by_term_document_and_position(collection: list[list[int]], first: int) -> None:
    offsets, documents, frequencies, starts, positions = grouped(collection, first)
    expected = sorted((t, first + d, p) for d, words in enumerate(collection) for p, t in enumerate(words) if t >= 0)
    term_of_posting = np.repeat(np.arange(N_TERMS), np.diff(offsets))
    tokens = zip(np.repeat(term_of_posting, frequencies), np.repeat(documents, frequencies), positions, strict=True)
    assert [tuple(map(int, token)) for token in tokens] == expected
    assert np.diff(starts).tolist() == [sum(t == term for t, _, _ in expected) for term in range(N_TERMS)]
    assert (frequencies > 0).all()


@given(documents_of_terms, documents_of_terms, st.permutations(range(N_TERMS)))
def test_two_segments_append_to_what_one_would_be(
    early: list[list[int]], late: list[list[int]], order: list[int]
) -> None:
    terms = np.array(order, np.int64)
    together = [grouped(early + late, 0)]
    apart = [grouped(early, 0), grouped(late, len(early))]
    offsets, _, _, starts, _ = together[0]
    df, cf = np.diff(offsets)[terms], np.diff(starts)[terms]
    results = []
    for segments in (together, apart):
        documents, positions = np.full(df.sum(), -1, np.int32), np.full(cf.sum(), -1, np.int32)
        position_offsets = np.zeros(df.sum() + N_TERMS, np.int32)
        posting_ends, position_ends = np.cumsum(df) - df, np.cumsum(cf) - cf
        for segment in segments:
            append_postings(terms, *segment, posting_ends, position_ends, documents, position_offsets, positions)
        assert posting_ends.tolist() == np.cumsum(df).tolist()
        results.append([documents.tolist(), position_offsets.tolist(), positions.tolist()])
    assert results[0] == results[1]
    assert [row[-1] for row in np.split(results[0][1], np.cumsum(df + 1)[:-1])] == cf.tolist()
