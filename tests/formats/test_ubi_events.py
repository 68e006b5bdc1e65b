"""UBI's searches and events, in all the forms that are met."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rankmax.data.click_log import ClickLog
from rankmax.errors import DataFormatError
from rankmax.formats.click_files import read_clicks


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


@pytest.mark.parametrize("action", ["CLICK", "item_click", "onClick", " click"])
@pytest.mark.parametrize("hits", ["query_response_object_ids", "query_response_objects_ids"])
def test_ubi_is_read_as_its_versions_and_examples_spell_it(tmp_path: Path, action: str, hits: str) -> None:
    searches = [{key.replace("query_response_hit_ids", hits): value for key, value in s.items()} for s in SEARCHES]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, [*searches, event(action, "s1", "d1", 1.0)])))
    assert counts(read_clicks(tmp_path / "ubi.jsonl")) == EXPECTED


def test_ubi_may_be_lists_and_responses(tmp_path: Path) -> None:
    hits = {"took": 1, "hits": {"total": 3, "hits": [{"_source": one} for one in SEARCHES]}}
    (tmp_path / "ubi.json").write_text(f"{json.dumps(hits)}\n{json.dumps([event('click', 's1', 'd1', '1')])}\n")
    assert counts(read_clicks(tmp_path / "ubi.json")) == EXPECTED


def test_clicks_whose_results_are_unknown_are_left_out(tmp_path: Path) -> None:
    """Without hits or impressions every document that is known would be clicked; some clicks are not on a document."""
    events = [
        *SEARCHES,
        event("click", "s1", "d1", 1),
        {"query_id": "s3", "user_query": "lamp"},
        event("click", "s3", "d2", 2),
        event("click", "", "d2", 2),
        {"action_name": "click", "query_id": "s2", "event_attributes": {"position": {"xy": {"x": 1, "y": 2}}}},
    ]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events)))
    log = read_clicks(tmp_path / "ubi.jsonl")
    assert counts(log) == EXPECTED
    assert [message.partition(":")[0] for message in log.left_out] == ["2 searches"]


def test_clicks_on_what_their_search_did_not_show_are_left_out(tmp_path: Path) -> None:
    """Such documents would always be clicked where they are known: of a next page, or of another kind of id."""
    events = [*SEARCHES, event("click", "s1", "d1", 1), event("click", "s1", "d7", 2), event("click", "s2", "d8", None)]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events)))
    log = read_clicks(tmp_path / "ubi.jsonl")
    assert counts(log) == EXPECTED
    assert [message.partition(":")[0] for message in log.left_out] == ["2 clicks"]


def test_searches_are_known_and_two_documents_at_an_ordinal_are_left_out(tmp_path: Path) -> None:
    shown = [event("impression", "s3", d, 0) for d in ("d1", "d2")]
    events = [*SEARCHES, event("click", "s1", "d1", 1), {"query_id": "s3", "user_query": "lamp"}, *shown]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, events)))
    log = read_clicks(tmp_path / "ubi.jsonl")
    assert counts(log) == EXPECTED
    assert log.searches.clicked.tolist() == [True, False, False, False]
    assert log.searches.counts.tolist() == [1, 1]
    assert log.left_out == ("1 search: two documents have an impression at one ordinal",)


def test_texts_get_ids_and_others_are_left_out(tmp_path: Path) -> None:
    searches = [{"query_id": s, "user_query": t, "query_response_hit_ids": ["d1"]} for s, t in ("ab", "xy")]
    searches[0]["user_query"] = "desk lamp"
    lines = [*searches, event("click", "a", "d1", 1)]
    (tmp_path / "ubi.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert counts(read_clicks(tmp_path / "ubi.jsonl", ids={"desk lamp": "7"})) == {("7", "d1", 1): (1, 1)}
    with pytest.raises(DataFormatError, match="query 'desk lamp' is a text"):
        read_clicks(tmp_path / "ubi.jsonl")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (event("click", "s", "", 1), "ubi.jsonl:1: click without event_attributes.object.object_id"),
        (event("click", "s", "d", -1), "ubi.jsonl:1: ordinal -1 is not a whole number"),
        (event("click", "s", "d", 1), "no clicks; nothing can be estimated (left out 1 search"),
        (event("buy", "s", "d", 1), "action_name has to be click, item_click, onclick or impression; found buy (1)"),
        ([1], "ubi.jsonl:1: expected JSON objects"),
        ([SEARCHES[0], event("click", "s1", "d3", 3)], "(left out 1 click: their object_id is not among"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, line: Any, message: str) -> None:
    (tmp_path / "ubi.jsonl").write_text(json.dumps(line))
    with pytest.raises(DataFormatError) as caught:
        read_clicks(tmp_path / "ubi.jsonl")
    assert message in str(caught.value)


def test_json_over_several_lines_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "ubi.json").write_text(json.dumps(SEARCHES, indent=1))
    with pytest.raises(DataFormatError, match=r"ubi.json:1: JSON over several lines; .* as jq -c"):
        read_clicks(tmp_path / "ubi.json")
