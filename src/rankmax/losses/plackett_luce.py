"""ListMLE: the negative log-likelihood of the order by gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankmax._arrays import F64, I64
from rankmax.losses.listwise import listwise_loss
from rankmax.losses.surrogate_loss import Surrogate


@dataclass(frozen=True, kw_only=True)
class PlackettLuce(Surrogate):
    r"""Negative log-likelihood, under the Plackett-Luce model, of an order by decreasing gain.

    .. math:: \ell(s, \psi) = -\log P(\text{decreasing } \psi), \quad
              P(\pi) = \prod_{i=1}^m \frac{\exp(s_{\pi^{-1}(i)})}{\sum_{k=i}^m \exp(s_{\pi^{-1}(k)})}

    The divergence between two distributions over all m! orders cannot be computed; this is its limit when the target is
    certain of its order (:math:`\alpha \to \infty` in :class:`~rankmax.losses.cross_entropy.CrossEntropy`, which
    compares only the choice of the first document). Documents of equal gain may come in any order; the probability of
    such a group is Efron's approximation, exact where its scores are equal. The loss therefore does not depend on the
    order of documents in the file.

    Parameters
    ----------
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`. Only its order matters.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 1, 2], query_offsets=[0, 3])
    >>> loss, gradient = PlackettLuce().value_and_gradient(np.zeros(3), judgments)
    >>> round(float(np.exp(-loss)), 12) == round(1 / 6, 12), gradient.round(4)
    (True, array([ 0.8333, -0.1667, -0.6667]))

    References
    ----------
    Yang, Ravikumar & Lease 2010, eq. 11. Xia, Liu, Wang, Zhang & Li 2008, Listwise approach to learning to rank: theory
    and algorithm. Efron 1977, The efficiency of Cox's likelihood function for censored data (for equal gains).
    """

    convex: ClassVar[bool] = True

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return -log P of each query and its gradient."""
        return listwise_loss("plackett_luce", scores, gains, query_offsets)
