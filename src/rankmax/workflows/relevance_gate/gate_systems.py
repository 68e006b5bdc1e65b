"""Baseline and candidates of a relevance gate: metric values by query, top documents, unjudged documents, latency."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax.data.judging import JudgedRun
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.data.runs import Qrels
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.metrics.numpy_evaluation import ranked_documents
from rankmax.metrics.ties import TiePolicy
from rankmax.workflows.relevance_gate.findings import RankedDocument

_T = TypeVar("_T")
_DIGEST = 4  # bytes that tell whether the judgments of a query have changed


@dataclass(frozen=True, eq=False)
class GateSystem:
    """A system with its values.

    Attributes
    ----------
    name : str
    path : str or None
        Its file, where it has one.
    query_ids : tuple of str
    values : array of float64, shape (n_metrics, n_queries)
    top : tuple of tuple of str, or None
        Ids of each query's top documents; None where they are not known.
    latencies : array of float64, shape (n_queries,), or None
        Milliseconds by query; None where the system carries none.
    grades : tuple of tuple of float or None
        Grades of the top documents, NaN for unjudged ones.
    if_relevant : array of float64, shape (n_metrics, n_queries), or None
        Values if all unjudged documents among the top ones were relevant.
    """

    name: str
    path: str | None
    query_ids: tuple[str, ...]
    values: F64
    top: tuple[tuple[str, ...], ...] | None = None
    latencies: F64 | None = None
    grades: tuple[tuple[float, ...], ...] | None = None
    if_relevant: F64 | None = None

    @property
    def unjudged(self) -> F64 | None:
        """Share of unjudged documents among the top ones, by query; NaN for a query without documents."""
        if self.grades is None:
            return None
        return np.array([np.mean(np.isnan(row)) if row else np.nan for row in self.grades])

    def ranking(self, query: int, depth: int) -> tuple[RankedDocument, ...] | None:
        """Return a query's top documents with their grades, or None where they are not known.

        Parameters
        ----------
        query : int
            Index of the query.
        depth : int
        """
        if self.top is None or self.grades is None:
            return None
        pairs = zip(self.top[query][:depth], self.grades[query][:depth], strict=True)
        return tuple(RankedDocument(name, None if np.isnan(grade) else grade) for name, grade in pairs)


def system_of(
    name: str, path: str | None, judged: JudgedRun, metrics: Sequence[Metric], ties: TiePolicy, depth: int
) -> GateSystem:
    """Evaluate a ranking.

    Parameters
    ----------
    name : str
    path : str or None
    judged : JudgedRun
    metrics : sequence of Metric
    ties : TiePolicy
    depth : int
        Number of top documents of each query to keep.

    Examples
    --------
    >>> from rankmax import judge, Run
    >>> judged = judge(Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}}), Qrels.from_dict({"q1": {"d2": 1}}))
    >>> from rankmax.metrics import P
    >>> system = system_of("bm25", None, judged, [P(cutoff=2)], TiePolicy.TREC_EVAL, 10)
    >>> system.values, system.if_relevant, system.top, system.unjudged
    (array([[0.5]]), array([[1.]]), (('d1', 'd2'),), array([0.5]))
    """
    judgments, scores = judged.judgments, judged.scores
    order = ranked_documents(ties.comparable(scores), judgments, ties)
    rank = np.arange(order.size) - judgments.query_offsets[judgments.query_of_document]
    shown = order[rank < depth]
    offsets = np.concatenate([[0], np.cumsum(np.minimum(judgments.documents_by_query, depth))])
    values = evaluate_metrics(metrics, scores, judgments, ties=ties, compiled=False)
    return GateSystem(
        name,
        path,
        judgments.query_ids,
        values,
        _cut(_names(judgments, shown), offsets),
        None,
        _cut(judgments.grades[shown].tolist(), offsets),
        _if_relevant(judged, shown, metrics, ties, values),
    )


def judgment_digests(judged: Qrels | Judgments) -> tuple[str, ...]:
    """Return a short hash of each query's judgments; it does not depend on the order of qrels.

    Parameters
    ----------
    judged : Qrels or Judgments

    Examples
    --------
    >>> judgment_digests(Qrels.from_dict({"q1": {"d1": 1, "d2": 0}})) == judgment_digests(
    ...     Qrels.from_dict({"q1": {"d2": 0, "d1": 1}})
    ... )
    True
    """
    if isinstance(judged, Qrels):
        names, grades = judged.document_ids.to_bytes(), judged.grades.tolist()
        rows = [b"%s %d" % pair for pair in zip(names, grades, strict=True)]
        lists = map(sorted, _cut(rows, judged.query_offsets))
    else:
        names = [b""] * judged.n_documents if judged.document_ids is None else judged.document_ids.to_bytes()
        rows = [b"%s %r" % pair for pair in zip(names, judged.grades.tolist(), strict=True)]
        lists = map(list, _cut(rows, judged.query_offsets))
    return tuple(hashlib.blake2b(b"\n".join(rows), digest_size=_DIGEST).hexdigest() for rows in lists)


def _names(judgments: Judgments, rows: I64) -> list[str]:
    if judgments.document_ids is not None:
        return judgments.document_ids.take(rows).to_list()
    places = rows - judgments.query_offsets[judgments.query_of_document[rows]]
    return [str(place + 1) for place in places.tolist()]


def _cut(column: list[_T], offsets: I64) -> tuple[tuple[_T, ...], ...]:
    return tuple(tuple(column[a:b]) for a, b in pairwise(offsets.tolist()))


def _if_relevant(judged: JudgedRun, shown: I64, metrics: Sequence[Metric], ties: TiePolicy, values: F64) -> F64:
    """Return the values if the unjudged documents that are shown had the highest grade."""
    levels = judged.judgments.document_levels.copy()
    unjudged = shown[levels[shown] == UNJUDGED]
    if unjudged.size == 0:
        return values
    levels[unjudged] = judged.judgments.n_levels - 1
    return evaluate_metrics(
        metrics, judged.scores, replace(judged.judgments, document_levels=readonly(levels)), ties=ties, compiled=False
    )
