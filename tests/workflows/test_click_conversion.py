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


def searches(path: Path) -> dict:
    """Return the rows of each search of a file, with how often there was one like it."""
    log = read_clicks(path)
    found, ends = {}, log.searches.offsets
    for s, count in enumerate(log.searches.counts.tolist()):
        span = slice(ends[s], ends[s + 1])
        rows = zip(log.searches.pairs[span], log.searches.positions[span], log.searches.clicked[span], strict=True)
        query = log.query_ids[log.query_of_document[log.searches.pairs[ends[s]]]]
        found[query, tuple((log.document_ids[int(p)], int(k), bool(c)) for p, k, c in rows)] = count
    return found


@pytest.mark.parametrize("name", ["ubi.jsonl", "ubi.ndjson", "ubi.jsonl.gz"])
def test_a_table_becomes_ubi_that_says_the_same(tmp_path: Path, name: str) -> None:
    """Of three searches one is repeated, one has a gap, which hits cannot show, and one no clicks."""
    rows = ["q1,d1,1,1,3,s1", "q1,d2,2,0,3,s1", "q1,d1,1,0,1,s2", "q1,d3,4,1,1,s2", "q2,d1,1,0,1,s3"]
    (tmp_path / "clicks.csv").write_text("\n".join(["query,doc,position,clicked,count,search", *rows]))
    (tmp_path / "topics.tsv").write_text("q1\tdesk lamp\nq2\tchair\n")
    assert convert_clicks(tmp_path / "clicks.csv", tmp_path / name, topics=tmp_path / "topics.tsv") == (2, 5, ())
    convert_clicks(tmp_path / name, tmp_path / "again.csv", topics=tmp_path / "topics.tsv")
    assert searches(tmp_path / "again.csv") == searches(tmp_path / "clicks.csv")
    assert convert_clicks(tmp_path / "clicks.csv", tmp_path / "ids.jsonl") == (2, 5, ())
    assert searches(tmp_path / "ids.jsonl") == searches(tmp_path / "clicks.csv")


def test_texts_match_topics_in_any_case_where_that_is_clear(ubi: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("7\tDesk Lamp\n8\tCHAIR\n9\tChair\n")
    n_queries, _, left_out = convert_clicks(ubi, tmp_path / "a.csv", topics=tmp_path / "topics.tsv")
    assert (n_queries, read_clicks(tmp_path / "a.csv").query_ids) == (1, ("7",))
    assert left_out == ("1 search: several topics have their text but for case",)
    (tmp_path / "texts.csv").write_text("query,doc,position,clicked\ndesk LAMP,d1,1,1\nchair,d2,1,0\nChair,d2,1,0\n")
    found = convert_clicks(tmp_path / "texts.csv", tmp_path / "a.csv", topics=tmp_path / "topics.tsv")
    assert found == (2, 2, ("1 query: several topics have their text but for case",))
