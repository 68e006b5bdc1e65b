"""CSV tables: what is written is read back, as pandas reads it too; what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.formats.csv import read_csv, write_csv


@given(
    rows=st.lists(
        st.tuples(
            st.floats(-1e9, 1e9), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0, 2.5, np.nan])
        ),
        min_size=1,
        max_size=8,
    ),
    name=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=5),
)
def test_what_is_written_is_read_back(tmp_path_factory, rows: list[tuple[float, float, float]], name: str) -> None:
    path = tmp_path_factory.mktemp("csv") / "data.csv"
    X = np.array([row[:2] for row in rows])
    names = [f"a{name}", 'quoted, "b"']
    data = RankingDataset.from_arrays(
        X, [row[2] for row in rows], qid=[f"q{i % 2}" for i in range(len(rows))], feature_names=names
    )
    write_csv(data, path)
    back = read_csv(path)
    assert back.feature_names == tuple(names)
    np.testing.assert_array_equal(back.features, data.features)
    np.testing.assert_array_equal(back.grades, data.grades)
    np.testing.assert_allclose(pd.read_csv(path)[names].to_numpy(), data.features, rtol=1e-12)


def test_columns_may_be_separated_by_tabs_and_stand_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "log.tsv").write_text("bm25\tlabel\tdoc\tquery\n1.5\t2\td1\tq1\n\n0\t\td2\tq2\n")
    data = read_csv(tmp_path / "log.tsv")
    assert data.query_ids == ("q1", "q2")
    assert data.document_ids is not None
    assert data.document_ids.to_list() == ["d1", "d2"]
    assert data.column(0).tolist() == [1.5, 0.0]
    assert np.isnan(data.grades[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"log\.csv: has no column 'query' and 'label'; it is empty"),
        ("query,bm25\nq1,1\n", r"has no column 'label'; its first line is query, bm25"),
        ("query,label,a,a\n", r"log\.csv:1: several columns are named a"),
        ("query,label,a\n", "no line with a document"),
        ("query,label,a\nq1,1,2\nq1,1\n", r"log\.csv:3: 2 columns, the first line has 3"),
        ("query,label,a\nq1,1,x\n", r"log\.csv:2: 'x' in column 'a' is not a finite number"),
        ("query,label,a\nq1,high,1\n", r"log\.csv:2: 'high' in column 'label'"),
        ("query,label,a\nq1,1,inf\n", "'inf' in column 'a' is not a finite number"),
        ("query,label,a\nq1,-1,1\n", "grades must not be negative"),
        ('query,label,a\nq1,1,"2\n', "not CSV"),
        ("query,label,a\nq1,1,1_000\n", r"log\.csv:2: '1_000' in column 'a' is not a finite number"),
        ("query,label,a\nq1,1,\u0661\u0662\n", r"log\.csv:2: '\u0661\u0662' in column 'a' is not a finite number"),
        ("query,label,a\nq1,1_0,1\n", "'1_0' in column 'label' is not a finite number"),
        ("query,label,a\nq1,5e-324,1\n", "grade 4.94066e-324 is out of range: apart from 0, grades are from 1e-100 to"),
        (f"query,label,a\nq1,1,{'1' * 131_073}\n", r"log\.csv:2: not CSV: field larger than field limit"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(DataFormatError, match=message):
        read_csv(tmp_path / "log.csv")


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes("query,label,größe\n".encode("latin-1"))
    with pytest.raises(DataFormatError, match="not UTF-8"):
        read_csv(tmp_path / "log.csv")


def test_what_a_table_cannot_hold_is_refused(tmp_path: Path) -> None:
    clash = RankingDataset.from_arrays([[1.0]], [1], qid=[7], feature_names=["label"])
    with pytest.raises(IncompatibleError, match="a feature is named 'label'"):
        write_csv(clash, tmp_path / "a.csv")
    joined = join_runs({"a": Run.from_dict({"q": {"d": 1.0}})}, Qrels.from_dict({"q": {"e": 1}}), missing="zero")
    with pytest.raises(IncompatibleError, match=r"1 judged document was not retrieved.*write \.npz"):
        write_csv(joined, tmp_path / "a.csv")


def test_a_table_with_many_columns_is_read_in_linear_time(tmp_path: Path) -> None:
    names = [f"f{n}" for n in range(100_000)]  # counting each among the others took minutes
    (tmp_path / "log.csv").write_text(",".join(["query", "label", *names]) + "\n" + "q,1" + ",0" * len(names) + "\n")
    assert read_csv(tmp_path / "log.csv").n_features == len(names)
