"""The spread within queries against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries

QID = [1, 1, 1, 2, 3, 3, 3, 3]


@pytest.mark.parametrize("make", [np.asarray, csc_array])
@given(X=arrays(np.float64, (8, 3), elements=st.integers(-3, 3).map(float)))
@settings(max_examples=50, deadline=None)
def test_is_the_root_mean_square_from_the_mean_of_the_query(make, X):
    parts = np.split(X, [3, 4])
    centered = np.concatenate([part - part.mean(axis=0) for part in parts])
    data = RankingDataset.from_arrays(make(X), np.zeros(8), qid=QID)
    np.testing.assert_allclose(spread_within_queries(data), np.sqrt((centered**2).mean(axis=0)), atol=1e-12)


@pytest.mark.parametrize("make", [np.asarray, csc_array])
def test_constant_is_exactly_zero_and_huge_does_not_overflow(make):
    X = np.column_stack([np.full(8, 0.1), np.repeat([0.1, 0.2, 0.3], [3, 1, 4]), np.arange(8) * 1e200])
    spread = spread_within_queries(RankingDataset.from_arrays(make(X), np.zeros(8), qid=QID))
    assert spread[0] == 0
    assert spread[1] == 0
    assert 1e199 < spread[2] < 1e201
