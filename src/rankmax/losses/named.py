"""Losses by name."""

from __future__ import annotations

from rankmax.errors import UnknownNameError
from rankmax.losses.base import Surrogate
from rankmax.losses.cosine import Cosine
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.pairwise_logistic import PairwiseLogistic
from rankmax.losses.plackett_luce import PlackettLuce
from rankmax.losses.smooth_ndcg import SmoothNDCG
from rankmax.losses.squared import Squared

LOSSES: dict[str, type[Surrogate]] = {
    "cosine": Cosine,
    "cross-entropy": CrossEntropy,
    "pairwise-logistic": PairwiseLogistic,
    "plackett-luce": PlackettLuce,
    "proportional-cross-entropy": ProportionalCrossEntropy,
    "smooth-ndcg": SmoothNDCG,
    "squared": Squared,
}
"""The losses that :func:`loss_named` knows."""


def loss_named(loss: str | Surrogate) -> Surrogate:
    """Return a loss by its name, with its defaults; a loss is returned as it is.

    Parameters
    ----------
    loss : str or Surrogate

    Examples
    --------
    >>> loss_named("cosine")
    Cosine(gain='linear')
    """
    if isinstance(loss, Surrogate):
        return loss
    if loss not in LOSSES:
        raise UnknownNameError("loss", str(loss), LOSSES)
    return LOSSES[loss]()
