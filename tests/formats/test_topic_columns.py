from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError, UnknownNameError
from rankmax.formats.topic_columns import read_query_column


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("q1\twing flutter\nq2\theat\n", "query_length", {"q1": "2", "q2": "1"}),
        ('{"id": "q1", "text": "a b c"}\n', "query_length", {"q1": "3"}),
        ('{"qid": 7, "kind": "what"}\n\n{"qid": "8", "kind": "who"}\n', "kind", {"7": "what", "8": "who"}),
        ("id\ttext\tkind\nq1\ta b\twhat\n", "kind", {"q1": "what"}),
        ("kind,query\nwhat,q1\nwho,q2\n", "kind", {"q1": "what", "q2": "who"}),
        ("id,query_length\nq1,12\n", "query_length", {"q1": "12"}),
        ("id\ttext\tkind\nq1\ta b\twhat is\n", "query_length", {"q1": "2"}),
        ("kind,query,qid\nx y z,a b,q1\n", "query_length", {"q1": "2"}),
        ("query\ttext\nq1\ta b\n", "query_length", {"q1": "2"}),
        ('title,_id\n"a, b c",q1\n', "query_length", {"q1": "3"}),
        ("query-id\ttext\tkind\nq1\ta b\twhat is\n", "query_length", {"q1": "2"}),
        ("query-id\ttext\tkind\nq1\ta b\twhat is\n", "kind", {"q1": "what is"}),
        ("query\ttitle\tkind\nq1\ta b\twhat is\n", "query_length", {"q1": "2"}),
        ("q1\tquery\nq2\tquery text\n", "query_length", {"q1": "1", "q2": "2"}),
    ],
)
def test_columns_are_read_from_any_table(tmp_path: Path, text: str, column: str, expected: dict[str, str]) -> None:
    path = tmp_path / "topics"
    path.write_text(text)
    assert read_query_column(path, column) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "q1", "kind": "a"}\n{\n', r"topics:2: not JSON"),
        ('{"id": "q1", "kind": "a"}\n[1]\n', r"topics:2: expected a JSON object"),
        ('{"id": "q1", "kind": "a"}\n{"kind": "b"}\n', r"topics:2: names no query"),
        ("id,kind\nq1,a\nq2,\n", r"topics:3: query 'q2' has no 'kind'"),
        ("id,kind\nq1,a\nq1,b\n", r"topics:3: query 'q1' occurs twice"),
        (f"id,kind\nq1,{'a' * 131_073}\n", r"topics:2: not a table: field larger than field limit"),
        (f"id,{'a' * 131_073}\n", r"topics:\d: not a table: field larger than field limit"),
        ('{"id": "q1", "kind": "\\ud800"}\n', r"topics:1: not Unicode text: a lone surrogate"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "topics"
    path.write_text(text)
    with pytest.raises(DataFormatError, match=message):
        read_query_column(path, "kind")


def test_words_are_counted_in_a_column_of_text_only(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    for name in ("id", "query"):
        path.write_text(f"{name}\tkind\nq1\ta b\n")
        with pytest.raises(
            DataFormatError, match=r"no column has the text of the queries.*expected text or query or title"
        ):
            read_query_column(path, "query_length")
    path.write_text("id\ttext\nq1\ta b\nq2\t\n")
    with pytest.raises(DataFormatError, match="topics:3: query 'q2' has no 'text'"):
        read_query_column(path, "query_length")


def test_unknown_columns_are_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "topics.csv"
    path.write_text("id,kind\nq1,a\n")
    with pytest.raises(UnknownNameError, match=r"'kimd'; did you mean 'kind'.*query_length"):
        read_query_column(path, "kimd")
    path.write_bytes(b"id,gr\xf6sse\n")
    with pytest.raises(DataFormatError, match="not UTF-8"):
        read_query_column(path, "kind")
