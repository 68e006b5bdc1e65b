"""Segments of queries, with queries that have no documents among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments, StoredSegments
from rankmax.errors import IncompatibleError


@given(st.lists(st.integers(0, 4), min_size=1).filter(any))
def test_reduce_and_spread_see_every_query_alone(lengths: list[int]) -> None:
    segments = QuerySegments(np.concatenate([[0], np.cumsum(lengths)]))
    column = np.random.default_rng(sum(lengths)).standard_normal(sum(lengths))
    queries = [part for part in np.split(column, np.cumsum(lengths)[:-1]) if part.size]
    assert segments.reduce(np.minimum, column).tolist() == [query.min() for query in queries]
    largest = np.array([query.max() for query in queries])
    assert segments.spread(largest).tolist() == [query.max() for query in queries for _ in query]
    assert segments.segment_of_document.tolist() == [i for i, query in enumerate(queries) for _ in query]


def test_stored_segments_are_for_sparse_features() -> None:
    with pytest.raises(IncompatibleError, match="only sparse features store some entries"):
        StoredSegments.of(RankingDataset.from_arrays([[1.0]], [1], qid=[1]))
