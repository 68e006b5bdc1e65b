"""The most violated constraint of each query, for losses that know two kinds of documents.

The loss of a ranking does not change when two relevant documents swap, nor two others, so both kinds stand by falling
score, and a ranking is an interleaving of two sorted lists (Yue et al. 2007, Observation 1). It is written as `above`:
how many of the others stand above the i-th relevant document, which never falls with i. Each loss finds the best one
in a file of its own; sorting before it and the margins after it are here.

Queries are independent and none is divided, so the number of threads does not change a bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from rankmax.arrays import F64, I64
from rankmax.kernels.ranking import rank_documents
from rankmax.kernels.separation_average_precision import interleave_by_average_precision
from rankmax.kernels.separation_reciprocal_rank import interleave_by_reciprocal_rank
from rankmax.kernels.separation_roc_area import interleave_by_roc_area

AVERAGE_PRECISION, ROC_AREA, RECIPROCAL_RANK = range(3)


@njit(cache=True, parallel=True)
def separate_tasks(
    tasks: I64,
    loss: int,
    scores: F64,
    documents: I64,
    query_offsets: I64,
    n_relevant: I64,
    norm: F64,
    cutoff: I64,
    harmonic: F64,
    losses: F64,
    margins: F64,
) -> None:
    """Fill the losses and margins of all queries, in stretches whose borders are `tasks`, several at once."""
    for t in prange(tasks.size - 1):
        separate_queries(
            tasks[t],
            tasks[t + 1],
            loss,
            scores,
            documents,
            query_offsets,
            n_relevant,
            norm,
            cutoff,
            harmonic,
            losses,
            margins,
        )


@njit(cache=True)
def separate_queries(
    first: int,
    stop: int,
    loss: int,
    scores: F64,
    documents: I64,
    query_offsets: I64,
    n_relevant: I64,
    norm: F64,
    cutoff: I64,
    harmonic: F64,
    losses: F64,
    margins: F64,
) -> None:
    """Fill the losses and margins of the queries from `first` up to `stop`.

    Parameters
    ----------
    first, stop : int
    loss : int
        AVERAGE_PRECISION, ROC_AREA or RECIPROCAL_RANK.
    scores : float64, (n_documents,)
    documents : int64, (n_documents,)
        The documents of each query at its offsets, relevant ones first.
    query_offsets : int64, (n_queries + 1,)
    n_relevant : int64, (n_queries,)
        Neither 0 nor all.
    norm : float64, (n_queries,)
        What the metric multiplies its sum by.
    cutoff : int64, (n_queries,)
        Ranks that the metric looks at.
    harmonic : float64
        1 + 1/2 + ... + 1/i for each i up to the longest query's number of documents.
    losses : float64, (n_queries,)
        Of the most violated ranking.
    margins : float64, (n_documents,)
        Coefficients of phi in Psi(true ranking) - Psi(most violated ranking).
    """
    longest = 0
    for q in range(first, stop):
        longest = max(longest, query_offsets[q + 1] - query_offsets[q])
    sorted_scores, gathered = np.empty(longest), np.empty(longest)
    sorted_documents, above = np.empty(longest, np.int64), np.empty(longest, np.int64)
    order, spare, buckets = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest + 2, np.int64)
    sums = np.empty(longest + 1)
    for q in range(first, stop):
        start, end = query_offsets[q], query_offsets[q + 1]
        p, n = n_relevant[q], end - start
        for low, high in ((0, p), (p, n)):
            sort_by_score(
                scores,
                documents[start + low : start + high],
                sorted_scores[low:high],
                sorted_documents[low:high],
                gathered,
                order,
                spare,
                buckets,
            )
        relevant, others = sorted_scores[:p], sorted_scores[p:n]
        weight = 2.0 / (p * (n - p))
        if loss == AVERAGE_PRECISION:
            losses[q] = interleave_by_average_precision(relevant, others, weight, norm[q], harmonic, sums, above)
        elif loss == ROC_AREA:
            losses[q] = interleave_by_roc_area(relevant, others, above)
        else:
            losses[q] = interleave_by_reciprocal_rank(relevant, others, weight, cutoff[q], sums, above)
        i = 0
        for j in range(n - p):
            while i < p and above[i] <= j:
                i += 1
            margins[sorted_documents[p + j]] = -weight * (p - i)
        for i in range(p):
            margins[sorted_documents[i]] = weight * above[i]


@njit(cache=True)
def sort_by_score(
    scores: F64,
    documents: I64,
    sorted_scores: F64,
    sorted_documents: I64,
    gathered: F64,
    order: I64,
    spare: I64,
    buckets: I64,
) -> None:
    """Fill the scores of some documents, and the documents, by falling score; the last four are scratch."""
    n = documents.size
    for i in range(n):
        gathered[i] = scores[documents[i]]
    rank_documents(gathered[:n], n, order, spare, buckets)
    for i in range(n):
        sorted_scores[i] = gathered[order[i]]
        sorted_documents[i] = documents[order[i]]
