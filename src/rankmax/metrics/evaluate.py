"""Evaluating several metrics on one ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments, balanced_tasks, segments
from rankmax.metrics import reference
from rankmax.metrics.base import (
    CascadeMetric,
    CascadeTables,
    Metric,
    MetricTables,
    RankedListMetric,
    TabularMetric,
    check_scores,
)
from rankmax.metrics.ties import TiePolicy

_TASKS = 64  # parallel tasks: enough to balance queries of uneven length, few enough to cost nothing
_WORTH_THREADS = 1 << 16  # documents: below that, waking threads costs more than they save on a busy machine


def evaluate_metrics(
    metrics: Sequence[Metric],
    scores: F64,
    judgments: Judgments,
    *,
    ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
    compiled: bool = True,
) -> F64:
    """Return the value of each metric for each query, ranking every query once.

    Parameters
    ----------
    metrics : sequence of Metric
    scores : array, shape (n_documents,)
    judgments : Judgments
    ties : TiePolicy
        How equal scores are ordered.
    compiled : bool
        Whether to use the compiled kernel, which is many times faster but takes most of a second to load. The
        values are the same to the last bit.

    Returns
    -------
    array, shape (n_metrics, n_queries)
        NaN where a metric leaves the query out.

    Examples
    --------
    >>> from rankmax.metrics import AP, nDCG
    >>> judgments = Judgments.from_grades([0, 1, 2, 1, 0], query_offsets=[0, 3, 5])
    >>> evaluate_metrics([AP(), nDCG() @ 2], np.array([0.1, 0.5, 0.3, 0.7, 0.2]), judgments)
    array([[1.       , 1.       ],
           [0.8597187, 1.       ]])
    """
    evaluator = Evaluator(metrics, judgments, ties=ties)
    return evaluator(scores) if compiled else evaluator.without_numba(scores)


def mean_of_counted(values: F64) -> float:
    """Return the mean over queries that are not left out, NaN where all are; its bits do not depend on their order.

    Parameters
    ----------
    values : array of float64, shape (n_queries,)
        NaN where a query is left out.

    Examples
    --------
    >>> mean_of_counted(np.array([0.5, np.nan, 1.0]))
    0.75
    """
    counted = values[~np.isnan(values)]
    return math.fsum(counted.tolist()) / counted.size if counted.size else math.nan


class Evaluator:
    """Metrics bound to judgments, their tables built once, for scoring many rankings.

    Parameters
    ----------
    metrics : sequence of Metric
    judgments : Judgments
    ties : TiePolicy

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> evaluator = Evaluator([RR()], Judgments.from_grades([0, 1], [0, 2]))
    >>> evaluator(np.array([2.0, 1.0])), evaluator(np.array([1.0, 2.0]))
    (array([[0.5]]), array([[1.]]))
    """

    def __init__(
        self, metrics: Sequence[Metric], judgments: Judgments, *, ties: TiePolicy = TiePolicy.DOCUMENT_ORDER
    ) -> None:
        self._judgments = judgments
        self._ties = TiePolicy(ties)
        self._n_metrics = len(metrics)
        self._tabular = {i: m.tables(judgments) for i, m in enumerate(metrics) if isinstance(m, TabularMetric)}
        self._cascade = {i: m.cascade(judgments) for i, m in enumerate(metrics) if isinstance(m, CascadeMetric)}
        self._ranked = {i: m for i, m in enumerate(metrics) if isinstance(m, RankedListMetric)}
        self._matters = np.zeros(judgments.n_levels, np.bool_)
        for table in [t.gain for t in self._tabular.values()] + [t.stop for t in self._cascade.values()]:
            self._matters |= table != 0
        self._priority = np.arange(judgments.n_documents)
        self._prioritised = np.zeros(judgments.n_queries, np.bool_)
        self._queries = np.arange(judgments.n_queries)
        self._tables = (
            judgments.query_offsets,
            judgments.document_levels,
            self._priority,
            self._prioritised,
            self._depth(),
            self._matters,
            *_stack_tabular(list(self._tabular.values()), judgments),
            *_stack_cascade(list(self._cascade.values()), judgments),
        )

    def __call__(self, scores: F64) -> F64:
        """Return the values, shape (n_metrics, n_queries)."""
        judgments = self._judgments
        comparable = self._comparable(scores)
        packed = np.empty((len(self._tabular) + len(self._cascade), judgments.n_queries))
        ranked_levels = np.empty(judgments.n_documents if self._ranked else 0, np.int64)
        tied = np.empty(judgments.n_queries, np.bool_)
        self._run_kernel(comparable, self._queries, packed, ranked_levels, tied)
        # Putting documents in tie order costs more than ranking them, so it is done where ties occur, and once.
        if self._ties is not TiePolicy.DOCUMENT_ORDER and (tied & ~self._prioritised).any():
            queries = np.flatnonzero(tied & ~self._prioritised)
            documents, _ = segments(judgments.query_offsets, queries)
            self._priority[documents] = self._ties.in_tie_order(documents, judgments)
            self._prioritised[queries] = True
            self._run_kernel(comparable, queries, packed, ranked_levels, tied)
        values = np.empty((self._n_metrics, judgments.n_queries))
        values[[*self._tabular, *self._cascade]] = packed
        return self._with_ranked(values, ranked_levels)

    def at_weights(self, columns: NDArray[np.floating[Any]], weights: F64) -> F64:
        """Return the values when documents are ranked by X w for each of many w; several are worked on at once.

        Parameters
        ----------
        columns : array of float32 or float64, shape (n_features, n_documents)
            X transposed.
        weights : array of float64, shape (n_points, n_features)

        Returns
        -------
        array, shape (n_points, n_metrics, n_queries)

        Examples
        --------
        >>> from rankmax.metrics import RR
        >>> evaluator = Evaluator([RR()], Judgments.from_grades([0, 1], [0, 2]))
        >>> evaluator.at_weights(np.array([[2.0, 1.0]]), np.array([[1.0], [-1.0]])).ravel()
        array([0.5, 1. ])
        """
        from rankmax.kernels.linear import times_matrix
        from rankmax.kernels.threads import in_threads, stretches

        values = np.empty((len(weights), self._n_metrics, self._judgments.n_queries))
        if self._ranked or self._ties is not TiePolicy.DOCUMENT_ORDER:
            scores = np.empty(self._judgments.n_documents)
            for p, row in enumerate(values):
                times_matrix(columns, weights[p : p + 1], scores[np.newaxis])
                row[:] = self(scores)
            return values

        def evaluate_points(first: int, stop: int) -> None:
            scores, tied = np.empty(self._judgments.n_documents), np.empty(self._judgments.n_queries, np.bool_)
            for p in range(first, stop):
                times_matrix(columns, weights[p : p + 1], scores[np.newaxis], threads=False)
                self._run_kernel(scores, self._queries, values[p], np.empty(0, np.int64), tied, threads=False)

        in_threads(evaluate_points, stretches(len(weights)))
        return values[:, np.argsort([*self._tabular, *self._cascade])]

    def _run_kernel(
        self, scores: F64, queries: I64, packed: F64, ranked_levels: I64, tied: Bool, *, threads: bool = True
    ) -> None:
        from rankmax.kernels.evaluate import evaluate_queries
        from rankmax.kernels.threads import in_threads

        borders = [0, queries.size]
        if threads and scores.size >= _WORTH_THREADS:
            borders = balanced_tasks(self._judgments.documents_by_query[queries], _TASKS).tolist()
        in_threads(evaluate_queries, borders, scores, queries, packed, ranked_levels, tied, *self._tables)

    def without_numba(self, scores: F64) -> F64:
        """Return the same values, computed in numpy."""
        values = np.empty((self._n_metrics, self._judgments.n_queries))
        ranked_levels = reference.rank_levels(self._comparable(scores), self._judgments, self._ties)
        listed = reference.list_documents(ranked_levels, self._matters, self._judgments)
        for i, tables in self._tabular.items():
            values[i] = reference.tabular_values(tables, listed)
        for i, stops in self._cascade.items():
            values[i] = reference.cascade_values(stops, listed)
        return self._with_ranked(values, ranked_levels)

    def _comparable(self, scores: F64) -> F64:
        return self._ties.comparable(check_scores(scores, self._judgments))

    def _with_ranked(self, values: F64, ranked_levels: I64) -> F64:
        for i, metric in self._ranked.items():
            values[i] = metric.ranked_values(ranked_levels, self._judgments)
        return values

    def _depth(self) -> I64:
        documents = self._judgments.documents_by_query
        if self._ranked:
            return documents
        cutoffs = [t.cutoff for t in self._tabular.values()] + [t.cutoff for t in self._cascade.values()]
        return np.minimum(documents, np.max(cutoffs, axis=0)) if cutoffs else np.zeros_like(documents)


def _stack_tabular(tables: list[MetricTables], judgments: Judgments) -> tuple[F64 | I64, ...]:
    discount, discount_start = _end_to_end([t.discount for t in tables])
    prefix, prefix_start = _end_to_end([t.prefix for t in tables])
    return (
        _rows([t.gain for t in tables], judgments.n_levels),
        discount,
        discount_start,
        prefix,
        prefix_start,
        _rows([t.norm for t in tables], judgments.n_queries),
        _rows([t.offset for t in tables], judgments.n_queries),
        _rows([t.cutoff for t in tables], judgments.n_queries).astype(np.int64),
    )


def _stack_cascade(stops: list[CascadeTables], judgments: Judgments) -> tuple[F64 | I64, ...]:
    discount, discount_start = _end_to_end([t.discount for t in stops])
    return (
        _rows([t.stop for t in stops], judgments.n_levels),
        discount,
        discount_start,
        _rows([t.norm for t in stops], judgments.n_queries),
        _rows([t.offset for t in stops], judgments.n_queries),
        _rows([t.cutoff for t in stops], judgments.n_queries).astype(np.int64),
    )


def _rows(vectors: Sequence[F64 | I64], width: int) -> F64:
    return np.array(vectors, np.float64).reshape(len(vectors), width)


def _end_to_end(vectors: list[F64]) -> tuple[F64, I64]:
    starts = np.cumsum([0, *(vector.size for vector in vectors)]).astype(np.int64)
    return np.concatenate([np.empty(0), *vectors]), starts
