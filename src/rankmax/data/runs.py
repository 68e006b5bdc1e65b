"""Qrels and runs, as in TREC: relevance judgments and retrieved documents, grouped by query."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax._result_views import Block, Facts, Table
from rankmax.data.query_documents import DocumentsByQuery, check_ids, flatten, flatten_values, nest

_DOCUMENTS_SHOWN = 3  # per query, when a run or qrels show themselves


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(DocumentsByQuery):
    """Judged documents with their grades; negative grades mean judged and not relevant, or worse.

    Attributes
    ----------
    grades : array of int64 or float64, shape (n_documents,)
        Whole numbers, except for qrels that :meth:`from_real_grades` made.

    Examples
    --------
    >>> qrels = Qrels.from_dict({"q1": {"d1": 0, "d2": 2}, "q2": {"d1": 1}})
    >>> qrels.query_ids, qrels.query_offsets, qrels.grades
    (('q1', 'q2'), array([0, 2, 3]), array([0, 2, 1]))
    """

    grades: I64 | F64

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, int]]) -> Qrels:
        """Build qrels from ``{query: {document: grade}}``, the form used by ir-measures and pytrec_eval."""
        values = np.fromiter(flatten_values(grades, "grade", _integer), np.int64)
        return cls(*flatten(grades), readonly(values))

    @classmethod
    def from_real_grades(cls, grades: Mapping[str, Mapping[str, float]]) -> Qrels:
        """Build qrels whose grades may be fractions, such as means of several judges, or gains estimated from clicks.

        Metrics with a linear gain take them as they are; files of qrels hold whole grades only.

        Examples
        --------
        >>> Qrels.from_real_grades({"q1": {"d1": 0.5}}).grades
        array([0.5])
        """
        values = np.fromiter(flatten_values(grades, "grade", _finite), np.float64)
        return cls(*flatten(grades), readonly(values))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return ``{query: {document: grade}}``."""
        return nest(self, self.grades)

    def to_frame(self) -> Any:
        """Return a pandas data frame with the columns of ir-measures: query_id, doc_id and relevance."""
        return self._frame("relevance", self.grades)

    @property
    def blocks(self) -> list[Block]:
        """The size, and the first documents."""
        rows = [
            [query, self.document_ids[i], f"{self.grades[i]:g}"]
            for query, span in self._first_queries
            for i in range(*span.indices(span.start + _DOCUMENTS_SHOWN))
        ]
        return [Facts(self._sizes), Table(["query", "document", "grade"], rows)]


@dataclass(frozen=True, eq=False, repr=False)
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

    def to_frame(self) -> Any:
        """Return a pandas data frame with the columns of ir-measures: query_id, doc_id and score."""
        return self._frame("score", self.scores)

    @property
    def blocks(self) -> list[Block]:
        """The size, and the first queries' documents with the highest scores."""
        rows = [
            [query, f"{rank}", self.document_ids[span.start + i], f"{self.scores[span.start + i]:.6g}"]
            for query, span in self._first_queries
            for rank, i in enumerate(np.argsort(-self.scores[span], kind="stable")[:_DOCUMENTS_SHOWN].tolist(), 1)
        ]
        return [Facts({"run": self.tag, **self._sizes}), Table(["query", "rank", "document", "score"], rows)]


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
