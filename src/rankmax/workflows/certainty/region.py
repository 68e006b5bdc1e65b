"""The weights that do as well as the best: how many they are, and a round one among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.lines.objective import LinearObjective
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.optimizers.faces import Box
from rankmax.optimizers.survey import survey
from rankmax.spaces import space_named
from rankmax.workflows.certainty.certificate import Certificate
from rankmax.workflows.tuning.confidence import rounded_weights

_ROUND = (10, 20, 50, 100, 1000)  # denominators, the roundest first
_SAME = 1e-9  # values that differ by less are the same, rounded differently


@dataclass(frozen=True, eq=False)
class NearBest:
    r"""The weights that are worth at most one standard error less than the best.

    Attributes
    ----------
    standard_error : float
        Of the mean at the best weights: the standard deviation over the n queries that count, divided by
        :math:`\sqrt n`.
    level : float
        What the weights are worth at least.
    at_least, at_most : float
        The share of all weights that they are, by volume: proven from below and above.
    rounded : array, shape (n_features,), or None
        Round weights among them, near the best; None where there are none, and for a box.
    """

    standard_error: float
    level: float
    at_least: float
    at_most: float
    rounded: F64 | None


def near_best(certificate: Certificate, data: RankingDataset) -> NearBest:
    """Return which weights are worth at most one standard error less than those of a certificate.

    With up to three features the two shares are close. Every further one makes cells more, and the shares differ more.

    Parameters
    ----------
    certificate : Certificate
    data : RankingDataset
        What it was made for, before normalisation.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.workflows.certainty.proof import prove_optimum
    >>> data = planted_linear(40, 12, 3, noise=0.5, seed=4).data
    >>> near = near_best(prove_optimum(data, metric="AP"), data)
    >>> 0 < near.at_least <= near.at_most < 1
    True
    >>> print(*near.rounded)
    0.0 0.0 1.0

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 3.4.3, for the rule of one standard error.
    """
    prepared = certificate.normalisation.apply(data.select_features(certificate.features))
    by_query = evaluate_metrics([certificate.metric], prepared.scores(certificate.weights), prepared.judgments)[0]
    counted = by_query[~np.isnan(by_query)]
    error = float(counted.std(ddof=1)) / counted.size**0.5 if counted.size > 1 else 0.0
    level = certificate.value - error
    objective = LinearObjective(prepared, certificate.metric)
    space = (
        space_named(certificate.space) if certificate.bounds is None else Box(*zip(*certificate.bounds, strict=True))
    )
    found = survey(objective, level - _SAME, space)
    rounded = None if certificate.bounds is not None else _rounded(objective, certificate.weights, level)
    return NearBest(error, level, found.at_least, found.at_most, rounded)


def _rounded(objective: LinearObjective, weights: F64, level: float) -> F64 | None:
    shares, signs = np.abs(weights) / np.abs(weights).sum(), np.sign(weights)
    for denominator in _ROUND:
        candidate: F64 = rounded_weights(shares, denominator) * signs
        if objective.at(candidate).value >= level - _SAME:
            return candidate
    return None
