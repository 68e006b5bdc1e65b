"""UBI: the searches and events of OpenSearch's User Behavior Insights, as JSON."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, counted, not_utf8
from rankmax.formats.judgment_lists import IdsByText, folded
from rankmax.formats.parsing.json_line import json_value, shortened
from rankmax.formats.run_tables import identifier, whole_number

_CLICKS = {"click", "item_click", "onclick"}  # names of actions in UBI's own specification and examples
_IMPRESSION = "impression"
_HITS = ("query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids")  # newest version first
_SHOWN = 5  # names of actions in a message


_UNKNOWN = (
    "their text is not in the file or the topics, or what they showed is not (hits, or impressions with ordinals)"
)
SEVERAL_TOPICS = "several topics have their text but for case"
"""Why a search, or a query of a table, has no id."""
_SHARED = "two documents have an impression at one ordinal"
_NOT_SHOWN = "their object_id is not among the query_response_hit_ids or impressions of their search"


class LeftOut:
    """Numbers of searches, queries and clicks that are left out of a log, by reason."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, reason: str, n: int = 1) -> None:
        """Count what is left out."""
        self._counts[kind, reason] += n

    @property
    def messages(self) -> tuple[str, ...]:
        """A message for each reason."""
        several = {"search": "searches", "query": "queries", "click": "clicks"}
        return tuple(f"{counted(n, kind, several[kind])}: {why}" for (kind, why), n in self._counts.items() if n)


def ubi_rows(
    path: str | os.PathLike[str], ids: Mapping[str, str] | None, left_out: LeftOut
) -> Iterator[tuple[str, str, str, int, bool, float]]:
    """Yield search, query, document, position, whether it was clicked and 1 for all that the searches of UBI showed.

    Parameters
    ----------
    path : path
        Searches and events: objects, lists of them, or responses to a search for them, one on a line.
    ids : mapping of str to str, optional
        Id of each query's text.
    left_out : LeftOut
        Counts the searches and clicks that are left out, by reason.
    """
    texts: dict[str, str] = {}
    shown: dict[str, dict[str, int]] = {}  # position of each document, by search
    hits: dict[str, dict[str, int]] = {}
    clicked: dict[str, set[str]] = {}
    actions: Counter[str] = Counter()
    for number, fields in _objects(path):
        try:
            search = str(fields.get("query_id") or "")
            if search and isinstance(fields.get("user_query"), str):
                texts.setdefault(search, folded(fields["user_query"]))
            found = next((fields[key] for key in _HITS if isinstance(fields.get(key), list)), None)
            if found is not None:
                hits[search] = {}
                for k, one in enumerate(found, 1):  # a document that is shown twice counts where it is first
                    hits[search].setdefault(str(one), k)
            action = str(fields.get("action_name") or "").strip().casefold()
            actions[action] += 1
            given = fields.get("event_attributes")
            attributes: dict[str, Any] = given if isinstance(given, dict) else {}
            item = attributes.get("object")
            if (action not in _CLICKS and action != _IMPRESSION) or not isinstance(item, dict):
                continue  # a click on a page need not be on a document
            document, ordinal = str(item.get("object_id") or ""), _ordinal(attributes.get("position"))
            if not document:
                raise ValueError(f"{action} without event_attributes.object.object_id")
            if action in _CLICKS:
                clicked.setdefault(search, set()).add(document)
            elif search and ordinal is not None:
                shown.setdefault(search, {}).setdefault(document, ordinal)
        except ValueError as error:
            raise DataFormatError(path, str(error), line=number) from None
    if not actions.keys() & _CLICKS:
        raise DataFormatError(path, _no_clicks(actions))
    if min((k for of in shown.values() for k in of.values()), default=1) == 0:
        shown = {search: {d: k + 1 for d, k in of.items()} for search, of in shown.items()}
    for search in dict.fromkeys([*shown, *hits, *clicked]):
        text, seen = texts.get(search, ""), shown.get(search) or hits.get(search)
        query = query_of_text(path, text, ids) if search and text and seen else None
        if not seen and search in hits and search not in clicked:
            continue  # nothing was found, shown or clicked
        if query is None or seen is None:
            several = isinstance(ids, IdsByText) and ids.is_ambiguous(text)
            left_out.add("search", SEVERAL_TOPICS if several else _UNKNOWN)
            continue
        if len(set(seen.values())) < len(seen):
            left_out.add("search", _SHARED)
            continue
        of_search = clicked.get(search, set())
        left_out.add("click", _NOT_SHOWN, len(of_search - seen.keys()))
        for document, place in seen.items():
            yield search, query, document, place, document in of_search, 1.0


def query_of_text(path: str | os.PathLike[str], text: str, ids: Mapping[str, str] | None) -> str | None:
    """Return the id of a query's text, or None if it has none; without ids, the text itself if it may be an id.

    Parameters
    ----------
    path : path
        File's name, for the message.
    text : str
    ids : mapping of str to str, optional
    """
    if ids is not None:
        return ids.get(folded(text))
    if " " in text.strip():
        raise DataFormatError(
            path,
            f"query {shortened(text)!r} is a text, and runs name queries by ids: rankmax data clicks {os.fspath(path)} "
            "clicks.csv --topics topics.tsv takes them from topics",
        )
    return identifier("query", text)


def _ordinal(position: Any) -> int | None:
    ordinal = position.get("ordinal") if isinstance(position, dict) else None
    if ordinal is None:
        return None
    try:
        place = whole_number(ordinal)
    except ValueError:
        place = -1
    if place < 0:
        raise ValueError(f"ordinal {shortened(repr(ordinal))} is not a whole number from 0 on")
    return place


def _no_clicks(actions: Counter[str]) -> str:
    named = [f"{shortened(action)} ({n:,})" for action, n in actions.most_common() if action]
    listed = f"{', '.join(named[:_SHOWN])}{', ...' if len(named) > _SHOWN else ''}" or "none"
    return f"no event is a click: action_name has to be {', '.join(sorted(_CLICKS))} or {_IMPRESSION}; found {listed}"


def _objects(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield searches and events with their line numbers, without the lines of bulk requests and envelopes."""
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                if line in ("{", "["):
                    raise ValueError(
                        f"JSON over several lines; expected one object on a line, as jq -c . {path} writes it"
                    )
                values = _listed(json_value(line)) if line else []
                if not all(isinstance(one, dict) for one in values):
                    raise ValueError(f"expected JSON objects, found {shortened(line)!r}")
            except UnicodeDecodeError as error:
                raise DataFormatError(path, not_utf8(error), line=number) from None
            except ValueError as error:
                raise DataFormatError(path, str(error), line=number) from None
            for fields in values:
                source = fields.get("_source")
                if isinstance(source, dict):
                    fields = source
                if len(fields) != 1 or next(iter(fields)) not in ("index", "create"):
                    yield number, fields


def _listed(value: Any) -> list[Any]:
    """Return the objects on a line: a list, the hits of a response, or one object."""
    hits = value.get("hits") if isinstance(value, dict) else None
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        return list(hits["hits"])
    return value if isinstance(value, list) else [value]
