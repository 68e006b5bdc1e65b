"""npz: every bit comes back, and a damaged file is a DataFormatError."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import random_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.errors import DataFormatError
from rankmax.formats.npz import read_npz, write_npz


def example(*, sparse: bool = False, dtype: type[np.floating] = np.float64, plain: bool = False) -> RankingDataset:
    rng = np.random.default_rng(0)
    matrix = random_array((9, 4), density=0.5, rng=rng, dtype=dtype)
    X = matrix if sparse else matrix.toarray()
    if plain:
        return RankingDataset.from_arrays(X, np.arange(9), qid=[1] * 9)
    judgments = Judgments.from_grades(
        [0, 1.5, np.nan, 0, 2, 0, 0, 0, 0],
        [0, 4, 4, 9],
        query_ids=["q 1", "q2", "Anfrage ä"],
        document_ids=Ids.from_strings(["", *(f"d{i}" for i in range(8))]),
        unretrieved_grades=[2, 0],
        unretrieved_offsets=[0, 1, 2, 2],
    )
    features = RankingDataset.from_arrays(X, np.zeros(9), qid=[1] * 9).features
    return RankingDataset(features, ("bm25", "größe", "x", "y"), judgments, rng.permutation(9))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("plain", [False, True])
def test_everything_comes_back(tmp_path: Path, sparse: bool, dtype: type[np.floating], plain: bool) -> None:
    data = example(sparse=sparse, dtype=dtype, plain=plain)
    write_npz(data, tmp_path / "data.npz")
    back = read_npz(tmp_path / "data.npz")
    assert back.features.dtype == dtype
    assert back.is_sparse is sparse
    for j in range(4):
        np.testing.assert_array_equal(back.column(j), data.column(j))
    assert (back.feature_names, back.query_ids) == (data.feature_names, data.query_ids)
    assert (back.document_ids is None) is (data.document_ids is None)
    if back.document_ids is not None and data.document_ids is not None:
        assert back.document_ids.to_list() == data.document_ids.to_list()
    for name in ("query_offsets", "levels", "document_levels", "unretrieved_offsets", "unretrieved_levels"):
        np.testing.assert_array_equal(getattr(back.judgments, name), getattr(data.judgments, name))
    np.testing.assert_array_equal(back.rows, data.rows)


def test_equal_data_gives_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        write_npz(example(), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def stored(tmp_path: Path, **changes: Any) -> Path:
    """Write the example with some of its arrays changed; None leaves one out."""
    write_npz(example(sparse="sparse_rows" in changes), tmp_path / "data.npz")
    arrays = {**np.load(tmp_path / "data.npz"), **changes}
    np.savez(tmp_path / "data.npz", **{name: array for name, array in arrays.items() if array is not None})
    return tmp_path / "data.npz"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": None}, "not a rankmax data set: its format should be 'rankmax/dataset/1'"),
        ({"format": np.arange(3)}, "not a rankmax data set"),
        ({"format": np.array("rankmax/dataset/2")}, "'rankmax/dataset/2'; this version of rankmax reads"),
        ({"grades": None}, "the array 'grades' is missing"),
        ({"grades": np.arange(9)}, "grades has shape .9,. and type int64"),
        ({"grades": np.arange(9, dtype=np.float32)}, "grades has type float32, expected float64"),
        ({"grades": np.zeros((3, 3))}, "grades has shape .3, 3."),
        ({"query_offsets": np.array([0, 5, 4, 9])}, "query_offsets must not decrease"),
        ({"features": np.zeros((9, 4), np.int64)}, "features are int64, expected float32 or float64"),
        ({"features": np.full((9, 4), np.nan)}, "must be finite"),
        ({"features": np.zeros((8, 4))}, "8 rows of features for 9 grades"),
        ({"rows": np.arange(3)}, "3 rows for 9 documents"),
        ({"query_ids_lengths": np.array([1, 2, 3])}, "lengths of strings do not add up"),
        ({"sparse_rows": np.full(18, 99)}, "sparse features do not fit together"),
        (
            {"sparse_rows": np.zeros(18, int), "sparse_offsets": np.array([0, 9, 9, 9, 0])},
            "sparse_offsets must increase",
        ),
        (
            {"sparse_rows": np.zeros(18, int), "sparse_offsets": np.array([0, 9, 8, 9, 18])},
            "sparse_offsets must increase",
        ),
        ({"sparse_rows": np.zeros(18, int), "sparse_offsets": np.array([0, 9, 18])}, "sparse_offsets must increase"),
        ({"sparse_rows": np.full(18, 0.5)}, "sparse_rows has shape .18,. and type float64"),
        ({"grades": np.array([object()] * 9)}, "does not fit its content"),
    ],
)
def test_contents_that_do_not_fit_are_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = stored(tmp_path, **changes)
    with pytest.raises(DataFormatError, match=message) as raised:
        read_npz(path)
    assert raised.value.path == str(path)


def test_byte_order_does_not_matter(tmp_path: Path) -> None:
    features = np.arange(36.0).reshape(9, 4)
    path = stored(tmp_path, features=features.astype(">f8"), grades=np.arange(9).astype(">f8"))
    data = read_npz(path)
    assert data.features.dtype == np.float64
    np.testing.assert_array_equal(data.features, features)
    assert data.grades.tolist() == list(range(9))


def test_sizes_are_not_believed(tmp_path: Path) -> None:
    """A header that claims petabytes is refused before memory is taken."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("grades.npy", header.getvalue())
    with pytest.raises(DataFormatError, match=r"header of grades\.npy does not fit its content"):
        read_npz(tmp_path / "huge.npz")


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", b"\x1f\x8b"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data.npz").write_bytes(content)
    with pytest.raises(DataFormatError, match=r"data\.npz: (not an intact \.npz|damaged or truncated gzip)"):
        read_npz(tmp_path / "data.npz")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.booleans())
def test_mutated_files_are_read_or_refused(tmp_path: Path, data: st.DataObject, sparse: bool) -> None:
    write_npz(example(sparse=sparse), tmp_path / "good.npz")
    content = bytearray((tmp_path / "good.npz").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    (tmp_path / "bad.npz").write_bytes(content[:cut])
    with suppress(DataFormatError):
        read_npz(tmp_path / "bad.npz")
