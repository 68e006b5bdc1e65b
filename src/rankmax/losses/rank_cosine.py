"""RankCosine: the angle between scores and gains."""

from __future__ import annotations

from dataclasses import dataclass

from rankmax._arrays import F64, I64
from rankmax.losses.listwise import listwise_loss
from rankmax.losses.surrogate_loss import Surrogate


@dataclass(frozen=True, kw_only=True)
class Cosine(Surrogate):
    r"""Half of one minus the cosine of the angle between a query's scores and its gains.

    .. math:: \ell(s, \psi) = \frac{1}{2} \left(1 - \frac{\psi^T s}{\lVert \psi \rVert \, \lVert s \rVert}\right)

    It is 0 where the scores are a positive multiple of the gains, and at most 1. Scores that are all 0 have no angle:
    their loss counts as 1/2, that of a right angle, and their gradient as 0, so a fit must start elsewhere. A query
    whose documents all have gain 0 has no angle either; it is left out, as is every query whose gains are all equal.

    Parameters
    ----------
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 3, 4], query_offsets=[0, 3])
    >>> loss, gradient = Cosine().value_and_gradient(np.array([0.0, 4.0, 3.0]), judgments)
    >>> round(loss, 12), gradient.round(4)
    (0.02, array([ 0.    ,  0.0168, -0.0224]))

    References
    ----------
    Yang, Ravikumar & Lease 2010, eq. 10. Qin, Zhang, Tsai, Wang, Liu & Li 2008, Query-level loss functions for
    information retrieval.
    """

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return the loss of each query and its gradient, which is orthogonal to the scores."""
        return listwise_loss("cosine", scores, gains, query_offsets)
