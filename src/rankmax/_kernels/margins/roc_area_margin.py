"""The interleaving that violates most the margin of the ROC area: pairs decide for themselves (Joachims 2005)."""

from __future__ import annotations

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit


@njit(cache=True)
def interleave_by_roc_area(relevant: F64, others: F64, above: I64) -> float:
    """Fill `above` and return the loss, the share of pairs in the wrong order.

    A pair in the wrong order adds 1 / (p m) to the loss and takes 2 (s_i - s_j) / (p m) from the discriminant, so it is
    in the wrong order where s_i - s_j < 1/2. That is a ranking: by score, the others raised by 1/2.

    Parameters
    ----------
    relevant, others : float64
        Scores, falling.
    above : int64, at least p
    """
    p, m = relevant.size, others.size
    wrong, j = 0, 0
    for i in range(p):
        while j < m and relevant[i] - others[j] < 0.5:
            j += 1
        above[i] = j
        wrong += j
    return wrong / (p * m)
