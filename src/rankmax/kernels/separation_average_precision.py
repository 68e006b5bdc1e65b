"""The interleaving that violates most the margin of average precision: Algorithm 2 of Yue et al. 2007.

With relevant documents i = 1, ..., p and others j = 1, ..., m by falling score, the j-th other document goes directly
above the k-th relevant one (k = p + 1: below all), where k maximises

    delta_j(k, p + 1) = sum over i from k to p of  norm * i / ((j + i) (j + i - 1)) - 2 / (p m) * (s_i - s_j).

(Equation 5 leaves out the factor 1 / (p m) that Psi has.) The paper sums p terms for each j. The sum over the loss
has a closed form, by parts: k / (j + k - 1) - p / (j + p) + H(j + p - 1) - H(j + k - 1) with harmonic numbers H; that
over the scores is a difference of prefix sums. And the best k never falls with j (Theorem 2), so the best k of the
middle j bounds those on both sides of it: p log m + m steps instead of p m.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rankmax.arrays import F64, I64

_DEEPEST = 64  # halvings of any number of documents


@njit(cache=True)
def interleave_by_average_precision(
    relevant: F64, others: F64, weight: float, norm: float, harmonic: F64, sums: F64, above: I64
) -> float:
    """Fill `above` and return the loss, norm * sum of (1 - precision) over relevant documents.

    Parameters
    ----------
    relevant, others : float64
        Scores, falling.
    weight : float
        2 / (p m).
    norm : float
        One over the number of relevant documents, those among no candidates included.
    harmonic : float64
        Harmonic numbers from H(0) to H(p + m).
    sums : float64 scratch of p + 1
    above : int64, at least p
    """
    p, m = relevant.size, others.size
    scale = weight / norm
    sums[p] = 0.0
    for k in range(p - 1, -1, -1):
        sums[k] = sums[k + 1] + scale * relevant[k]
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
            # delta_j(k, p + 1) / norm, less what does not depend on k; k / (j + k - 1) = 1 - (j - 1) / (j + k - 1)
            value = -(j - 1) / (j + k - 1) - harmonic[j + k - 1] - sums[k - 1] - k * score
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
        loss += above[i] / (i + 1 + above[i])
    return norm * loss
