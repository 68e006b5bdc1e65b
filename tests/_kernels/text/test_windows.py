"""Window counts against their definition, on small vocabularies where windows repeat and overlap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.windows import count_ordered, count_unordered
from rankmax._kernels.text.windows import _seek, ordered_windows, unordered_windows

TERMS = "abcd"

collections = st.lists(st.lists(st.sampled_from([*TERMS, None]), max_size=25), max_size=12)


def rows_of(collection: list[list[str | None]]) -> tuple[np.ndarray, ...]:
    """Return the arrays of an index with one field and the terms a, b, c, d."""
    documents, offsets, positions = [], [], []
    posting_offsets, position_starts = [0], [0]
    for term in TERMS:
        offsets.append(0)
        for d, words in enumerate(collection):
            found = [p for p, word in enumerate(words) if word == term]
            if found:
                documents.append(d)
                positions += found
                offsets.append(offsets[-1] + len(found))
        posting_offsets.append(len(documents))
        position_starts.append(len(positions))
    typed = [(posting_offsets, np.int64), (documents, np.int32), (position_starts, np.int64)]
    typed += [(offsets, np.int32), (positions, np.int32)]
    return tuple(np.array(values, dtype) for values, dtype in typed)


@given(collections, st.lists(st.sampled_from(TERMS), min_size=1, max_size=4), st.integers(1, 9))
@example([["a", "b", "a", "b", "a"]], ["a", "b", "a"], 1)
@example([["a", "a", "a", "a", "a"]], ["a", "a"], 1)
@example([["a", "b", None, "b", None, "c"]], ["a", "b", "c"], 3)  # only the first b after a is tried
def test_ordered_windows_are_as_defined(collection: list[list[str | None]], terms: list[str], width: int) -> None:
    rows = np.array([TERMS.index(term) for term in terms], np.int64)
    documents, counts = ordered_windows(rows, width, *rows_of(collection))
    expected = {d: n for d, words in enumerate(collection) if (n := count_ordered(words, terms, width))}
    assert dict(zip(documents.tolist(), counts.tolist(), strict=True)) == expected


@given(
    collections,
    st.dictionaries(st.sampled_from(TERMS), st.integers(1, 3), min_size=1, max_size=4),
    st.integers(1, 12),
)
@example([["a", None, "b", "a", "b"]], {"a": 1, "b": 1}, 2)
@example([["a", "b", "a"]], {"a": 1, "b": 1}, 8)
@example([["a", None, "a", "a", "b", "a"]], {"a": 2, "b": 1}, 3)
def test_unordered_windows_are_as_defined(
    collection: list[list[str | None]], times: dict[str, int], width: int
) -> None:
    rows = np.array([TERMS.index(term) for term in times], np.int64)
    documents, counts = unordered_windows(rows, np.array(list(times.values())), width, *rows_of(collection))
    terms = [term for term, n in times.items() for _ in range(n)]
    expected = {d: n for d, words in enumerate(collection) if (n := count_unordered(words, terms, width))}
    assert dict(zip(documents.tolist(), counts.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 200), unique=True, max_size=60).map(sorted), st.integers(0, 201), st.data())
def test_seeking_agrees_with_a_binary_search(places: list[int], target: int, data: st.DataObject) -> None:
    documents = np.array(places, np.int32)
    begin = data.draw(st.integers(0, documents.size))
    expected = max(begin, int(np.searchsorted(documents, target)))
    assert _seek(documents, begin, documents.size, target) == expected


@pytest.mark.parametrize("width", [1, 8])
def test_a_term_alone_is_counted_by_its_occurrences(width: int) -> None:
    documents, counts = ordered_windows(np.array([0]), width, *rows_of([["a", "a", "b"], ["b"], ["a"]]))
    assert documents.tolist() == [0, 2]
    assert counts.tolist() == [2, 1]
