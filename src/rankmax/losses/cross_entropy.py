"""Cross-entropy losses between the top-one distributions of scores and gains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.losses.listwise import listwise_loss
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.metric_parameters import check_number

ALPHAS = (0.1, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0, 10.0)
"""Target temperatures that Yang, Ravikumar & Lease 2010 select from by validation queries."""


@dataclass(frozen=True, kw_only=True)
class CrossEntropy(Surrogate):
    r"""ListNet: divergence between the top-one distributions of the gains and of the scores.

    .. math:: \ell(s, \psi) = \sum_j p_j \log \frac{p_j}{q_j}, \quad
              p_j = \frac{\exp(\alpha \psi_j)}{\sum_k \exp(\alpha \psi_k)}, \quad
              q_j = \frac{\exp(s_j)}{\sum_k \exp(s_k)}

    This is the cross entropy minus the entropy of p, which does not depend on the scores. Its minimum is 0, and it is
    convex in the scores.

    Parameters
    ----------
    alpha : float
        Inverse temperature of the target, positive: the larger, the more certain that a document of higher gain is
        first.
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`.

    Examples
    --------
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 1, 0, 0], query_offsets=[0, 2, 4])
    >>> loss, gradient = CrossEntropy(alpha=2.0).value_and_gradient(np.array([0.5, 2.5, 7.0, 8.0]), judgments)
    >>> round(loss, 12), bool(np.allclose(gradient, 0))
    (0.0, True)

    References
    ----------
    Yang, Ravikumar & Lease 2010, A new class of ranking functions for DCG-like evaluation metrics using conditional
    probability models: the top-one form of section 6.1, with its alpha; eq. 11 is over full permutations. Cao, Qin,
    Liu, Tsai & Li 2007, Learning to rank: from pairwise approach to listwise approach.
    """

    convex: ClassVar[bool] = True

    alpha: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("CrossEntropy", "alpha", self.alpha, "a positive number", lambda alpha: alpha > 0)

    def variants(self) -> tuple[Surrogate, ...]:
        """Return the loss with each alpha of :data:`ALPHAS`."""
        return tuple(replace(self, alpha=alpha) for alpha in ALPHAS)

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return the divergence of each query and its gradient q - p."""
        return listwise_loss("divergence", scores, self.alpha * gains, query_offsets)


@dataclass(frozen=True, kw_only=True)
class ProportionalCrossEntropy(Surrogate):
    r"""Divergence between the scores' top-one distribution and the gains as proportions.

    .. math:: \ell(s, \psi) = \sum_j p_j \log \frac{p_j}{q_j}, \quad
              p_j = \frac{\psi_j}{\sum_k \psi_k}, \quad
              q_j = \frac{\exp(s_j)}{\sum_k \exp(s_k)}

    A document of gain 0 has target probability 0, whatever the gains of the others; :class:`CrossEntropy` gives such
    documents a probability that grows with their number.

    Parameters
    ----------
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`.

    Examples
    --------
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 1, 3], query_offsets=[0, 3])
    >>> loss, gradient = ProportionalCrossEntropy().value_and_gradient(np.zeros(3), judgments)
    >>> gradient.round(4)
    array([ 0.3333,  0.0833, -0.4167])

    References
    ----------
    Bruch, Wang, Bendersky & Najork 2019, An analysis of the softmax cross entropy loss for learning-to-rank with binary
    relevance.
    """

    convex: ClassVar[bool] = True

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return the divergence of each query and its gradient q - p."""
        with np.errstate(divide="ignore"):
            log_targets = np.log(gains)
        return listwise_loss("divergence", scores, log_targets, query_offsets)
