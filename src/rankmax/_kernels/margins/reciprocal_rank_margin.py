"""The interleaving that violates most the margin of the reciprocal rank (after Chakrabarti et al. 2008).

The loss depends only on b, the number of documents above the first relevant one. Given b, the b best others come
first, then the best relevant document, then all that is left by score: that is the ranking of highest discriminant.
Beside the ranking by score alone it costs 2 / (p m) times the sum of |s_i - s_j| over the pairs that stand against
their scores, which prefix sums give for all b together in linear time.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit


@njit(cache=True)
def interleave_by_reciprocal_rank(
    relevant: F64, others: F64, weight: float, cutoff: int, sums: F64, above: I64
) -> float:
    """Fill `above` and return the loss, 1 - 1 / (b + 1), or 1 where that is below the cutoff.

    Parameters
    ----------
    relevant, others : float64
        Scores, falling.
    weight : float
        2 / (p m).
    cutoff : int
        Ranks that count.
    sums : float64 scratch of p + 1
    above : int64, at least p
    """
    p, m = relevant.size, others.size
    sums[0] = 0.0
    for i in range(p):
        sums[i + 1] = sums[i] + relevant[i]
    top = relevant[0]
    passed_over = 0.0  # sum of s_j - s_1 over the others that score higher than the first relevant, from b on
    for j in range(m):
        passed_over += max(others[j] - top, 0.0)
    raised = 0.0  # sum of s_i - s_j over the first b others and the relevant documents that score higher than them
    best, best_value = 0, -np.inf
    higher = 0
    for b in range(min(m, cutoff) + 1):
        loss = 1.0 - 1.0 / (b + 1) if b < cutoff else 1.0
        against = raised + (passed_over if b < cutoff else 0.0)
        value = loss - weight * against
        if value > best_value:
            best, best_value = b, value
        if b < m:
            passed_over -= max(others[b] - top, 0.0)
            while higher < p and relevant[higher] > others[b]:
                higher += 1
            raised += sums[higher] - higher * others[b]
    j = 0
    for i in range(p):
        while j < m and others[j] > relevant[i]:
            j += 1
        above[i] = max(j, best)
    if best < cutoff:
        above[0] = best
    return 1.0 - 1.0 / (best + 1) if best < cutoff else 1.0
