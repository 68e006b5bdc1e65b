"""Click logs as tables and as UBI events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.data.click_log import ClickLog
from rankmax.errors import DataFormatError
from rankmax.formats.click_files import read_clicks, read_propensities


def event(action: str, search: str, document: str, ordinal: int | None) -> dict:
    position = {} if ordinal is None else {"ordinal": ordinal}
    return {
        "action_name": action,
        "query_id": search,
        "event_attributes": {"object": {"object_id": document}, "position": position},
    }


def counts(log: ClickLog) -> dict:
    names = [(log.query_ids[log.query_of_document[p]], log.document_ids[int(p)]) for p in log.pairs]
    cells = zip(log.positions.tolist(), log.shown.tolist(), log.clicks.tolist(), strict=True)
    return {(*name, cell[0]): cell[1:] for name, cell in zip(names, cells, strict=True)}


EXPECTED = {("lamp", "d1", 1): (2, 1), ("lamp", "d2", 2): (2, 0)}
SEARCHES = [{"query_id": s, "user_query": "lamp", "query_response_hit_ids": ["d1", "d2"]} for s in ("s1", "s2")]


@pytest.mark.parametrize(
    "events",
    [
        [*SEARCHES, event("click", "s1", "d1", 1), event("click", "s1", "d1", 1), event("hover", "s2", "d2", 2)],
        [*SEARCHES, event("click", "s1", "d1", None)],
        [
            *({"query_id": s, "user_query": " lamp "} for s in ("s1", "s2")),
            *(event("impression", s, d, k) for s in ("s1", "s2") for k, d in enumerate(["d1", "d2"])),
            event("click", "s1", "d1", 0),
        ],
    ],
)
@pytest.mark.parametrize("bulk", [False, True])
def test_ubi_events_of_all_kinds_say_the_same(tmp_path: Path, events: list, bulk: bool) -> None:
    lines = [line for one in events for line in ([{"index": {"_index": "ubi"}}, one] if bulk else [{"_source": one}])]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert counts(read_clicks(tmp_path / "ubi.jsonl")) == EXPECTED


def test_a_table_says_the_same(tmp_path: Path) -> None:
    text = "query,doc,position,clicked,count\nlamp,d1,1,1,1\nlamp,d1,1,0,1\nlamp,d2,2,false,2\n"
    (tmp_path / "a.csv").write_text(text)
    assert counts(read_clicks(tmp_path / "a.csv")) == EXPECTED
    (tmp_path / "b.tsv").write_text("click\trank\tquery-id\tdoc\n1\t1\tlamp\td1\n0\t1\tlamp\td1\n0\t2\tlamp\td2\n")
    assert counts(read_clicks(tmp_path / "b.tsv")) == EXPECTED | {("lamp", "d2", 2): (1, 0)}


def test_texts_get_ids_and_others_are_left_out(tmp_path: Path) -> None:
    searches = [{"query_id": s, "user_query": t, "query_response_hit_ids": ["d1"]} for s, t in ("ab", "xy")]
    searches[0]["user_query"] = "desk lamp"
    lines = [*searches, event("click", "a", "d1", 1)]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert counts(read_clicks(tmp_path / "ubi.jsonl", ids={"desk lamp": "7"})) == {("7", "d1", 1): (1, 1)}
    with pytest.raises(DataFormatError, match="query 'desk lamp' is a text"):
        read_clicks(tmp_path / "ubi.jsonl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,doc,position,clicked\nq,d,0,1\n", "a.csv:2: position 0 of document 'd'"),
        ("query,doc,position,clicked\nq,d,x,1\n", "a.csv:2: not an integer"),
        ("query,doc,position,clicked\nq,d,1,7\n", "a.csv:2: clicked is '7'; expected 1 or 0"),
        ("query,doc,position,clicked,n\nq,d,1,1,1e308\n", "a.csv:2: count 1e+308 of document 'd' in query 'q' is not"),
        ("query,doc,clicked\nq,d,1\n", "no column of positions"),
        ("q 0 d 1\n", "expected columns query, doc, position, clicked"),
        (
            json.dumps(event("click", "s", "", 1)),
            "a.csv:1: click without query_id or event_attributes.object.object_id",
        ),
        (json.dumps(event("click", "s", "d", -1)), "a.csv:1: ordinal -1 is not a whole number"),
        (
            json.dumps({"query_id": "s", "user_query": "x"}) + "\n" + json.dumps(event("click", "s", "d", None)),
            "no position",
        ),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_clicks(tmp_path / "a.csv")
    assert message in str(caught.value)


def test_propensities_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("1, 0.5\n0.25\n")
    assert read_propensities(tmp_path / "p.txt") == [1, 0.5, 0.25]
    (tmp_path / "p.txt").write_text("1\nhalf\n")
    with pytest.raises(DataFormatError, match=r"p.txt:2: propensity 'half'"):
        read_propensities(tmp_path / "p.txt")
    (tmp_path / "p.txt").write_text("")
    with pytest.raises(DataFormatError, match="holds no numbers"):
        read_propensities(tmp_path / "p.txt")
