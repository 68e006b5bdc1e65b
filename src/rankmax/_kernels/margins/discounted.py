"""The interleaving that violates most the margin of a metric with a convex discount: Algorithm 2 of Yue et al. 2007.

The i-th relevant document at rank r adds P(i) D(r) to the metric: for average precision P(i) = i and D(r) = 1/r, for
nDCG P(i) = 1 and D(r) = 1 / log2(1 + r). With relevant documents i = 1, ..., p and others j = 1, ..., m by falling
score, the j-th other document goes directly above the k-th relevant one (k = p + 1: below all), where k maximizes

    delta_j(k, p + 1) = sum over i from k to p of  P(i) (D(i + j - 1) - D(i + j)) / ideal - 2 / (p m) * (s_i - s_j).

(Equation 5 of the paper leaves out the factor 1 / (p m) that Psi has.) Its terms fall with j where D is convex, which
is all that Lemma 1 and Theorem 2 need: these places are those of a ranking, the best of all.

The paper sums p terms for each j. But where P grows linearly, P(i) = P(1) + g (i - 1), the sum has a closed form, by
parts: P(k) D(j + k - 1) - g S(j + k - 1) with the sums S of D, plus what does not depend on k; that over the scores
is a difference of prefix sums. And the best k never falls with j, so the best k of the middle j bounds those on both
sides of it: p log m + m steps instead of p m.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.margins.split_queries import LossTables

_DEEPEST = 64  # halvings of any number of documents


@njit(cache=True)
def interleave_by_discount(
    relevant: F64, others: F64, weight: float, ideal: float, tables: LossTables, sums: F64, above: I64
) -> float:
    """Fill `above` and return the loss.

    Parameters
    ----------
    relevant, others : float64
        Scores, falling.
    weight : float
        2 / (p m).
    ideal : float
        The sum of P(i) D(i) over all relevant documents.
    tables : LossTables
        D as discount, with its sums for the ranks up to p + m, and P as prefix, from P(1) at index 0, growing linearly.
    sums : float64 scratch of p + 2
    above : int64, at least p
    """
    discount, cumulated, prefix = tables
    p, m = relevant.size, others.size
    scale = weight * ideal
    growth = prefix[1] - prefix[0]
    sums[p + 1] = 0.0
    for k in range(p, 0, -1):
        sums[k] = sums[k + 1] + scale * relevant[k - 1]
    above[:p] = 0
    stack = np.empty((_DEEPEST, 4), np.int64)
    stack[0] = 1, m, 1, p + 1
    depth = 1
    while depth:
        depth -= 1
        low, high, k_low, k_high = stack[depth]
        j = (low + high) // 2
        score = scale * others[j - 1]
        best, best_value = k_high, -np.inf
        for k in range(k_high, k_low - 1, -1):
            value = (
                (prefix[0] + growth * (k - 1)) * discount[j + k - 1]
                - growth * cumulated[j + k - 1]
                - sums[k]
                - k * score
            )
            if value > best_value:
                best, best_value = k, value
        if best <= p:
            above[best - 1] += 1
        if low < j:
            stack[depth] = low, j - 1, k_low, best
            depth += 1
        if j < high:
            stack[depth] = j + 1, high, best, k_high
            depth += 1
    loss = 0.0
    for i in range(p):
        if i > 0:
            above[i] += above[i - 1]
        loss += (prefix[0] + growth * i) * (discount[i + 1] - discount[i + 1 + above[i]])
    return loss / ideal
