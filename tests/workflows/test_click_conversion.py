"""Clicks as tables and as judgments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.click_files import read_clicks
from rankmax.formats.judgment_conversion import convert_judgments
from rankmax.formats.trec import read_qrels
from rankmax.workflows.click_conversion import convert_clicks

TABLE = "query,doc,position,clicked,count\nq1,d1,1,1,6\nq1,d1,1,0,4\nq2,d2,1,1,2\nq2,d2,1,0,8\nq2,d3,2,1,1\n"


@pytest.fixture
def ubi(tmp_path: Path) -> Path:
    """Three searches, two of them for the same text of two words."""
    events = [
        {"query_id": "s1", "user_query": "desk lamp", "query_response_hit_ids": ["d1", "d2"]},
        {"query_id": "s2", "user_query": "desk  lamp", "query_response_hit_ids": ["d2", "d1"]},
        {"query_id": "s3", "user_query": "chair", "query_response_hit_ids": ["d3"]},
        {"query_id": "s1", "action_name": "click", "event_attributes": {"object": {"object_id": "d1"}}},
        {"query_id": "s2", "action_name": "click", "event_attributes": {"object": {"object_id": "d1"}}},
    ]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events)))
    (tmp_path / "topics.tsv").write_text("7\tdesk lamp\n8\tchair\n")
    return tmp_path / "ubi.jsonl"


def test_ubi_becomes_a_table_that_says_the_same(ubi: Path, tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv"
    assert convert_clicks(ubi, target, topics=tmp_path / "topics.tsv") == (2, 3, ())
    log = read_clicks(target)
    assert log.query_ids == ("7", "8")
    assert (log.clicks.sum(), log.shown.sum(), log.n_positions) == (2, 5, 2)
    assert convert_clicks(target, tmp_path / "again.csv") == (2, 3, ())
    assert (tmp_path / "again.csv").read_text() == target.read_text()


def test_texts_without_topics_are_refused_with_the_remedy_that_works(ubi: Path, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=r"rankmax data clicks .* --topics topics\.tsv"):
        convert_clicks(ubi, tmp_path / "clicks.csv")
    convert_clicks(ubi, tmp_path / "clicks.csv", new_topics=tmp_path / "new.tsv")
    assert (tmp_path / "new.tsv").read_text() == "1\tdesk lamp\n2\tchair\n"
    assert read_clicks(tmp_path / "clicks.csv").query_ids == ("1", "2")


def test_a_table_may_name_queries_by_texts_or_ids(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("7\tdesk lamp\n8\tchair\n")
    rows = "query,doc,position,clicked\n{},d1,1,1\n{},d2,1,0\nsofa,d3,1,1\n"
    (tmp_path / "texts.csv").write_text(rows.format("desk  lamp", "chair"))
    (tmp_path / "ids.csv").write_text(rows.format("7", "8"))
    for name in ("texts", "ids"):
        assert convert_clicks(tmp_path / f"{name}.csv", tmp_path / "a.csv", topics=tmp_path / "topics.tsv") == (
            2,
            2,
            ("1 query: their text is not in the topics",),
        )
        assert read_clicks(tmp_path / "a.csv").query_ids == ("7", "8")
    convert_clicks(tmp_path / "texts.csv", tmp_path / "a.csv", new_topics=tmp_path / "new.tsv")
    assert (tmp_path / "new.tsv").read_text() == "1\tdesk lamp\n2\tchair\n3\tsofa\n"
    (tmp_path / "topics.tsv").write_text("7\tdesk lamp\n8\t7\n")
    with pytest.raises(DataFormatError, match="the text of topic 8 is the id of topic 7"):
        convert_clicks(tmp_path / "ids.csv", tmp_path / "a.csv", topics=tmp_path / "topics.tsv")


def test_judgments_are_clicks_over_expected_clicks(tmp_path: Path) -> None:
    """At the first position 8 of 20 are clicked: d1 has 6 instead of 4, d2 2; d3 has one of one, too few to judge."""
    (tmp_path / "clicks.csv").write_text(TABLE)
    convert_clicks(tmp_path / "clicks.csv", tmp_path / "qrels.txt", judgments=True, least=2)
    assert read_qrels(tmp_path / "qrels.txt").to_dict() == {"q1": {"d1": 1}, "q2": {"d2": 0}}
    with pytest.raises(InvalidDataError, match="no document has 100 expected clicks"):
        convert_clicks(tmp_path / "clicks.csv", tmp_path / "qrels.txt", judgments=True, least=100)


@pytest.mark.parametrize("name", ["book.csv", "list.json"])
def test_judgments_for_tools_that_name_queries_by_text(ubi: Path, tmp_path: Path, name: str) -> None:
    convert_clicks(ubi, tmp_path / name, judgments=True, least=0.1)
    convert_judgments(tmp_path / name, tmp_path / "qrels.txt", topics=tmp_path / "topics.tsv")
    assert read_qrels(tmp_path / "qrels.txt").to_dict()["7"] == {"d1": 2, "d2": 0}
