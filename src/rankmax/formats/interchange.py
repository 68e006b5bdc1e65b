"""Conversion of runs and judgments from other libraries: ranx, ir-measures, PyTerrier, nested dictionaries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError
from rankmax.formats.trec import read_qrels, read_run

_QUERY = ("query_id", "qid", "q_id")
_DOCUMENT = ("doc_id", "docno", "docid")
_SCORE = ("score",)
_GRADE = ("relevance", "label", "rel", "score")


def as_run(source: Any, *, tag: str | None = None) -> Run:
    """Convert an object that holds a run.

    Parameters
    ----------
    source : Run, path, mapping, ranx.Run, data frame, or iterable of ScoredDoc
        ``{query: {document: score}}``; columns or attributes ``query_id``, ``doc_id``, ``score`` as in ir-measures;
        ``qid``, ``docno``, ``score`` as in PyTerrier; ``q_id``, ``doc_id``, ``score`` as in ranx.
    tag : str, optional
        Name of the system; by default that of the source, or "rankmax" if it has none.

    Examples
    --------
    >>> as_run({"q1": {"d1": 0.5}}).to_dict()
    {'q1': {'d1': 0.5}}
    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
    >>> as_run([ScoredDoc("q1", "d1", 0.5), ScoredDoc("q1", "d2", 1.5)], tag="bm25").to_dict()
    {'q1': {'d1': 0.5, 'd2': 1.5}}
    """
    if isinstance(source, Run):
        return source
    if isinstance(source, str | os.PathLike):
        return read_run(source)
    name = tag or getattr(source, "name", None) or "rankmax"
    return Run.from_dict(_nested(source, "run", _SCORE), tag=str(name))


def as_qrels(source: Any) -> Qrels:
    """Convert an object that holds judgments.

    Parameters
    ----------
    source : Qrels, path, mapping, ranx.Qrels, data frame, or iterable of Qrel
        ``{query: {document: grade}}``; columns or attributes ``query_id``, ``doc_id``, ``relevance`` as in ir-measures;
        ``qid``, ``docno``, ``label`` as in PyTerrier; ``q_id``, ``doc_id``, ``score`` as in ranx.

    Examples
    --------
    >>> as_qrels({"q1": {"d1": 2}}).to_dict()
    {'q1': {'d1': 2}}
    """
    if isinstance(source, str | os.PathLike):
        return read_qrels(source)
    if isinstance(source, Qrels):
        return source
    parts = source.values() if isinstance(source, Mapping) else source if isinstance(source, list | tuple) else ()
    if any(_is_run(part) for part in parts):
        raise InvalidDataError(
            "several runs stand where the qrels belong: tune takes systems first, the other verbs take qrels first; "
            "give both by name (systems=..., qrels=...)"
        )
    return Qrels.from_dict(_nested(source, "qrels", _GRADE))


def _is_run(part: Any) -> bool:
    nested = isinstance(part, Mapping) and any(isinstance(documents, Mapping) for documents in part.values())
    return nested or isinstance(part, str | os.PathLike | Run)


def _nested(source: Any, kind: str, values: tuple[str, ...]) -> Mapping[str, Mapping[str, Any]]:
    if isinstance(source, Mapping):
        for name, documents in source.items():
            if not isinstance(documents, Mapping):
                expected = f"{{query: {{document: {values[0]}}}}}"
                raise InvalidDataError(f"the {kind} has {type(documents).__name__} for {name!r}; expected {expected}")
        return source
    if hasattr(source, "columns"):
        names = [_first(known, source.columns, kind) for known in (_QUERY, _DOCUMENT, values)]
        return _grouped(zip(*(source[name].to_list() for name in names), strict=True), kind)
    if hasattr(source, "to_dict"):
        nested: Mapping[str, Mapping[str, Any]] = source.to_dict()
        return nested
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        raise InvalidDataError(
            f"{type(source).__name__} holds no {kind}; expected a path, a mapping, a data frame, a ranx object or "
            "an iterable"
        )
    return _grouped((_fields(item, kind, values) for item in source), kind)


def _fields(item: Any, kind: str, values: tuple[str, ...]) -> tuple[Any, ...]:
    attributes = [name for name in (*_QUERY, *_DOCUMENT, *values) if hasattr(item, name)]
    return tuple(getattr(item, _first(known, attributes, kind)) for known in (_QUERY, _DOCUMENT, values))


def _first(known: tuple[str, ...], given: Iterable[Any], kind: str) -> str:
    present = set(given)
    for name in known:
        if name in present:
            return name
    raise InvalidDataError(f"the {kind} has no {known[0]} (nor {' or '.join(known[1:]) or 'another name for it'})")


def _grouped(rows: Iterable[tuple[Any, ...]], kind: str) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    for query, document, value in rows:
        documents = nested.setdefault(str(query), {})
        if str(document) in documents:
            raise InvalidDataError(f"document {str(document)!r} occurs twice in query {str(query)!r} of the {kind}")
        documents[str(document)] = value
    return nested
