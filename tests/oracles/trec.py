"""TREC files read line by line in plain Python: slow, and hard to get wrong."""

from __future__ import annotations

import math
import re

BLANKS = re.compile(rb"[\x01-\x20]+")
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


class RefusedError(Exception):
    """The text is not in the format; `line` says where."""

    def __init__(self, line: int | None) -> None:
        self.line = line
        super().__init__(line)


def _lines(content: bytes, n_columns: int) -> list[tuple[int, list[str]]]:
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    found = []
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            tokens = [token.decode() for token in BLANKS.split(line) if token]
        except UnicodeDecodeError:
            raise RefusedError(number) from None
        if b"\0" in line or len(tokens) not in (0, n_columns):
            raise RefusedError(number)
        if tokens:
            found.append((number, tokens))
    if not found:
        raise RefusedError(None)
    return found


def _nested(lines: list[tuple[int, list[str]]], column: int, number_of) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for number, tokens in lines:
        documents = nested.setdefault(tokens[0], {})
        if tokens[2] in documents:
            raise RefusedError(number)
        documents[tokens[2]] = number_of(tokens[column], number)
    return nested


def _score(token: str, line: int) -> float:
    if not DECIMAL.fullmatch(token) or not math.isfinite(float(token)):
        raise RefusedError(line)
    return float(token)


def _grade(token: str, line: int) -> int:
    if not INTEGER.fullmatch(token) or len(token.lstrip("+-").lstrip("0")) > 18:
        raise RefusedError(line)
    return int(token)


def read_run(content: bytes) -> dict[str, dict[str, float]]:
    return _nested(_lines(content, 6), 4, _score)


def read_qrels(content: bytes) -> dict[str, dict[str, int]]:
    return _nested(_lines(content, 4), 3, _grade)


def judge(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    """Return, for the queries of the qrels, the grade of each retrieved document, NaN where not judged."""
    return {
        query: {document: grades.get(document, math.nan) for document in run.get(query, {})}
        for query, grades in qrels.items()
    }


def join(runs: dict[str, dict[str, dict[str, float]]], qrels, missing: str):
    """Return ``{query: {document: [score of each run]}}`` for the queries of the qrels that have candidates."""
    joined = {}
    for query in qrels:
        found = {document for run in runs.values() for document in run.get(query, {})}
        candidates = sorted(found, key=str.encode, reverse=True)
        defaults = [
            min(run[query].values()) if missing == "minimum" and run.get(query) else 0.0 for run in runs.values()
        ]
        if candidates:
            joined[query] = {
                document: [run.get(query, {}).get(document, d) for run, d in zip(runs.values(), defaults, strict=True)]
                for document in candidates
            }
    return joined
