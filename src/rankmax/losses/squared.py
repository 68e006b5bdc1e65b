"""Squared distance between scores and gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankmax._arrays import F64, I64
from rankmax.losses.listwise import listwise_loss
from rankmax.losses.surrogate_loss import Surrogate


@dataclass(frozen=True, kw_only=True)
class Squared(Surrogate):
    r"""Sum of the squared differences between a query's scores and its gains.

    .. math:: \ell(s, \psi) = \sum_j (\psi_j - s_j)^2

    Unlike least squares on all documents (:class:`~rankmax.learners.pointwise.least_squares.LeastSquaresRanker`) it
    leaves out queries whose gains are all equal, and treats unjudged documents as documents of gain 0.

    Parameters
    ----------
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 1, 2], query_offsets=[0, 3])
    >>> Squared().value_and_gradient(np.array([0.5, 1.0, 1.0]), judgments)
    (1.25, array([ 1.,  0., -2.]))

    References
    ----------
    Yang, Ravikumar & Lease 2010, eq. 14.
    """

    convex: ClassVar[bool] = True

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return the sum over the documents of each query, and its gradient."""
        return listwise_loss("squared", scores, gains, query_offsets)
