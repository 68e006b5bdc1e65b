"""Evaluation of scores: values by query, means and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.metrics.evaluator import evaluate_metrics, mean_of_counted
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.metrics.ties import TiePolicy


@dataclass(frozen=True, eq=False)
class MetricValues:
    """Values of metrics for every query of one ranking.

    Attributes
    ----------
    metrics : tuple of Metric
    query_ids : tuple of str
    values : array, shape (n_metrics, n_queries)
        Values by query; NaN where a query is left out of a metric.
    """

    metrics: tuple[Metric, ...]
    query_ids: tuple[str, ...]
    values: F64

    @property
    def n_counted(self) -> I64:
        """Number of queries that count, by metric."""
        counts: I64 = np.count_nonzero(~np.isnan(self.values), axis=1)
        return counts

    @property
    def means(self) -> F64:
        """Mean over the queries that count, by metric; NaN if none does."""
        return np.array([mean_of_counted(values) for values in self.values])

    def intervals(self, *, confidence: float = 0.95, seed: int = 0) -> F64:
        """Return bootstrap intervals of the means over queries, shape (n_metrics, 2)."""
        low, high = bootstrap_interval(self.values, confidence=confidence, seed=seed)
        return np.column_stack([low, high])

    def __getitem__(self, metric: str | Metric) -> F64:
        """Return the values of one metric by query."""
        values: F64 = self.values[self.metrics.index(parse_metric(metric) if isinstance(metric, str) else metric)]
        return values


def evaluate_scores(
    scores: ArrayLike,
    data: RankingDataset | Judgments,
    metrics: Sequence[str | Metric],
    *,
    ties: TiePolicy | str = TiePolicy.DOCUMENT_ORDER,
    compiled: bool = True,
) -> MetricValues:
    """Rank each query's documents by `scores` and evaluate the metrics.

    Parameters
    ----------
    scores : array-like, shape (n_documents,)
        Scores in the order of the data's documents.
    data : RankingDataset or Judgments
        Documents with their grades, grouped by query.
    metrics : sequence of str or Metric
        Metrics to evaluate, or their names.
    ties : TiePolicy or its name
        Order of documents with equal scores.
    compiled : bool
        False computes the same bits without loading numba; see :func:`rankmax.metrics.evaluator.evaluate_metrics`.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 1, 2, 1, 0], query_offsets=[0, 3, 5])
    >>> evaluation = evaluate_scores([0.1, 0.5, 0.3, 0.2, 0.7], judgments, ["RR", "nDCG@2"])
    >>> evaluation["RR"], evaluation.means
    (array([1. , 0.5]), array([0.75      , 0.74532423]))
    """
    judgments = data.judgments if isinstance(data, RankingDataset) else data
    parsed = tuple(parse_metric(metric) if isinstance(metric, str) else metric for metric in metrics)
    values = evaluate_metrics(
        parsed, np.asarray(scores, np.float64), judgments, ties=TiePolicy(ties), compiled=compiled
    )
    return MetricValues(parsed, judgments.query_ids, values)
