"""Priors of the fusion methods, from other collections, relative to weights learned under min-max normalization."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.fusion.decision import Prior
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import ReciprocalRank

# Measured on the development data of benchmarks/decisions.py: the mean per-query difference to weights learned under
# min-max normalization, in standard deviations of these differences. By normalization of the learned weights ...
_EFFECTS_OF_RUNS = {
    "retrieved-min-max": 0.0,
    "elasticsearch-min-max": 0.0,
    "opensearch-min-max": 0.0,
    "retrieved-z-score": -0.01,
    "opensearch-z-score": -0.01,
    "l2": -0.06,
    "none": -0.05,
}
_EFFECTS_OF_FEATURES = {"min-max": 0.0, "z-score": -0.01, "none": -0.03}
_OTHER_EFFECT = -0.05
# ... by constant of weighted reciprocal rank fusion ...
_RANKS_OF_RUNS = {1.0: -0.06, 10.0: 0.03, 30.0: 0.0, 60.0: -0.03, 100.0: -0.05}
_RANKS_OF_FEATURES = {1.0: -0.08, 10.0: -0.06, 30.0: -0.09, 60.0: -0.09, 100.0: -0.1}
# ... and of equal weights and weights set by hand, relative to learned ones.
_EQUAL_OF_RUNS, _EQUAL_OF_FEATURES = -0.06, -0.12
_SET_BY_HAND = 0.5  # of the loss of equal weights
PRIOR_QUERIES, FEW_PRIOR_QUERIES = 200.0, 50.0
"""Number of queries that this evidence counts for; the second where it says less, as anything may be meant."""
ALONE = Prior(-0.25, FEW_PRIOR_QUERIES)
"""Prior of one system alone; systems differ more than fusions."""


def prior_of_current(normalization: Normalization, weights: F64, from_runs: bool) -> Prior:
    """Return the prior of weights set by hand.

    Parameters
    ----------
    normalization : Normalization
    weights : array, shape (n_systems,)
    from_runs : bool
        Whether the scores come from runs, or are features.
    """
    if np.count_nonzero(weights) == 1:
        return ALONE
    if np.ptp(weights) == 0:
        return equal_prior(normalization, from_runs)
    learned, equal = learned_prior(normalization, from_runs), equal_prior(normalization, from_runs)
    return Prior(learned.effect + _SET_BY_HAND * (equal.effect - learned.effect), FEW_PRIOR_QUERIES)


def equal_prior(normalization: Normalization, from_runs: bool) -> Prior:
    """Return the prior of equal weights.

    Parameters
    ----------
    normalization : Normalization
    from_runs : bool
        Whether the scores come from runs, or are features.
    """
    loss = _EQUAL_OF_RUNS if from_runs else _EQUAL_OF_FEATURES
    return Prior(learned_prior(normalization, from_runs).effect + loss, PRIOR_QUERIES)


def learned_prior(normalization: Normalization, from_runs: bool) -> Prior:
    """Return the prior of learned weights.

    Parameters
    ----------
    normalization : Normalization
    from_runs : bool
        Whether the scores come from runs, or are features.
    """
    if isinstance(normalization, ReciprocalRank):
        effects = _RANKS_OF_RUNS if from_runs else _RANKS_OF_FEATURES
        k = normalization.k
        return Prior(effects[min(effects, key=lambda known: abs(known - k))], PRIOR_QUERIES)
    by_name = _EFFECTS_OF_RUNS if from_runs else _EFFECTS_OF_FEATURES
    return Prior(by_name.get(normalization.name, _OTHER_EFFECT), PRIOR_QUERIES)
