"""The data set: built from what people have, grouped by query, refused with a reason, then frozen."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_matrix, random_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError

X = np.array([[1.0, 0.5], [0.2, 0.1], [0.4, 0.9]])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_rows_are_grouped_by_query_in_order_of_appearance(qid: list[int]) -> None:
    rows = np.arange(len(qid), dtype=float)[:, None]
    data = RankingDataset.from_arrays(rows, rows[:, 0], qid=qid, document_ids=[f"d{i}" for i in range(len(qid))])
    expected = [[i for i, q in enumerate(qid) if q == query] for query in dict.fromkeys(qid)]
    assert data.query_ids == tuple(str(query) for query in dict.fromkeys(qid))
    order = list(itertools.chain.from_iterable(expected))
    assert data.features[:, 0].tolist() == data.grades.tolist() == order
    assert data.document_ids is not None
    assert data.document_ids.to_list() == [f"d{i}" for i in order]
    assert np.diff(data.query_offsets).tolist() == [len(rows) for rows in expected]
    assert (list(range(len(qid))) if data.rows is None else data.rows.tolist()) == order


@pytest.mark.parametrize(
    "matrix",
    [
        X.tolist(),
        X,
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(object),
        pd.DataFrame(X),
        pl.DataFrame(X),
        csc_array(X),
        csr_matrix(X),
        coo_array(X.astype(np.float32)),
    ],
    ids=lambda matrix: f"{type(matrix).__module__}.{type(matrix).__name__}",
)
def test_every_kind_of_matrix_gives_the_same_features(matrix: Any) -> None:
    data = RankingDataset.from_arrays(matrix, [1, 0, 2], qid=["b", "a", "b"])
    single = getattr(matrix, "dtype", None) == np.float32
    assert data.features.dtype == (np.float32 if single else np.float64)
    for j in range(2):
        np.testing.assert_allclose(data.column(j), X[[0, 2, 1], j], rtol=1e-7 if single else 0)
        assert data.column(j).dtype == np.float64
    np.testing.assert_allclose(data.scores([1.0, 2.0]), X[[0, 2, 1]] @ [1.0, 2.0], rtol=1e-7)


def test_data_frames_name_the_features() -> None:
    columns = {"bm25": [1.0, 2.0], "clicks": [3, 4]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        assert RankingDataset.from_arrays(frame, [0, 1], qid=[1, 1]).feature_names == ("bm25", "clicks")


def test_duplicate_sparse_entries_are_summed() -> None:
    matrix = coo_array(([1.0, 2.0, 5.0], ([1, 1, 0], [0, 0, 0])), shape=(2, 1))
    assert RankingDataset.from_arrays(matrix, [0, 1], qid=[1, 1]).column(0).tolist() == [5.0, 3.0]


def test_unsorted_sparse_entries_are_sorted_and_left_alone() -> None:
    given = csc_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(2, 1))
    for copy in (True, False):
        features = RankingDataset.from_arrays(given, [0, 1], qid=[1, 1], copy=copy).features
        assert features.indices.tolist() == [0, 1]
    direct = RankingDataset(given, ("x",), Judgments.from_grades([0, 1], [0, 2]))
    assert direct.features.data.tolist() == [2.0, 1.0]
    assert given.indices.tolist() == [1, 0]


def test_input_is_copied_unless_handed_over() -> None:
    matrix = np.asfortranarray(X)
    assert not np.shares_memory(RankingDataset.from_arrays(matrix, [0, 0, 0], qid=[1, 1, 1]).features, matrix)
    assert matrix.flags.writeable
    taken = RankingDataset.from_arrays(matrix, [0, 0, 0], qid=[1, 1, 1], copy=False)
    assert taken.features is matrix
    assert not matrix.flags.writeable


@pytest.mark.parametrize("matrix", [X, csc_array(X)])
def test_nothing_can_be_changed(matrix: Any) -> None:
    data = RankingDataset.from_arrays(matrix, [1, 0, 2], qid=["b", "a", "b"])
    features = data.features if isinstance(data.features, np.ndarray) else data.features.data
    for array in (features, data.query_offsets, data.rows, data.judgments.document_levels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        data.rows = None  # type: ignore[misc]


@given(st.integers(0, 100), st.booleans())
def test_select_equals_building_from_the_chosen_rows(seed: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_array((30, 4), density=0.5, rng=rng)
    grades, qid = rng.integers(0, 3, 30).astype(float), rng.integers(0, 6, 30)
    data = RankingDataset.from_arrays(matrix if sparse else matrix.toarray(), grades, qid=qid)
    chosen = rng.permutation(data.n_queries)[: rng.integers(0, data.n_queries + 1)]
    part = data.select(chosen)
    rows = [i for q in chosen for i in np.flatnonzero(qid == int(data.query_ids[q]))]
    assert part.rows is not None
    assert part.rows.tolist() == rows
    for j in range(4):
        assert part.column(j).tolist() == matrix.toarray()[rows, j].tolist()
    assert part.grades.tolist() == grades[rows].tolist()
    mask = np.isin(np.arange(data.n_queries), chosen)
    assert data.select(mask).query_ids == tuple(data.query_ids[q] for q in np.sort(chosen))


def test_select_features_goes_by_name() -> None:
    for matrix in (X, csc_array(X)):
        data = RankingDataset.from_arrays(matrix, [1, 0, 2], qid=[1, 1, 1], feature_names=["a", "b"])
        swapped = data.select_features(["b", "a"])
        assert swapped.column(0).tolist() == X[:, 1].tolist()
        assert data.select_features(["a", "b"]) is data
        with pytest.raises(InvalidDataError, match="lacks 1 of 2 features: c; it has a, b"):
            data.select_features(["a", "c"])


def test_scores_are_the_same_bits_in_any_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    data = RankingDataset.from_arrays(rng.standard_normal((50, 7)), np.zeros(50), qid=np.zeros(50))
    weights = rng.standard_normal(7)
    whole = data.scores(weights)
    monkeypatch.setattr("rankmax.data.dataset._BLOCK", 8)
    assert np.array_equal(data.scores(weights), whole)
    by_hand = [sum(w * float(x) for w, x in zip(weights, row, strict=True)) for row in data.features]
    np.testing.assert_allclose(whole, by_hand, rtol=1e-12)


def test_empty_data_is_a_data_set() -> None:
    data = RankingDataset.from_arrays(np.empty((0, 3)), [], qid=[])
    assert (data.n_documents, data.n_queries, data.n_features) == (0, 0, 3)
    assert data.scores([1, 2, 3]).size == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": [[1.0, np.nan], [0, 0], [0, 0]]}, r"features\[0, 1\] is nan; features must be finite"),
        ({"X": csc_array([[0, 1.0], [0, 0], [0, np.inf]])}, r"features\[2, 1\] is inf"),
        ({"X": [["a"], ["b"], ["c"]]}, "features must be numbers"),
        ({"X": csc_array(X * 1j)}, "features must be numbers: found complex128"),
        ({"X": [[1.0], [1.0, 2.0], [3.0]]}, "rows of equal length"),
        ({"X": [1.0, 2.0, 3.0]}, r"shape \(3,\); expected \(n_documents, n_features\)"),
        ({"grades": [0, -1, 0]}, r"grades\[1\] is -1; grades must not be negative"),
        ({"grades": [0, np.inf, 0]}, "a grade is infinite"),
        ({"grades": [0, 1]}, r"grades have shape \(2,\); expected \(3,\)"),
        ({"grades": ["good", "bad", "bad"]}, "grades must be numbers"),
        ({"qid": [1, 1]}, r"qid has shape \(2,\); expected \(3,\)"),
        ({"qid": [1.0, np.nan, 2.0]}, "qid has NaN"),
        ({"qid": np.array([1.0, np.nan, 2.0], object)}, "qid has NaN"),
        ({"qid": np.array(["a", None, "b"], object)}, "all numbers or all strings, found NoneType, str"),
        ({"qid": np.array([1, "1", 1], object)}, "all numbers or all strings, found int, str"),
        ({"qid": pd.Series([1, pd.NA, 1])}, "found NAType, int"),
        ({"feature_names": ["a"]}, "1 feature names for 2 features"),
        ({"feature_names": ["a", "a"]}, "every feature name may occur only once; repeated: a"),
        ({"document_ids": ["d1"]}, "1 document ids for 3 rows"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        RankingDataset.from_arrays(**{"X": X, "grades": [0, 1, 0], "qid": [1, 1, 2], **changes})


def test_constructor_checks_that_parts_fit() -> None:
    judgments = Judgments.from_grades([0, 1], [0, 1, 2], query_ids=["q", "q"])
    with pytest.raises(InvalidDataError, match="every query id may occur only once; repeated: q"):
        RankingDataset(np.zeros((2, 1)), ("x",), judgments)
    with pytest.raises(InvalidDataError, match="3 rows of features for 2 grades"):
        RankingDataset(np.zeros((3, 1)), ("x",), judgments)
    with pytest.raises(InvalidDataError, match=r"weights have shape \(3,\); the data has 2 features"):
        RankingDataset.from_arrays(X, [0, 1, 0], qid=[1, 1, 2]).scores([1, 2, 3])


@pytest.mark.parametrize("sparse", [False, True])
def test_copies_are_as_frozen_as_the_original(sparse: bool) -> None:
    X = csc_array([[1.0], [0.5]]) if sparse else [[1.0], [0.5]]
    data = pickle.loads(pickle.dumps(RankingDataset.from_arrays(X, [1, 0], qid=[7, 7])))
    stored = data.features.data if sparse else data.features
    for array in (stored, data.query_offsets, data.judgments.levels, data.judgments.document_levels):
        assert not array.flags.writeable
