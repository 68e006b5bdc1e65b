"""Losses by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.losses.surrogate_loss import Surrogate

LOSSES: Registry[type[Surrogate]] = Registry(
    "loss",
    "rankmax.losses",
    {
        "cosine": ("rank_cosine:Cosine", "RankCosine: the angle between scores and gains."),
        "cross-entropy": ("cross_entropy:CrossEntropy", "ListNet: cross entropy of top-one distributions."),
        "squared": ("squared:Squared", "Squared differences between scores and gains."),
        "pairwise-logistic": ("pairwise_logistic:PairwiseLogistic", "Logistic loss over pairs of documents."),
        "plackett-luce": ("plackett_luce:PlackettLuce", "ListMLE: likelihood of the ideal order."),
        "proportional-cross-entropy": (
            "cross_entropy:ProportionalCrossEntropy",
            "Cross entropy with targets proportional to the gains.",
        ),
        "smooth-ndcg": ("smooth_ndcg:SmoothNDCG", "SmoothRank: nDCG with smoothed ranks."),
    },
)
"""The losses that :func:`loss_named` knows."""


def loss_named(loss: str | Surrogate) -> Surrogate:
    """Return a loss by its name, with its defaults; a loss is returned as it is.

    Parameters
    ----------
    loss : str or Surrogate
        Name of a loss, or the loss itself.

    Examples
    --------
    >>> loss_named("cosine")
    Cosine(gain='linear')
    """
    from rankmax.losses.surrogate_loss import Surrogate

    return loss if isinstance(loss, Surrogate) else LOSSES.load(loss)()
