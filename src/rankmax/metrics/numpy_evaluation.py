"""The evaluation kernel in numpy: the same bits without loading numba.

Loading numba takes longer than scoring a million-line run once, so a one-shot command evaluates with this module. Both
implementations add the same products in the same order; a property test keeps them equal to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments, segments
from rankmax.metrics.metric import CascadeTables, MetricTables
from rankmax.metrics.ties import TiePolicy


def ranked_documents(scores: F64, judgments: Judgments, ties: TiePolicy) -> I64:
    """Return the rows of each query's documents, best score first; scores are as the tie policy compares them."""
    query = judgments.query_of_document
    same_query = query[1:] == query[:-1]
    order = np.arange(scores.size)
    if ((scores[1:] > scores[:-1]) & same_query).any():  # runs are often sorted already
        order = np.lexsort((-scores, query))
    if ties is not TiePolicy.DOCUMENT_ORDER:
        ranked_scores = scores[order]
        is_tied = np.zeros(judgments.n_queries, np.bool_)
        is_tied[query[1:][(ranked_scores[1:] == ranked_scores[:-1]) & same_query]] = True
        documents, _ = segments(judgments.query_offsets, np.flatnonzero(is_tied))
        in_order = ties.in_tie_order(documents, judgments)
        order[documents] = in_order[np.lexsort((-scores[in_order], query[in_order]))]
    return order


def rank_levels(scores: F64, judgments: Judgments, ties: TiePolicy) -> I64:
    """Return the levels of each query's documents, best score first."""
    return judgments.document_levels[ranked_documents(scores, judgments, ties)]


@dataclass(frozen=True, slots=True)
class Listed:
    """Documents whose level matters to some metric, in ranked order; all sums run over them."""

    query: I64
    rank: I64  # 0 is the top
    level: I64
    first: I64  # index of each query's first listed document


def list_documents(ranked_levels: I64, matters: Bool, judgments: Judgments) -> Listed:
    """List the ranked documents whose level matters."""
    positions = np.flatnonzero(matters[ranked_levels])
    query = judgments.query_of_document[positions]
    return Listed(
        query=query,
        rank=positions - judgments.query_offsets[query],
        level=ranked_levels[positions],
        first=np.searchsorted(query, np.arange(judgments.n_queries)),
    )


def tabular_values(tables: MetricTables, listed: Listed) -> F64:
    """Return the metric's value for each query."""
    gain = tables.gain[listed.level]
    running = np.concatenate([[0], np.cumsum(gain > 0)])
    kept = np.flatnonzero((gain != 0) & (listed.rank < tables.cutoff[listed.query]))
    query, rank = listed.query[kept], listed.rank[kept]
    relevant_above = running[kept] - running[listed.first[query]]
    prefix = tables.prefix[np.minimum(relevant_above, tables.prefix.size - 1)]
    terms = gain[kept] * tables.discount[rank] * prefix
    return tables.offset + tables.norm * np.bincount(query, weights=terms, minlength=tables.norm.size)


def cascade_values(tables: CascadeTables, listed: Listed) -> F64:
    """Return the metric's value for each query, processing the k-th listed document of all queries at once."""
    kept = np.flatnonzero(listed.rank < tables.cutoff[listed.query])
    place = kept - listed.first[listed.query[kept]]
    total = np.zeros(tables.norm.size)
    reading = np.ones(tables.norm.size)
    by_place = kept[np.argsort(place, kind="stable")]
    for current in np.split(by_place, np.cumsum(np.bincount(place))[:-1]):
        query = listed.query[current]
        stop = tables.stop[listed.level[current]]
        total[query] += tables.discount[listed.rank[current]] * stop * reading[query]
        reading[query] *= 1.0 - stop
    return tables.offset + tables.norm * total
