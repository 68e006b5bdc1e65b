"""Evaluation of several metrics on one ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, Bool, for_kernels
from rankmax.data.judgments import Judgments, balanced_tasks, segments
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.metrics import numpy_evaluation as reference
from rankmax.metrics.metric import (
    CascadeMetric,
    CascadeTables,
    Metric,
    MetricTables,
    RankedListMetric,
    TabularMetric,
    check_scores,
)
from rankmax.metrics.ties import TiePolicy

if TYPE_CHECKING:
    from rankmax._kernels.metrics.ranked_values import JudgedDocuments, StackedCascades, StackedTables

_TASKS = 64  # parallel tasks: enough to balance queries of uneven length, few enough to cost nothing
_WORTH_THREADS = 1 << 16  # documents: with fewer, waking threads costs more than they save on a busy machine


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
        Metrics to evaluate.
    scores : array, shape (n_documents,)
        A score for each document.
    judgments : Judgments
        Grades of the documents, by query.
    ties : TiePolicy
        Order of documents with equal scores.
    compiled : bool
        Whether to use the compiled kernel, which is many times faster but takes most of a second to load. The
        values are the same to the last bit.

    Returns
    -------
    array, shape (n_metrics, n_queries)
        NaN where a metric skips the query.

    Examples
    --------
    >>> from rankmax.metrics import AP, nDCG
    >>> judgments = Judgments.from_grades([0, 1, 2, 1, 0], query_offsets=[0, 3, 5])
    >>> evaluate_metrics([AP(), nDCG() @ 2], np.array([0.1, 0.5, 0.3, 0.7, 0.2]), judgments)
    array([[1.       , 1.       ],
           [0.8597187, 1.       ]])
    """
    evaluator = evaluator_for(metrics, judgments, ties=ties)
    return evaluator(scores) if compiled else evaluator.without_numba(scores)


def mean_of_counted(values: F64) -> float:
    """Return the mean over queries that are not NaN, or NaN if all are; its bits do not depend on their order.

    Parameters
    ----------
    values : array of float64, shape (n_queries,)
        NaN for queries that are left out.

    Examples
    --------
    >>> mean_of_counted(np.array([0.5, np.nan, 1.0]))
    0.75
    """
    counted = values[~np.isnan(values)]
    return math.fsum(counted.tolist()) / counted.size if counted.size else math.nan


