"""Columns of numbers: what files hold, how they are joined to documents, and what is said of bad ones."""

from __future__ import annotations

import gzip
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.errors import DataFormatError, InvalidDataError, UnknownNameError
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_columns import Columns, read_columns
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(st.text("abc", min_size=1), numbers), st.lists(st.text("abcd", min_size=1), unique=True))
def test_values_go_to_the_documents_of_their_ids(known: dict[str, float], sought: list[str]) -> None:
    columns = Columns.from_dict(list(known), {"n": list(known.values())})
    joined = columns.of(Ids.from_strings(sought), missing=-1.5)
    assert joined.tolist() == [[known.get(id_, -1.5) for id_ in sought]]


@pytest.mark.parametrize("separator", ["\t", ","])
@pytest.mark.parametrize("packed", [False, True])
def test_text_with_tabs_or_commas(tmp_path: Path, separator: str, packed: bool) -> None:
    rows = ["id|rank|day", "d1|1e-3|2024-02-29", "", 'd2|" 7"|', "é|-0.5|1970-01-01T06:00+06:00"]
    raw = "\r\n".join(rows).replace("|", separator).encode("utf-8-sig")
    path = tmp_path / "columns.csv"
    path.write_bytes(gzip.compress(raw) if packed else raw)
    columns = read_columns(path)
    assert columns.names == ("rank", "day")
    assert columns.ids.to_list() == ["d1", "d2", "é"]
    days = (date(2024, 2, 29) - date(1970, 1, 1)).days
    np.testing.assert_array_equal(columns.values, [[0.001, 7, -0.5], [days, np.nan, 0]])


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "doc": ["d1", "d2"],
            "rank": pa.array([3, None], pa.int32()),
            "day": [date(1970, 1, 3), None],
            "moment": [datetime(1970, 1, 1, 12, tzinfo=UTC), datetime(1969, 12, 31, tzinfo=UTC)],
        }
    )
    pq.write_table(table, tmp_path / "columns.parquet")
    columns = read_columns(tmp_path / "columns.parquet")
    assert (columns.ids.to_list(), columns.names) == (["d1", "d2"], ("rank", "day", "moment"))
    np.testing.assert_array_equal(columns.values, [[3, np.nan], [2, np.nan], [0.5, -1]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"columns.csv:1: expected a header"),
        ("id\n", r"columns.csv:1: expected a header"),
        ("id,a\nd1,1\n\nd2,1,2\n", r"columns.csv:4: expected 2 fields, as the header has, found 3"),
        (
            "id,a\nd1,tall\n",
            r"columns.csv:2: column 'a' has 'tall', expected a finite number, a date such as 2024-05-31",
        ),
        ("id,a\nd1,1_000\n", r"columns.csv:2: column 'a' has '1_000', expected a finite number"),
        ("id,a\nd1,inf\n", r"columns.csv:2: column 'a' has 'inf', expected a finite number"),
        ("id,a,a\nd1,1,2\n", r"columns.csv: columns need different names"),
        ("id,\nd1,1\n", r"columns.csv: columns need different names, which are not empty"),
        ("id,a\nd1,1\nd2,2\nd1,3\n", r"columns.csv: document 'd1' has two rows of columns"),
        ("id,a\nd\xff,1\n", r"columns.csv: not UTF-8 text"),
    ],
)
def test_bad_files_are_named_with_the_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "columns.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(DataFormatError, match=message):
        read_columns(tmp_path / "columns.csv")


@pytest.mark.parametrize("content", [b"PAR1 nonsense", b""])
def test_a_damaged_parquet_file_is_named(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "columns.parquet").write_bytes(content)
    with pytest.raises(DataFormatError, match=r"columns\.parquet: cannot be read as ids and columns"):
        read_columns(tmp_path / "columns.parquet")


def test_a_parquet_column_of_text_is_named(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"doc": ["d1"], "kind": ["tall"]}), tmp_path / "columns.parquet")
    with pytest.raises(DataFormatError, match="tall"):
        read_columns(tmp_path / "columns.parquet")
    pq.write_table(pa.table({"doc": [None], "n": [1.0]}), tmp_path / "columns.parquet")
    with pytest.raises(DataFormatError, match="row 1 has no id"):
        read_columns(tmp_path / "columns.parquet")


def test_infinite_values_and_wrong_shapes_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="infinite"):
        Columns.from_dict(["d1"], {"a": [np.inf]})
    with pytest.raises(InvalidDataError, match="1 columns of 2 documents"):
        Columns.from_dict(["d1", "d2"], {"a": [1.0]})


DOCUMENTS = [Document("d1", {"text": "wing"}), Document("d2", {"text": "flow"})]


def test_an_index_keeps_columns(tmp_path: Path) -> None:
    columns = Columns.from_dict(["d2", "d9"], {"rank": [0.25, 1.0], "depth": [3, 4]})
    build_index(DOCUMENTS, tmp_path / "index", columns=columns, column_default=-1)
    index = Index.open(tmp_path / "index")
    assert index.columns == ("rank", "depth")
    assert index.column("rank").tolist() == [-1, 0.25]
    assert index.column("depth").tolist() == [-1, 3]
    assert not index.column("rank").flags.writeable
    with pytest.raises(UnknownNameError, match=r"unknown column 'rink'; did you mean 'rank'"):
        index.column("rink")


def test_a_document_without_a_value_is_an_error_unless_a_default_is_given(tmp_path: Path) -> None:
    columns = Columns.from_dict(["d2"], {"rank": [0.25]})
    with pytest.raises(InvalidDataError, match=r"1 of 2 documents lack a value, the first is 'd1' in column 'rank'"):
        build_index(DOCUMENTS, tmp_path / "index", columns=columns)
    assert list(tmp_path.iterdir()) == []
