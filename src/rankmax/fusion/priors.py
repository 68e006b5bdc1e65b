"""What other collections showed of each way to fuse, beside weights learned under min-max normalisation."""

from __future__ import annotations

import numpy as np

from rankmax.arrays import F64
from rankmax.data.normalise import Normalisation
from rankmax.data.retrieved import ReciprocalRank
from rankmax.fusion.decision import Prior
from rankmax.fusion.signals import Signals

# What benchmarks/decisions.py measured on its development data: the mean per-query difference to weights learned under
# min-max normalisation, in standard deviations of these differences, by normalisation of learned weights ...
_EFFECTS_OF_RUNS = {
    "retrieved-min-max": 0.0,
    "elasticsearch-min-max": 0.0,
    "opensearch-min-max": 0.0,
    "reciprocal-rank(k=10)": 0.01,
    "reciprocal-rank": -0.04,
    "l2": -0.06,
    "none": -0.07,
}
_EFFECTS_OF_FEATURES = {"min-max": 0.0, "z-score": -0.02, "none": -0.03, "reciprocal-rank": -0.08}
_OTHER_EFFECT = -0.05
_MIDDLE_CONSTANT = 10.0
_EQUAL = -0.1  # ... and what equal weights lose beside learned ones, and weights that somebody has set by hand
_SET_BY_HAND = -0.05
PRIOR_QUERIES = 100.0
"""How many queries all this counts for."""
ALONE = Prior(-0.25, 50.0)
"""What is known of one system alone; systems differ more than fusions."""


def prior_of_current(normalisation: Normalisation, weights: F64, signals: Signals) -> Prior:
    """Return what is known of weights that somebody has set before.

    Parameters
    ----------
    normalisation : Normalisation
    weights : array, shape (n_systems,)
    signals : Signals
    """
    if np.count_nonzero(weights) == 1:
        return ALONE
    if np.ptp(weights) == 0:
        return equal_prior(normalisation, signals)
    return Prior(learned_prior(normalisation, signals).effect + _SET_BY_HAND, PRIOR_QUERIES)


def equal_prior(normalisation: Normalisation, signals: Signals) -> Prior:
    """Return what is known of equal weights.

    Parameters
    ----------
    normalisation : Normalisation
    signals : Signals
    """
    return Prior(learned_prior(normalisation, signals).effect + _EQUAL, PRIOR_QUERIES)


def learned_prior(normalisation: Normalisation, signals: Signals) -> Prior:
    """Return what is known of learned weights.

    Parameters
    ----------
    normalisation : Normalisation
    signals : Signals
    """
    effects = _EFFECTS_OF_RUNS if signals.from_runs else _EFFECTS_OF_FEATURES
    if isinstance(normalisation, ReciprocalRank) and normalisation.k == _MIDDLE_CONSTANT:
        return Prior(effects.get("reciprocal-rank(k=10)", _OTHER_EFFECT), PRIOR_QUERIES)
    return Prior(effects.get(normalisation.name, _OTHER_EFFECT), PRIOR_QUERIES)
