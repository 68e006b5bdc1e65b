"""Parquet: columns come back, other people's tables are read, damage is a DataFormatError."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.synthetic import mslr_like
from rankmax.errors import DataFormatError, IncompatibleError, MissingDependencyError
from rankmax.formats import parquet
from rankmax.formats.parquet import read_parquet, write_parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def example(dtype: type[np.floating] = np.float64) -> RankingDataset:
    X = np.array([[0.1, 2.0], [0.2, 0.0], [0.3, 5.0]], dtype)
    ids = ["d1", "d2", "größe"]
    return RankingDataset.from_arrays(
        X, [0, np.nan, 1.5], qid=["q1", "q1", "q2"], document_ids=ids, feature_names=["bm25", "clicks"]
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everything_comes_back(tmp_path: Path, dtype: type[np.floating]) -> None:
    data = example(dtype)
    write_parquet(data, tmp_path / "data.parquet")
    assert pq.read_schema(tmp_path / "data.parquet").names == ["query", "doc", "label", "bm25", "clicks"]
    back = read_parquet(tmp_path / "data.parquet")
    assert back.features.dtype == dtype
    np.testing.assert_array_equal(back.features, data.features)
    np.testing.assert_array_equal(back.grades, data.grades)
    assert (back.query_ids, back.feature_names) == (data.query_ids, data.feature_names)
    assert back.document_ids is not None
    assert back.document_ids.to_list() == ["d1", "d2", "größe"]


def test_row_groups_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROW_GROUP", 100)
    data = mslr_like(5, seed=1)
    write_parquet(data, tmp_path / "data.parquet")
    assert pq.ParquetFile(tmp_path / "data.parquet").num_row_groups > 3
    back = read_parquet(tmp_path / "data.parquet")
    assert np.array_equal(back.features, data.features)
    assert np.array_equal(back.query_offsets, data.query_offsets)


def test_sparse_features_become_dense_columns(tmp_path: Path) -> None:
    X = csc_array([[0.0, 1.0], [2.0, 0.0]])
    write_parquet(RankingDataset.from_arrays(X, [0, 1], qid=[1, 1]), tmp_path / "data.parquet")
    np.testing.assert_array_equal(read_parquet(tmp_path / "data.parquet").features, X.toarray())


def test_no_documents_and_no_features(tmp_path: Path) -> None:
    for shape in ((0, 2), (3, 0)):
        data = RankingDataset.from_arrays(np.empty(shape), np.zeros(shape[0]), qid=np.zeros(shape[0]))
        write_parquet(data, tmp_path / "data.parquet")
        assert read_parquet(tmp_path / "data.parquet").features.shape == shape


def table(tmp_path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def test_other_peoples_tables(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        srch_id=pa.array([7, 3, 7], pa.int32()),
        price=[10, 20, 30],
        good=[True, False, True],
        note=["a", "b", "c"],
        booked=pa.array([1, 0, None], pa.int8()),
    )
    data = read_parquet(path, query="srch_id", label="booked", features=["price", "good"])
    assert data.query_ids == ("7", "3")
    assert data.features.tolist() == [[10, 1], [30, 1], [20, 0]]
    np.testing.assert_array_equal(data.grades, [1, np.nan, 0])
    assert data.document_ids is None


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": [1], "label": [1]}, "has no column 'query'; its columns are qid, label"),
        ({"query": [1], "x": [1]}, "has no column 'label'"),
        ({"query": [1], "label": [1], "title": ["a"]}, r"no numbers in column title; choose .* features="),
        ({"query": [1, None], "label": [1, 1]}, "a query is missing"),
        ({"query": [1], "label": ["good"]}, "not an intact Parquet file|holds string, expected numbers"),
        ({"query": [1], "label": [-1]}, "grades must not be negative"),
        ({"query": [1], "label": [1], "x": [float("nan")]}, r"features\[0, 0\] is nan"),
        ({"query": [1], "label": [1], "x": pa.array([None], pa.float64())}, r"features\[0, 0\] is nan"),
        ({"query": [1, 1], "label": [1, 1], "doc": ["d", None]}, "column 'doc' has a missing value in row 2"),
        ({"query": [[1]], "label": [1]}, "not an intact Parquet file|query"),
    ],
)
def test_tables_that_do_not_fit_are_named(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(DataFormatError, match=message):
        read_parquet(table(tmp_path, **columns))


def test_repeated_columns_are_named(tmp_path: Path) -> None:
    repeated = pa.Table.from_arrays([pa.array([1])] * 4, names=["query", "label", "x", "x"])
    pq.write_table(repeated, tmp_path / "table.parquet")
    with pytest.raises(DataFormatError, match="several columns are named x"):
        read_parquet(tmp_path / "table.parquet")


def test_what_a_table_cannot_hold_is_refused(tmp_path: Path) -> None:
    clash = RankingDataset.from_arrays([[1.0]], [1], qid=[1], feature_names=["label"])
    with pytest.raises(IncompatibleError, match="a feature is named 'label'"):
        write_parquet(clash, tmp_path / "data.parquet")
    write_parquet(clash, tmp_path / "data.parquet", label="grade")
    assert read_parquet(tmp_path / "data.parquet", label="grade").feature_names == ("label",)
    judgments = Judgments.from_grades([1], [0, 1], unretrieved_grades=[1], unretrieved_offsets=[0, 1])
    with pytest.raises(IncompatibleError, match=r"1 judged document was not retrieved.*\.npz"):
        write_parquet(RankingDataset(np.ones((1, 1)), ("x",), judgments), tmp_path / "data.parquet")


def test_pyarrow_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"reading Parquet needs .*rankmax\[parquet\]"):
        read_parquet(tmp_path / "data.parquet")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutated_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    write_parquet(example(), tmp_path / "good.parquet")
    content = bytearray((tmp_path / "good.parquet").read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    (tmp_path / "bad.parquet").write_bytes(content[:cut])
    with suppress(DataFormatError):
        read_parquet(tmp_path / "bad.parquet")
