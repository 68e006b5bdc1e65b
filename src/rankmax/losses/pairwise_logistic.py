"""RankNet's pairwise logistic loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.errors import InvalidParameterError
from rankmax.losses.surrogate_loss import Surrogate


@dataclass(frozen=True, kw_only=True)
class PairwiseLogistic(Surrogate):
    r"""Logistic loss over the pairs of a query's documents that differ in gain.

    .. math:: \ell(s, \psi) = \frac{1}{\sum_{ij} c_{ij}} \sum_{\psi_i > \psi_j} c_{ij} \log(1 + \exp(s_j - s_i))

    It is a mean, so every query counts the same, however many pairs it has. Time grows with the square of the number
    of documents per query.

    Parameters
    ----------
    weighted : bool
        Whether to weight a pair by the difference of its gains instead of by 1.
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`.

    Examples
    --------
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 1, 0], query_offsets=[0, 3])
    >>> loss, gradient = PairwiseLogistic().value_and_gradient(np.array([3.0, 3.0, 3.0]), judgments)
    >>> round(loss, 4), gradient
    (0.6931, array([ 0.25, -0.5 ,  0.25]))

    References
    ----------
    Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton & Hullender 2005, Learning to rank using gradient descent.
    """

    convex: ClassVar[bool] = True

    weighted: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.weighted, bool):
            raise InvalidParameterError(f"PairwiseLogistic: weighted={self.weighted!r} must be True or False")

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return the mean over the pairs of each query, and its gradient."""
        from rankmax._kernels.losses.query_losses import pairwise_logistic

        values, gradient = np.empty(query_offsets.size - 1), np.empty_like(scores)
        pairwise_logistic(scores, gains, query_offsets, self.weighted, values, gradient)
        return values, gradient
