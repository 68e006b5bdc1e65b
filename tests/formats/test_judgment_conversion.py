"""Judgments, topics and clicks keep hostile ids and texts on the way through every format and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.click_files import read_clicks
from rankmax.formats.judgment_conversion import convert_judgments, convert_topics, write_new_topics
from rankmax.formats.opensearch_relevance import write_judgment_list
from rankmax.formats.quepid import write_quepid
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels
from rankmax.workflows.click_conversion import convert_clicks

TEXTS = [
    '"quoted" text',
    "a, comma; semicolon",
    "tab\there, line\nbreak\r\n, line\u2028separator, next\x85line",
    "\u202eright to left, zero\u200bwidth, no\u00a0break",
    "caf\u00e9 \u65e5\u672c \U0001f600 e\u0301",
    "=SUM(A1)",
    "-r @at +plus 'apostrophe \\back",
    "#hash {brace [bracket <b>&amp; %20",
    "1",
    "NaN",
]
DOCUMENTS = [
    'd"q',
    "d,c;s",
    "d\u202e",
    "caf\u00e9\U0001f600",
    "=d",
    "-d",
    "d'\\",
    "#d",
    "{d",
    "[d",
    "<d>&",
    "007",
    "1e5",
]
FOLDED = [" ".join(text.split()) for text in TEXTS]
GRADES = {f"{number}": {d: (number + k) % 4 for k, d in enumerate(DOCUMENTS)} for number in range(1, len(TEXTS) + 1)}


@pytest.mark.parametrize("form", ["csv", "json"])
def test_judgments_by_text_and_by_id(tmp_path: Path, form: str) -> None:
    by_text = {text: GRADES[f"{number}"] for number, text in enumerate(TEXTS, 1)}
    write = {"csv": write_quepid, "json": write_judgment_list}[form]
    write(by_text, tmp_path / f"a.{form}")
    convert_judgments(tmp_path / f"a.{form}", tmp_path / "qrels.txt", new_topics=tmp_path / "topics.tsv")
    assert read_qrels(tmp_path / "qrels.txt").to_dict() == GRADES
    assert list(read_topics(tmp_path / "topics.tsv").values()) == FOLDED
    convert_judgments(tmp_path / "qrels.txt", tmp_path / f"b.{form}", topics=tmp_path / "topics.tsv")
    convert_judgments(tmp_path / f"b.{form}", tmp_path / "again.txt", topics=tmp_path / "topics.tsv")
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "qrels.txt").read_bytes()
    convert_judgments(tmp_path / "qrels.txt", tmp_path / "beir.tsv")
    assert read_qrels(tmp_path / "beir.tsv").to_dict() == GRADES


def test_texts_match_topics_in_any_case_where_that_is_clear(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tdesk lamp\n2\tIT\n3\tit\n")

    def convert(*texts: str) -> dict:
        (tmp_path / "case.csv").write_text("".join(["query,docid,rating\n", *(f"{text},d1,1\n" for text in texts)]))
        convert_judgments(tmp_path / "case.csv", tmp_path / "qrels.txt", topics=tmp_path / "topics.tsv")
        return read_qrels(tmp_path / "qrels.txt").to_dict()

    assert convert("Desk Lamp", "it") == {"1": {"d1": 1}, "3": {"d1": 1}}
    with pytest.raises(DataFormatError, match="several topics have the text 'It' but for case"):
        convert("It")
    with pytest.raises(DataFormatError, match="queries 'Desk Lamp' and 'desk lamp' are both '1'"):
        convert("Desk Lamp", "desk lamp")
    with pytest.raises(DataFormatError, match="no topic with the text 'chair'; 1 of 2 queries lack one"):
        convert("it", "chair")


def test_topics_with_one_text_are_not_merged(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tdesk lamp\n2\tdesk lamp\n")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n2 0 d2 1\n")
    with pytest.raises(DataFormatError, match="queries '1' and '2' are both 'desk lamp'"):
        convert_judgments(tmp_path / "qrels.txt", tmp_path / "case.csv", topics=tmp_path / "topics.tsv")


def test_topics_through_query_sets_and_beir(tmp_path: Path) -> None:
    lines = [json.dumps({"_id": f"{number}", "text": text}) for number, text in enumerate(TEXTS, 1)]
    (tmp_path / "queries.jsonl").write_text("\n".join(lines))
    convert_topics(tmp_path / "queries.jsonl", tmp_path / "again.jsonl")
    assert read_topics(tmp_path / "again.jsonl") == read_topics(tmp_path / "queries.jsonl")
    for name in ("set.json", "topics.tsv", "last.jsonl"):
        convert_topics(tmp_path / "queries.jsonl", tmp_path / name)
        convert_topics(tmp_path / name, tmp_path / "back.tsv")
        assert read_topics(tmp_path / "back.tsv") == {f"{number}": text for number, text in enumerate(FOLDED, 1)}


def test_clicks_through_ubi_and_tables(tmp_path: Path) -> None:
    lines = [
        line
        for s, text in enumerate(TEXTS)
        for line in (
            {"query_id": f"s{s}", "user_query": text, "query_response_hit_ids": DOCUMENTS},
            *(
                {"query_id": f"s{s}", "action_name": "click", "event_attributes": {"object": {"object_id": d}}}
                for d in DOCUMENTS[:s]
            ),
        )
    ]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, lines)))
    convert_clicks(tmp_path / "ubi.jsonl", tmp_path / "clicks.csv", new_topics=tmp_path / "topics.tsv")
    assert list(read_topics(tmp_path / "topics.tsv").values()) == FOLDED
    log = read_clicks(tmp_path / "clicks.csv")
    assert log.document_ids.to_list() == DOCUMENTS * len(TEXTS)
    assert log.clicks.reshape(len(TEXTS), -1).sum(axis=1).tolist() == list(range(len(TEXTS)))
    convert_clicks(tmp_path / "ubi.jsonl", tmp_path / "again.jsonl", topics=tmp_path / "topics.tsv")
    convert_clicks(tmp_path / "again.jsonl", tmp_path / "again.csv", topics=tmp_path / "topics.tsv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "clicks.csv").read_bytes()


def test_a_text_that_topics_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match=r"query 'desk.x00lamp' has a null byte"):
        write_new_topics(["desk\0lamp"], tmp_path / "topics.tsv")
    assert not (tmp_path / "topics.tsv").exists()
