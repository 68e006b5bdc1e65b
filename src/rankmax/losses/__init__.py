"""Smooth surrogate losses of rank metrics, and the linear fit that minimizes them."""

from rankmax.losses.cosine import Cosine
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import LinearFit, fit_linear
from rankmax.losses.pairwise_logistic import PairwiseLogistic
from rankmax.losses.plackett_luce import PlackettLuce
from rankmax.losses.registry import loss_named
from rankmax.losses.smooth_ndcg import SmoothNDCG
from rankmax.losses.squared import Squared
from rankmax.losses.surrogate_loss import Surrogate

__all__ = [
    "Cosine",
    "CrossEntropy",
    "LinearFit",
    "PairwiseLogistic",
    "PlackettLuce",
    "ProportionalCrossEntropy",
    "SmoothNDCG",
    "Squared",
    "Surrogate",
    "fit_linear",
    "loss_named",
]
