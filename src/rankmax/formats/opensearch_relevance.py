r"""Judgment lists and query sets of OpenSearch's Search Relevance Workbench, each one JSON object.

A judgment list and a query set are::

    {"judgmentRatings": [{"query": "star wars", "ratings": [{"docId": "11", "rating": "3.0"}]}]}
    {"querySetQueries": [{"queryText": "star wars"}]}

Both are read as the body of the request that creates them, or as the response to a request for one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from rankmax._io.files import write_bytes
from rankmax.errors import DataFormatError, not_utf8
from rankmax.formats.judgment_lists import Ratings, folded, parse_rating, rated_queries
from rankmax.formats.parsing.json_line import shortened

_LIST, _SET = "judgmentRatings", "querySetQueries"
_NAME = 50  # characters of a name that OpenSearch takes


def opensearch_ratings(path: str | os.PathLike[str], content: bytes) -> Ratings | None:
    """Return the ratings of an OpenSearch judgment list, or None if the content is something else.

    Parameters
    ----------
    path : path
        File's name, for error messages.
    content : bytes
        The body that creates a list, or the response to a request for one.

    Examples
    --------
    >>> body = b'{"judgmentRatings": [{"query": "star wars", "ratings": [{"docId": "11", "rating": "3.0"}]}]}'
    >>> opensearch_ratings("list.json", body)
    {'star wars': {'11': [3.0]}}
    """
    listed = _parsed(path, content, _LIST, "judgment list")
    if listed is None:
        return None
    ratings: Ratings = {}
    try:
        for entry in _list(listed, _LIST):
            query = folded(_text(entry, "query"))
            documents = ratings.setdefault(query, {})
            for rated in _list(entry.get("ratings"), f"ratings of query {shortened(query)!r}"):
                document = _text(rated, "docId")
                rating = parse_rating(rated.get("rating"), query, document)
                # lists that OpenSearch itself tests with repeat whole queries, so only a contradiction is an error
                if documents.setdefault(document, [rating]) != [rating]:
                    raise ValueError(
                        f"document {shortened(document)!r} has two ratings in query {shortened(query)!r}: "
                        f"{documents[document][0]:g} and {rating:g}"
                    )
    except ValueError as error:
        raise DataFormatError(path, str(error)) from None
    return rated_queries(path, ratings)


def query_set(path: str | os.PathLike[str], content: bytes) -> list[str] | None:
    """Return the texts of an OpenSearch query set, each once, or None if the content is something else.

    Parameters
    ----------
    path : path
        File's name, for error messages.
    content : bytes

    Examples
    --------
    >>> query_set("set.json", b'{"querySetQueries": [{"queryText": "star wars"}, {"queryText": "rings"}]}')
    ['star wars', 'rings']
    """
    listed = _parsed(path, content, _SET, "query set")
    if listed is None:
        return None
    try:
        texts = [folded(_text(entry, "queryText")) for entry in _list(listed, _SET)]
    except ValueError as error:
        raise DataFormatError(path, str(error)) from None
    if not texts:
        raise DataFormatError(path, "holds no queries")
    return list(dict.fromkeys(texts))


def write_judgment_list(grades: Mapping[str, Mapping[str, int]], path: str | os.PathLike[str]) -> None:
    """Write the body that imports a judgment list (``PUT _plugins/_search_relevance/judgments``), atomically.

    Parameters
    ----------
    grades : mapping
        ``{text of the query: {document: grade}}``.
    path : path
        The list is named after the file.
    """
    listed = [
        {
            "query": query,
            "ratings": [{"docId": document, "rating": f"{float(grade)}"} for document, grade in of.items()],
        }
        for query, of in grades.items()
    ]
    _write(path, {"description": "Imported judgments", "type": "IMPORT_JUDGMENT", _LIST: listed})


def write_query_set(texts: Iterable[str], path: str | os.PathLike[str]) -> None:
    """Write the body that imports a query set (``PUT _plugins/_search_relevance/query_sets``), atomically.

    Parameters
    ----------
    texts : iterable of str
    path : path
        The set is named after the file.
    """
    listed = [{"queryText": text} for text in texts]
    _write(path, {"description": "Imported queries", "sampling": "manual", _SET: listed})


def _parsed(path: str | os.PathLike[str], content: bytes, key: str, what: str) -> Any:
    """Return the value of a key of the one object that has it, or None if the content does not name the key."""
    if f'"{key}"'.encode() not in content:
        return None
    try:
        whole = json.loads(content)
    except UnicodeDecodeError as error:
        raise DataFormatError(path, not_utf8(error)) from None
    except (ValueError, RecursionError) as error:
        raise DataFormatError(path, f"not JSON: {error}") from None
    found = [one for one in _sources(whole) if isinstance(one, dict) and key in one]
    if len(found) != 1:
        raise DataFormatError(path, f"{len(found)} {what}s; expected one: ask OpenSearch for it by its id")
    return found[0][key]


def _write(path: str | os.PathLike[str], fields: Mapping[str, Any]) -> None:
    body = {"name": os.path.basename(os.fspath(path)).partition(".")[0][:_NAME] or "rankmax", **fields}
    write_bytes(path, (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode())


def _sources(whole: Any) -> list[Any]:
    """Return what may be judgment lists: the object itself, or the documents of a search response."""
    hits = whole.get("hits") if isinstance(whole, dict) else None
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        return [hit.get("_source") for hit in hits["hits"] if isinstance(hit, dict)]
    return [whole]


def _list(value: Any, what: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ValueError(f"{what}: expected a list of JSON objects")
    return value


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text:
        raise ValueError(f"{key} is {shortened(repr(value))}; expected text")
    return text
