"""Qrels and runs, as in TREC: relevance judgments and retrieved documents, grouped by query."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax.data.query_documents import DocumentsByQuery, check_ids, flatten, flatten_values, nest


@dataclass(frozen=True, eq=False)
class Qrels(DocumentsByQuery):
    """Judged documents with their grades; negative grades mean judged and not relevant, or worse.

    Attributes
    ----------
    grades : array of int64, shape (n_documents,)

    Examples
    --------
    >>> qrels = Qrels.from_dict({"q1": {"d1": 0, "d2": 2}, "q2": {"d1": 1}})
    >>> qrels.query_ids, qrels.query_offsets, qrels.grades
    (('q1', 'q2'), array([0, 2, 3]), array([0, 2, 1]))
    """

    grades: I64

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, int]]) -> Qrels:
        """Build qrels from ``{query: {document: grade}}``, the form used by ir-measures and pytrec_eval."""
        values = np.fromiter(flatten_values(grades, "grade", _integer), np.int64)
        return cls(*flatten(grades), readonly(values))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return ``{query: {document: grade}}``."""
        return nest(self, self.grades)


@dataclass(frozen=True, eq=False)
class Run(DocumentsByQuery):
    """Retrieved documents with their scores, in the order of the source; higher scores are better.

    Attributes
    ----------
    scores : array of float64, shape (n_documents,)
    tag : str
        Name of the system that made the run.

    Examples
    --------
    >>> run = Run.from_dict({"q1": {"d1": 0.5, "d3": 1.5}}, tag="bm25")
    >>> run.scores, run.document_ids, run.tag
    (array([0.5, 1.5]), Ids(['d1', 'd3'], n=2), 'bm25')
    """

    scores: F64
    tag: str = "rankmax"

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], *, tag: str = "rankmax") -> Run:
        """Build a run from ``{query: {document: score}}``, the form used by ir-measures and pytrec_eval."""
        check_ids("tag", [tag])
        values = np.fromiter(flatten_values(scores, "score", _finite), np.float64)
        return cls(*flatten(scores), readonly(values), tag)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query: {document: score}}``."""
        return nest(self, self.scores)


def _integer(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError("not an integer") from None
    if not -(2**63) <= number < 2**63:
        raise ValueError("an integer of more than 64 bits")
    return number


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number
