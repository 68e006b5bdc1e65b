r"""How far unjudged documents leave a metric open.

A document that nobody judged counts as not relevant. The metric of a ranking therefore lies between two bounds: the
lowest and the highest value over all ways to judge the unjudged documents of the top k, each as not relevant or with
the highest grade; k is the metric's cutoff, or :data:`DEPTH`. The bounds are not always those of "none relevant" and
"all relevant": nDCG falls where a relevant document is found at rank 10, because the ideal ranking gains more.

If j of a query's unjudged documents are relevant, a metric that prefers relevant documents at the top is highest if
these are the first j, and lowest if they are the last j, so 2u judgments of u documents cover all :math:`2^u`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax.data.judgments import UNJUDGED, Judgments, segments
from rankmax.data.repeated_judgments import only_documents
from rankmax.metrics.evaluator import evaluate_metrics, mean_of_counted
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy

DEPTH = 10
"""Number of top documents that are looked at for metrics without a cutoff."""

_MOST_DOCUMENTS = 20_000_000  # of all rankings that are evaluated for the bounds of one metric


@dataclass(frozen=True, slots=True)
class Unjudged:
    """The unjudged documents at the top of a system's rankings, and what they leave open.

    Attributes
    ----------
    depth : int
        k, the metric's cutoff, or 10.
    share : float
        Share of unjudged documents in the top k of all queries.
    lowest, highest : float or None
        Bounds of the metric's mean; None where they would take too long, for millions of documents.
    """

    depth: int
    share: float
    lowest: float | None
    highest: float | None

    def __str__(self) -> str:
        """Return the share and the bounds."""
        if self.lowest is None or self.share == 0:
            return f"{self.share:.0%}"
        return f"{self.share:.0%}: {self.lowest:.4f} to {self.highest:.4f}"


@dataclass(frozen=True, slots=True)
class QueryBounds:
    """The unjudged documents at the top of some queries, and what they leave open for each of them.

    Attributes
    ----------
    depth : int
        k, the metric's cutoff, or 10.
    n_top, n_unjudged : int
        Number of documents in the top k, and of unjudged ones among them.
    lowest, highest : array of float64, shape (n_queries,), or None
        Bounds of the metric; NaN for a query that is left out, None where they would take too long.
    """

    depth: int
    n_top: int
    n_unjudged: int
    lowest: F64 | None
    highest: F64 | None


def unjudged_of_parts(parts: Sequence[Sequence[QueryBounds]]) -> tuple[Unjudged, ...]:
    """Return the shares and the bounds of means over all parts of the queries, by metric.

    Parameters
    ----------
    parts : sequence of sequences of QueryBounds
        Of each part, the bounds of each metric.
    """
    return tuple(_joined(of_metric) for of_metric in zip(*parts, strict=True))


def _joined(parts: Sequence[QueryBounds]) -> Unjudged:
    n_top, n_unjudged = sum(part.n_top for part in parts), sum(part.n_unjudged for part in parts)
    lowest = [part.lowest for part in parts if part.lowest is not None]
    highest = [part.highest for part in parts if part.highest is not None]
    share = n_unjudged / n_top if n_unjudged else 0.0
    if len(lowest) < len(parts):
        return Unjudged(parts[0].depth, share, None, None)
    means = (mean_of_counted(np.concatenate(bounds)) for bounds in (lowest, highest))
    return Unjudged(parts[0].depth, share, *means)


def unjudged_documents(
    scores: F64,
    judgments: Judgments,
    metrics: Sequence[Metric],
    values: F64,
    *,
    ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
    compiled: bool = True,
) -> tuple[Unjudged, ...]:
    """Return the share of unjudged documents at the top, and the bounds of each metric.

    Parameters
    ----------
    scores : array, shape (n_documents,)
    judgments : Judgments
    metrics : sequence of Metric
    values : array, shape (n_metrics, n_queries)
        Values of the metrics with the judgments as they are; a query that is NaN stays left out.
    ties : TiePolicy
    compiled : bool
        As in :func:`~rankmax.metrics.evaluator.evaluate_metrics`.

    Examples
    --------
    >>> from rankmax.metrics import P
    >>> judgments = Judgments.from_grades([1, np.nan, 0, np.nan], [0, 4])
    >>> found, = unjudged_documents(np.array([4.0, 3.0, 2.0, 1.0]), judgments, [P(cutoff=2)], np.array([[0.5]]))
    >>> found.share, found.lowest, found.highest
    (0.5, 0.5, 1.0)
    """
    return unjudged_of_parts([query_bounds(scores, judgments, metrics, values, ties=ties, compiled=compiled)])


def query_bounds(
    scores: F64,
    judgments: Judgments,
    metrics: Sequence[Metric],
    values: F64,
    *,
    ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
    compiled: bool = True,
) -> tuple[QueryBounds, ...]:
    """Return the unjudged documents at the top, and the bounds of each metric, by query.

    Parameters
    ----------
    scores, judgments, metrics, values, ties, compiled
        As in :func:`unjudged_documents`.
    """
    ordered = _ranked(scores, judgments, ties)
    place = np.arange(judgments.n_documents) - ordered.query_offsets[ordered.query_of_document]
    return tuple(_of_metric(ordered, place, metric, row, compiled) for metric, row in zip(metrics, values, strict=True))


def _ranked(scores: F64, judgments: Judgments, ties: TiePolicy) -> Judgments:
    """Return the judgments with the documents of each query in the order of their ranks."""
    compared, query = ties.comparable(np.asarray(scores, np.float64)), judgments.query_of_document
    order = np.lexsort((-compared, query))
    if ties is not TiePolicy.DOCUMENT_ORDER:
        same = (np.diff(compared[order]) == 0) & (np.diff(query[order]) == 0)
        tied = np.unique(query[order][1:][same])  # putting documents in tie order costs more than ranking them
        places, _ = segments(judgments.query_offsets, tied)
        documents = ties.in_tie_order(places, judgments)
        order[places] = documents[np.lexsort((-compared[documents], query[documents]))]
    return replace(judgments, document_levels=readonly(judgments.document_levels[order]), document_ids=None)


def _of_metric(ordered: Judgments, place: I64, metric: Metric, values: F64, compiled: bool) -> QueryBounds:
    depth = metric.cutoff or DEPTH
    top = place < depth
    unknown = top & (ordered.document_levels == UNJUDGED)
    n_top, n_unjudged = int(top.sum()), int(unknown.sum())
    if n_unjudged == 0:
        return QueryBounds(depth, n_top, 0, values, values)
    judgments = _with_relevant_level(ordered)
    if metric.cutoff is not None:
        judgments, unknown = only_documents(judgments, top), unknown[top]
    by_query = np.bincount(judgments.query_of_document[unknown], minlength=judgments.n_queries)
    if int((2 * by_query * judgments.documents_by_query).sum()) > _MOST_DOCUMENTS:
        return QueryBounds(depth, n_top, n_unjudged, None, None)
    lowest, highest = _extremes(judgments, np.flatnonzero(unknown), by_query, metric, values, compiled)
    return QueryBounds(depth, n_top, n_unjudged, lowest, highest)


def _extremes(
    judgments: Judgments, unknown: I64, by_query: I64, metric: Metric, values: F64, compiled: bool
) -> tuple[F64, F64]:
    """Return the lowest and highest value of each query; NaN stays NaN."""
    # a copy of each query for each number of relevant documents, first those with the first ones, then with the last
    query = np.repeat(np.arange(judgments.n_queries), by_query)
    first = np.cumsum(by_query) - by_query
    number = np.arange(query.size) - first[query] + 1
    copies = np.concatenate([query, query])
    rows, offsets = segments(judgments.query_offsets, copies)
    position = np.full(judgments.n_documents, -1)
    position[unknown] = number  # counts from 1 within each query
    last_ones = np.arange(copies.size) >= query.size
    copy = np.repeat(np.arange(copies.size), np.diff(offsets))
    n, j, p = by_query[copies][copy], np.concatenate([number, number])[copy], position[rows]
    relevant = (p > 0) & np.where(last_ones[copy], p > n - j, p <= j)
    repeated = judgments.select(copies)
    levels = np.where(relevant, judgments.n_levels - 1, repeated.document_levels)
    repeated = replace(repeated, document_levels=readonly(levels))
    by_rank = -(np.arange(rows.size) - offsets[copy]).astype(np.float64)
    found = evaluate_metrics([metric], by_rank, repeated, compiled=compiled)[0]
    lowest, highest = values.copy(), values.copy()
    np.fmin.at(lowest, copies, np.where(np.isnan(values[copies]), np.nan, found))
    np.fmax.at(highest, copies, np.where(np.isnan(values[copies]), np.nan, found))
    return lowest, highest


def _with_relevant_level(judgments: Judgments) -> Judgments:
    """Return the judgments with a level of grade 1, if there is no relevant one."""
    if judgments.n_levels > 1 and judgments.levels[-1] > 0:
        return judgments
    return judgments.with_levels(np.append(judgments.levels, 1.0))