class Evaluator:
    """Metrics bound to judgments, with tables built once, for scoring many rankings.

    Parameters
    ----------
    metrics : sequence of Metric
        Metrics to evaluate.
    judgments : Judgments
        Grades of the documents, by query.
    ties : TiePolicy
        Order of documents with equal scores.

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
        self._prioritized = np.zeros(judgments.n_queries, np.bool_)
        self._queries = np.arange(judgments.n_queries)

    def __call__(self, scores: F64) -> F64:
        """Return the values, shape (n_metrics, n_queries)."""
        judgments = self._judgments
        comparable = self._comparable(scores)
        packed = np.empty((len(self._tabular) + len(self._cascade), judgments.n_queries))
        ranked_levels = np.empty(judgments.n_documents if self._ranked else 0, np.int64)
        tied = np.empty(judgments.n_queries, np.bool_)
        self._run_kernel(comparable, self._queries, packed, ranked_levels, tied)
        # Putting documents in tie order costs more than ranking them, so it is done only where ties occur, and once.
        if self._ties is not TiePolicy.DOCUMENT_ORDER and (tied & ~self._prioritized).any():
            queries = np.flatnonzero(tied & ~self._prioritized)
            documents, _ = segments(judgments.query_offsets, queries)
            self._priority[documents] = self._ties.in_tie_order(documents, judgments)
            self._prioritized[queries] = True
            self._run_kernel(comparable, queries, packed, ranked_levels, tied)
        values = np.empty((self._n_metrics, judgments.n_queries))
        values[[*self._tabular, *self._cascade]] = packed
        return self._with_ranked(values, ranked_levels)

    def at_weights(self, columns: NDArray[np.floating[Any]], weights: F64, queries: Sequence[I64] | None = None) -> F64:
        """Return the values when documents are ranked by X w for each of many w, several of them in parallel.

        Parameters
        ----------
        columns : array of float32 or float64, shape (n_features, n_documents)
            X transposed.
        weights : array of float64, shape (n_points, n_features)
        queries : sequence of arrays of int64, optional
            For each w, the queries to evaluate; by default all. Evaluating fewer saves time.

        Returns
        -------
        array, shape (n_points, n_metrics, n_queries)
            NaN for queries that are not evaluated.

        Examples
        --------
        >>> from rankmax.metrics import RR
        >>> evaluator = Evaluator([RR()], Judgments.from_grades([0, 1], [0, 2]))
        >>> evaluator.at_weights(np.array([[2.0, 1.0]]), np.array([[1.0], [-1.0]])).ravel()
        array([0.5, 1. ])
        """
        from rankmax._kernels.numerics.matrix_products import times_matrix
        from rankmax._kernels.threads import in_threads, stretches

        weights = for_kernels(weights)
        asked = [self._queries] * len(weights) if queries is None else queries
        values = np.full((len(weights), self._n_metrics, self._judgments.n_queries), np.nan)
        if self._ranked or self._ties is not TiePolicy.DOCUMENT_ORDER:
            scores = np.empty(self._judgments.n_documents)
            for p, row in enumerate(values):
                times_matrix(columns, weights[p : p + 1], scores[np.newaxis])
                row[:, asked[p]] = self(scores)[:, asked[p]]
            return values

        def evaluate_points(first: int, stop: int) -> None:
            scores, tied = np.empty(self._judgments.n_documents), np.empty(self._judgments.n_queries, np.bool_)
            for p in range(first, stop):
                times_matrix(columns, weights[p : p + 1], scores[np.newaxis], threads=False)
                self._run_kernel(scores, asked[p], values[p], np.empty(0, np.int64), tied, threads=False)

        in_threads(evaluate_points, stretches(len(weights)))
        return values[:, np.argsort([*self._tabular, *self._cascade])]

    def _run_kernel(
        self, scores: F64, queries: I64, packed: F64, ranked_levels: I64, tied: Bool, *, threads: bool = True
    ) -> None:
        from rankmax._kernels.metrics.ranked_values import Evaluated, evaluate_queries
        from rankmax._kernels.threads import in_threads

        borders = [0, queries.size]
        if threads and scores.size >= _WORTH_THREADS:
            borders = balanced_tasks(self._judgments.documents_by_query[queries], _TASKS).tolist()
        results = Evaluated(packed, ranked_levels, tied)
        in_threads(evaluate_queries, borders, queries, scores, *self._for_kernel, results)

    @cached_property
    def _for_kernel(self) -> tuple[JudgedDocuments, StackedTables, StackedCascades]:
        from rankmax._kernels.metrics.ranked_values import JudgedDocuments

        documents = JudgedDocuments(
            query_offsets=self._judgments.query_offsets,
            levels=self._judgments.document_levels,
            priority=self._priority,
            prioritized=self._prioritized,
            depth=self._depth(),
            matters=self._matters,
        )
        tables, cascades = list(self._tabular.values()), list(self._cascade.values())
        return documents, _stack_tables(tables, self._judgments), _stack_cascades(cascades, self._judgments)

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


def evaluator_for(
    metrics: Sequence[Metric], judgments: Judgments, *, ties: TiePolicy = TiePolicy.DOCUMENT_ORDER
) -> Evaluator | MixedEvaluator:
    """Return an evaluator for judgments from one source or from several.

    Parameters
    ----------
    metrics : sequence of Metric
    judgments : Judgments
    ties : TiePolicy

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> people = Judgments.from_grades([0, 1, np.nan, np.nan], [0, 2, 4])
    >>> machine = Judgments.from_grades([1, 1, 0, 1], [0, 2, 4])
    >>> mixed = MixedJudgments.of(machine, [people, machine], np.array([[2.0, 0.0], [-1.0, 1.0]]))
    >>> evaluator_for([RR()], mixed)(np.array([2.0, 1.0, 2.0, 1.0]))
    array([[0. , 0.5]])
    """
    if isinstance(judgments, MixedJudgments):
        return MixedEvaluator(metrics, judgments, ties=ties)
    return Evaluator(metrics, judgments, ties=ties)


class MixedEvaluator:
    """Metrics bound to judgments from several sources: the weighted sum of the values by each source.

    Parameters
    ----------
    metrics : sequence of Metric
    judgments : MixedJudgments
    ties : TiePolicy
    """

    def __init__(
        self, metrics: Sequence[Metric], judgments: MixedJudgments, *, ties: TiePolicy = TiePolicy.DOCUMENT_ORDER
    ) -> None:
        self._coefficients = judgments.coefficients
        self._evaluators = [Evaluator(metrics, source, ties=ties) for source in judgments.sources]

    def __call__(self, scores: F64) -> F64:
        """Return the values, shape (n_metrics, n_queries)."""
        return self._combined([evaluator(scores) for evaluator in self._evaluators])

    def without_numba(self, scores: F64) -> F64:
        """Return the same values, computed in numpy."""
        return self._combined([evaluator.without_numba(scores) for evaluator in self._evaluators])

    def at_weights(self, columns: NDArray[np.floating[Any]], weights: F64, queries: Sequence[I64] | None = None) -> F64:
        """Return the values when documents are ranked by X w for each of many w.

        Parameters
        ----------
        columns, weights, queries
            As in :meth:`Evaluator.at_weights`.
        """
        return self._combined([evaluator.at_weights(columns, weights, queries) for evaluator in self._evaluators])

    def _combined(self, values: Sequence[F64]) -> F64:
        total = np.zeros_like(values[0])
        for row, by_source in zip(self._coefficients, values, strict=True):
            total += np.where(row == 0, 0.0, row * by_source)
        return total


def _stack_tables(tables: list[MetricTables], judgments: Judgments) -> StackedTables:
    from rankmax._kernels.metrics.ranked_values import StackedTables

    discount, discount_start = _end_to_end([t.discount for t in tables])
    prefix, prefix_start = _end_to_end([t.prefix for t in tables])
    return StackedTables(
        gain=_rows([t.gain for t in tables], judgments.n_levels),
        discount=discount,
        discount_start=discount_start,
        prefix=prefix,
        prefix_start=prefix_start,
        norm=_rows([t.norm for t in tables], judgments.n_queries),
        offset=_rows([t.offset for t in tables], judgments.n_queries),
        cutoff=_rows([t.cutoff for t in tables], judgments.n_queries).astype(np.int64),
    )


def _stack_cascades(tables: list[CascadeTables], judgments: Judgments) -> StackedCascades:
    from rankmax._kernels.metrics.ranked_values import StackedCascades

    discount, discount_start = _end_to_end([t.discount for t in tables])
    return StackedCascades(
        stop=_rows([t.stop for t in tables], judgments.n_levels),
        discount=discount,
        discount_start=discount_start,
        norm=_rows([t.norm for t in tables], judgments.n_queries),
        offset=_rows([t.offset for t in tables], judgments.n_queries),
        cutoff=_rows([t.cutoff for t in tables], judgments.n_queries).astype(np.int64),
    )


def _rows(vectors: Sequence[F64 | I64], width: int) -> F64:
    return np.array(vectors, np.float64).reshape(len(vectors), width)


def _end_to_end(vectors: list[F64]) -> tuple[F64, I64]:
    starts = np.cumsum([0, *(vector.size for vector in vectors)]).astype(np.int64)
    return np.concatenate([np.empty(0), *vectors]), starts
