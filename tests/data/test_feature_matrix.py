"""The feature matrix: rows and columns taken, and matrices stacked, as numpy does it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, random_array

from rankmax.data.feature_matrix import feature_major, feature_matrix, stack_rows, take_columns, take_rows


@given(st.integers(0, 100), st.booleans(), st.sampled_from([np.float32, np.float64]))
def test_taking_equals_indexing(seed: int, sparse: bool, dtype: type[np.floating]) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_array((12, 7), density=0.4, rng=rng, dtype=dtype)
    features = feature_matrix(matrix if sparse else matrix.toarray())
    rows, columns = rng.integers(0, 12, 5), rng.integers(0, 7, 3)
    for taken, expected in (
        (take_rows(features, rows), matrix.toarray()[rows]),
        (take_columns(features, columns), matrix.toarray()[:, columns]),
    ):
        assert isinstance(taken, csc_array) is sparse
        assert taken.dtype == dtype
        assert sparse or taken.flags.f_contiguous
        np.testing.assert_array_equal(taken.toarray() if sparse else taken, expected)


@pytest.mark.parametrize("kinds", [(True, True), (True, False), (False, False)])
def test_stacking_equals_numpy(kinds: tuple[bool, bool]) -> None:
    parts = [random_array((n, 3), density=0.5, rng=np.random.default_rng(n)) for n in (4, 6)]
    given = [feature_matrix(p if sparse else p.toarray()) for p, sparse in zip(parts, kinds, strict=True)]
    stacked = stack_rows(given)
    assert isinstance(stacked, csc_array) is all(kinds)
    dense = stacked.toarray() if isinstance(stacked, csc_array) else stacked
    np.testing.assert_array_equal(dense, np.vstack([part.toarray() for part in parts]))


def test_feature_major_copies_only_what_is_not() -> None:
    fortran = np.zeros((3, 2), order="F")
    assert feature_major(fortran) is fortran
    assert not fortran.flags.writeable
    rows = np.arange(6.0).reshape(3, 2)
    assert feature_major(rows).flags.f_contiguous
    assert rows.flags.writeable
