"""The most violated constraint of each query, as one or more ways to split its documents in two kinds.

The loss of a ranking does not change when two relevant documents swap, nor two others, so both kinds stand by falling
score, and a ranking is an interleaving of two sorted lists (Yue et al. 2007, Observation 1). It is written as `above`:
how many of the others stand above the i-th relevant document, which never falls with i. Each kind of loss finds the
best one in a file of its own; sorting before it and the margins after it are here.

Queries are independent and none is divided, so the number of threads does not change a bit.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax._kernels.compilation import njit
from rankmax._kernels.margins.cutoff_margin import interleave_the_top
from rankmax._kernels.margins.discounted import interleave_by_discount
from rankmax._kernels.margins.reciprocal_rank_margin import interleave_by_reciprocal_rank
from rankmax._kernels.margins.roc_area_margin import interleave_by_roc_area
from rankmax._kernels.margins.split_queries import LossTables, Splits
from rankmax._kernels.metrics.ranking import rank_documents

DISCOUNTED, TOP, ROC_AREA, RECIPROCAL_RANK = range(4)


@njit(cache=True, nogil=True)
def separate(
    first: int,
    stop: int,
    kind: int,
    scores: F64,
    splits: Splits,
    tables: LossTables,
    losses: F64,
    margins: F64,
) -> None:
    """Add what the splits from `first` up to `stop` contribute to losses and margins.

    Parameters
    ----------
    first, stop : int
    kind : int
        DISCOUNTED, TOP, ROC_AREA or RECIPROCAL_RANK.
    scores : float64, (n_documents,)
    splits : Splits
    tables : LossTables
    losses : float64, (n_queries,)
        Of the most violated ranking.
    margins : float64, (n_documents,)
        Coefficients of phi in Psi(true ranking) - Psi(most violated ranking).
    """
    longest = 0
    for t in range(first, stop):
        longest = max(longest, splits.stop[t] - splits.first[t])
    sorted_scores, of_query = np.empty(longest), np.empty(longest)
    sorted_documents, above = np.empty(longest, np.int64), np.empty(longest, np.int64)
    order, spare, buckets = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest + 2, np.int64)
    sums = np.empty(longest + 2)
    last_query = np.int64(-1)
    for t in range(first, stop):
        query, start, p, cutoff, ideal = (
            splits.query[t],
            splits.first[t],
            splits.n_relevant[t],
            splits.cutoff[t],
            splits.ideal[t],
        )
        n = splits.stop[t] - start
        if query != last_query:  # all splits of a query share its order
            for i in range(n):
                of_query[i] = scores[splits.documents[start + i]]
            rank_documents(of_query[:n], n, order, spare, buckets)
            last_query = query
        i_relevant, i_other = 0, p
        for place in order[:n]:
            if place < p:
                i = i_relevant
                i_relevant += 1
            else:
                i = i_other
                i_other += 1
            sorted_scores[i] = of_query[place]
            sorted_documents[i] = splits.documents[start + place]
        relevant, others = sorted_scores[:p], sorted_scores[p:n]
        weight = 2.0 / (p * (n - p))
        if kind == DISCOUNTED:
            loss = interleave_by_discount(relevant, others, weight, ideal, tables, sums, above)
        elif kind == TOP:
            loss = interleave_the_top(relevant, others, weight, ideal, tables, cutoff, sums, above)
        elif kind == ROC_AREA:
            loss = interleave_by_roc_area(relevant, others, above)
        else:
            loss = interleave_by_reciprocal_rank(relevant, others, weight, cutoff, sums, above)
        losses[query] += splits.share[t] * loss
        weight *= splits.share[t]
        i = 0
        for j in range(n - p):
            while i < p and above[i] <= j:
                i += 1
            margins[sorted_documents[p + j]] -= weight * (p - i)
        for i in range(p):
            margins[sorted_documents[i]] += weight * above[i]
