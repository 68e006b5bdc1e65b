"""Priors of the fusion methods, from other collections, relative to weights learned under min-max normalization."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.fusion.decision import Prior
from rankmax.fusion.signals import Signals
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import ReciprocalRank

# Measured by benchmarks/decisions.py on its development data: the mean per-query difference to weights learned under
# min-max normalization, in standard deviations of these differences, by normalization of the learned weights ...
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
_EQUAL = -0.1  # ... and the loss of equal or hand-set weights against learned ones
_SET_BY_HAND = -0.05
PRIOR_QUERIES = 100.0
"""Number of queries that this evidence counts for."""
ALONE = Prior(-0.25, 50.0)
"""Prior of one system alone; systems differ more than fusions."""


def prior_of_current(normalization: Normalization, weights: F64, signals: Signals) -> Prior:
    """Return the prior of weights set by hand.

    Parameters
    ----------
    normalization : Normalization
    weights : array, shape (n_systems,)
    signals : Signals
    """
    if np.count_nonzero(weights) == 1:
        return ALONE
    if np.ptp(weights) == 0:
        return equal_prior(normalization, signals)
    return Prior(learned_prior(normalization, signals).effect + _SET_BY_HAND, PRIOR_QUERIES)


def equal_prior(normalization: Normalization, signals: Signals) -> Prior:
    """Return the prior of equal weights.

    Parameters
    ----------
    normalization : Normalization
    signals : Signals
    """
    return Prior(learned_prior(normalization, signals).effect + _EQUAL, PRIOR_QUERIES)


def learned_prior(normalization: Normalization, signals: Signals) -> Prior:
    """Return the prior of learned weights.

    Parameters
    ----------
    normalization : Normalization
    signals : Signals
    """
    effects = _EFFECTS_OF_RUNS if signals.from_runs else _EFFECTS_OF_FEATURES
    if isinstance(normalization, ReciprocalRank) and normalization.k == _MIDDLE_CONSTANT:
        return Prior(effects.get("reciprocal-rank(k=10)", _OTHER_EFFECT), PRIOR_QUERIES)
    return Prior(effects.get(normalization.name, _OTHER_EFFECT), PRIOR_QUERIES)
