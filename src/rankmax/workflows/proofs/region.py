"""The weights within one standard error of the best: their share of all weights, and round ones among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax._numerics.standard_error import standard_error
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.optimizers.faces import Box
from rankmax.optimizers.survey import survey
from rankmax.spaces import space_named
from rankmax.workflows.proofs.certificate import Certificate
from rankmax.workflows.tuning.confidence import rounded_weights

_ROUND = (10, 20, 50, 100, 1000)  # denominators of round weights, the roundest first


@dataclass(frozen=True, eq=False)
class NearBest:
    r"""The weights whose mean is at most one standard error below the best.

    Attributes
    ----------
    standard_error : float
        Standard error of the mean at the best weights: the standard deviation over the n queries that count, divided
        by :math:`\sqrt n`.
    level : float
        Smallest mean of these weights.
    at_least, at_most : float
        Proven lower and upper bound on their share of all weights, by volume.
    rounded : array, shape (n_features,), or None
        Round weights among them, near the best; None where there are none, and for a box.
    """

    standard_error: float
    level: float
    at_least: float
    at_most: float
    rounded: F64 | None


def near_best(certificate: Certificate, data: RankingDataset) -> NearBest:
    """Return the weights whose mean is at most one standard error below that of a certificate.

    With up to three features the two shares are close. Every further feature makes the cells more numerous and the
    shares differ more.

    Parameters
    ----------
    certificate : Certificate
    data : RankingDataset
        The data of the certificate, before normalization.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.workflows.proofs.proven_optimum import prove_optimum
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
    prepared = certificate.normalization.apply(data.select_features(certificate.features))
    by_query = evaluate_metrics([certificate.metric], prepared.scores(certificate.weights), prepared.judgments)[0]
    error = standard_error(by_query)
    level = certificate.value - error
    objective = LinearObjective(prepared, certificate.metric)
    space = (
        space_named(certificate.space) if certificate.bounds is None else Box(*zip(*certificate.bounds, strict=True))
    )
    found = survey(objective, level - SAME_VALUE, space)
    rounded = None if certificate.bounds is not None else _rounded(objective, certificate.weights, level)
    return NearBest(error, level, found.at_least, found.at_most, rounded)


def _rounded(objective: LinearObjective, weights: F64, level: float) -> F64 | None:
    shares, signs = np.abs(weights) / np.abs(weights).sum(), np.sign(weights)
    for denominator in _ROUND:
        candidate: F64 = rounded_weights(shares, denominator) * signs
        if objective.at(candidate).value >= level - SAME_VALUE:
            return candidate
    return None
