"""UBI as it is written: the fields of its schema, and what it cannot hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.errors import RankmaxError
from rankmax.formats.click_files import read_clicks
from rankmax.formats.ubi_writing import write_ubi


def test_ubi_has_the_fields_that_its_schema_requires(tmp_path: Path) -> None:
    (tmp_path / "clicks.csv").write_text("query,doc,position,clicked,search\nq1,d1,1,1,s1\nq1,d2,2,0,s1\n")
    write_ubi(read_clicks(tmp_path / "clicks.csv"), tmp_path / "ubi.ndjson", bulk=True)
    lines = [json.loads(line) for line in (tmp_path / "ubi.ndjson").read_text().splitlines()]
    assert [line["index"]["_index"] for line in lines[::2]] == ["ubi_queries", *["ubi_events"] * 3]
    search, *events = lines[1::2]
    assert (search["user_query"], search["query_response_hit_ids"]) == ("q1", ["d1", "d2"])
    assert [(one["action_name"], one["query_id"]) for one in events] == [
        ("impression", "1"),
        ("impression", "1"),
        ("click", "1"),
    ]
    assert all(one["timestamp"].endswith("Z") for one in lines[1::2])
    assert [one["event_attributes"]["position"]["ordinal"] for one in events] == [1, 2, 1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("query,doc,position,clicked\nq1,d1,1,1\n", "add a column search with the id of each search"),
        ("query,doc,position,clicked,count,search\nq1,d1,1,1,0.5,s1\n", "one has the count 0.5"),
        ("query,doc,position,clicked,count,search\nq1,d1,1,1,1e9,s1\n", "at most 10,000,000 are written"),
    ],
)
def test_clicks_that_ubi_cannot_hold_are_refused(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "clicks.csv").write_text(table)
    with pytest.raises(RankmaxError, match=message):
        write_ubi(read_clicks(tmp_path / "clicks.csv"), tmp_path / "ubi.jsonl")
    assert not (tmp_path / "ubi.jsonl").exists()
