"""UBI: the searches and events of OpenSearch's User Behavior Insights, as JSON."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, not_utf8
from rankmax.formats.judgment_lists import folded
from rankmax.formats.parsing.json_line import json_value, shortened
from rankmax.formats.run_tables import identifier, whole_number

_CLICKS = {"click", "item_click", "onclick"}  # names of actions in UBI's own specification and examples
_IMPRESSION = "impression"
_HITS = ("query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids")  # newest version first
_SHOWN = 5  # names of actions in a message


def ubi_rows(
    path: str | os.PathLike[str], ids: Mapping[str, str] | None, left_out: list[str]
) -> Iterator[tuple[str, str, int, bool, float]]:
    """Yield query, document, position, whether it was clicked and 1 for all that the searches of UBI showed.

    Parameters
    ----------
    path : path
        Searches and events: objects, lists of them, or responses to a search for them, one on a line.
    ids : mapping of str to str, optional
        Id of each query's text.
    left_out : list of str
        Gets the searches whose text has no id, or whose documents are unknown.
    """
    texts: dict[str, str] = {}
    shown: dict[str, dict[str, int]] = {}  # position of each document, by search
    hits: dict[str, dict[str, int]] = {}
    clicked: dict[str, dict[str, int | None]] = {}
    actions: Counter[str] = Counter()
    for number, fields in _objects(path):
        try:
            search = str(fields.get("query_id") or "")
            if search and isinstance(fields.get("user_query"), str):
                texts.setdefault(search, folded(fields["user_query"]))
            found = next((fields[key] for key in _HITS if isinstance(fields.get(key), list)), None)
            if found is not None:
                hits[search] = {}
                for k, one in enumerate(found):  # a document that is shown twice counts where it is first
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
            if not search:
                left_out.append(search)
            elif action in _CLICKS:
                clicked.setdefault(search, {}).setdefault(document, ordinal)
            elif ordinal is not None:
                shown.setdefault(search, {})[document] = ordinal
        except ValueError as error:
            raise DataFormatError(path, str(error), line=number) from None
    if not actions.keys() & _CLICKS:
        raise DataFormatError(path, _no_clicks(actions))
    ordinals = [k for of in shown.values() for k in of.values()]
    ordinals += [k for of in clicked.values() for k in of.values() if k is not None]
    first = 1 if ordinals and min(ordinals) > 0 else 0
    for search in dict.fromkeys([*shown, *hits, *clicked]):
        text = texts.get(search, "")
        query = query_of_text(path, text, ids) if text and (search in shown or search in hits) else None
        if query is None:
            left_out.append(search)
            continue
        seen = {d: k - first for d, k in shown[search].items()} if search in shown else dict(hits[search])
        for document, ordinal in clicked.get(search, {}).items():
            if document not in seen and ordinal is None:
                raise DataFormatError(path, f"a click on {shortened(document)!r} in search {search} has no position")
            seen.setdefault(document, (ordinal or 0) - first)
        for document, place in seen.items():
            yield query, document, place + 1, document in clicked.get(search, {}), 1.0


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
