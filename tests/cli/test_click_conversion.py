"""`rankmax data clicks`."""

from __future__ import annotations

import json
from pathlib import Path


def test_events_become_a_table_and_judgments(rankmax, tmp_path: Path) -> None:
    events = [
        {"query_id": "s1", "user_query": "desk lamp", "query_response_hit_ids": ["d1", "d2"]},
        {"query_id": "s1", "action_name": "click", "event_attributes": {"object": {"object_id": "d1"}}},
    ]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events)))
    (tmp_path / "topics.tsv").write_text("7\tdesk lamp\n")
    done = rankmax("data", "clicks", "ubi.jsonl", "clicks.csv", "--topics", "topics.tsv")
    assert "wrote clicks.csv: 1 query, 2 documents" in done.err
    assert "7,d1,1,1,1" in Path("clicks.csv").read_text()
    done = rankmax("data", "clicks", "clicks.csv", "qrels.txt", "--judgments")
    assert "wrote qrels.txt: 1 query, 1 judgment" in done.err
    assert Path("qrels.txt").read_text() == "7 0 d1 1\n"


def test_searches_that_are_left_out_are_told(rankmax, tmp_path: Path) -> None:
    clicked = {"object": {"object_id": "d1"}, "position": {"ordinal": 1}}
    events = [
        {"query_id": "s1", "user_query": "desk lamp", "query_response_hit_ids": ["d1"]},
        *({"query_id": s, "action_name": "click", "event_attributes": clicked} for s in ("s1", "s2", "s3")),
    ]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events)))
    done = rankmax("data", "clicks", "ubi.jsonl", "clicks.csv", "--new-topics", "topics.tsv")
    assert "left out 2 searches: their text is not in the file" in done.err
    assert Path("topics.tsv").read_text() == "1\tdesk lamp\n"
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events[1:])))
    done = rankmax("data", "clicks", "ubi.jsonl", "clicks.csv", "--topics", "topics.tsv")
    assert done.status == 1
    assert "no clicks; nothing can be estimated (left out 3 searches: their text is not in the file" in done.err
