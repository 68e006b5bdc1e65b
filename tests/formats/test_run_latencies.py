"""Latency columns of runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError
from rankmax.formats.run_latencies import read_latencies


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.run", "q1 Q0 d1 1 2.0 latency\n", None),
        ("a.csv", "query,document,score\nq1,d1,2\n", None),
        ("a.csv", "query,document,score,latency_ms\nq1,d1,2,10\nq1,d2,1,12\nq2,d1,1,0.5\n", {"q1": 12.0, "q2": 0.5}),
        ("a.tsv", "qid\tdocno\tscore\tLatency\nq1\td1\t2\t3\n", {"q1": 3.0}),
        ("a.jsonl", '{"query_id": "q1", "doc_id": "d1", "score": 1, "took": 7}\n', {"q1": 7.0}),
    ],
)
def test_columns_are_found(tmp_path: Path, name: str, text: str, expected: dict[str, float] | None) -> None:
    (tmp_path / name).write_text(text)
    assert read_latencies(tmp_path / name) == expected


@pytest.mark.parametrize(("cell", "said"), [("slow", ":2: latency 'slow' is not"), ("-1", "query 'q1' is -1")])
def test_bad_latencies_are_named(tmp_path: Path, cell: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(f"query,document,score,latency_ms\nq1,d1,2,{cell}\n")
    with pytest.raises(DataFormatError, match=said):
        read_latencies(tmp_path / "a.csv")
