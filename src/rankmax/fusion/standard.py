"""The candidates that tuning chooses from, and what is known of them beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax.arrays import F64
from rankmax.data.normalise import MinMax, Normalisation, Unchanged, ZScore
from rankmax.data.retrieved import (
    L2,
    ElasticsearchMinMax,
    OpenSearchMinMax,
    OpenSearchZScore,
    ReciprocalRank,
    RetrievedMinMax,
    RetrievedZScore,
)
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.candidates import (
    Candidate,
    FixedWeights,
    LearnedWeights,
    WeightedFusion,
    equal_weights,
    weighted_sum,
)
from rankmax.fusion.decision import Prior
from rankmax.fusion.search import MOST_WEIGHTS, WeightSearch, weight_search
from rankmax.fusion.selection import LEARNED
from rankmax.fusion.signals import Signals
from rankmax.metrics.base import Metric

WEIGHTED_RRF, RRF, COMB_SUM, EQUAL, BEST_SINGLE = "weighted RRF", "RRF", "CombSUM", "equal weights", "best single"
"""Families of candidates beside :data:`~rankmax.fusion.selection.LEARNED`; up to six systems each are one alone."""
RANK_CONSTANTS = (1.0, 10.0, 30.0, 60.0, 100.0)
"""Constants k of reciprocal rank fusion among which cross-validation chooses."""
ENGINES: dict[str, tuple[Normalisation, ...]] = {
    "elasticsearch": (ElasticsearchMinMax(), L2(), ReciprocalRank(), Unchanged()),
    "opensearch": (OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank()),
}
"""What each engine can do to scores before it adds them up."""

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
_PRIOR_QUERIES = 100.0  # how many queries all this counts for
_ALONE = Prior(-0.25, 50.0)  # of one system; they differ more

_OF_RUNS = (RetrievedMinMax(), RetrievedZScore(), L2(), ReciprocalRank(), Unchanged())
_OF_FEATURES = (Unchanged(), MinMax(), ZScore())


def fusion_candidates(
    signals: Signals,
    metrics: Sequence[Metric],
    normalisations: Sequence[Normalisation] | None = None,
    *,
    constraint: Constraint | None = None,
    seed: int = 0,
) -> list[Candidate]:
    """Return all ways to fuse that tuning compares; those with learned weights come first.

    Parameters
    ----------
    signals : Signals
        Of queries that the metrics count.
    metrics : sequence of Metric
        The first is maximised.
    normalisations : sequence of Normalisation, optional
        The only ones that may be picked; all usual ones when left out.
    constraint : Constraint, optional
        On learned weights; its metric is among the metrics.
    seed : int

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> signals = signals_of_features(planted_linear(10, 10, 2, seed=1).data)
    >>> for candidate in fusion_candidates(signals, [AP()], [MinMax()]):
    ...     print(candidate.label, "" if candidate.eligible else "(to compare with)")
    learned weights (min-max) 
    weighted RRF (k=1) (to compare with)
    weighted RRF (k=10) (to compare with)
    weighted RRF (k=30) (to compare with)
    weighted RRF (k=60) (to compare with)
    weighted RRF (k=100) (to compare with)
    RRF (to compare with)
    CombSUM 
    equal weights (min-max) 
    f1 
    f2 
    """
    data, n_systems = signals.data, len(signals.names)
    few = n_systems <= MOST_WEIGHTS
    if constraint is not None and not few:
        raise IncompatibleError(
            f"{constraint}: constraints work for up to {MOST_WEIGHTS} systems, not for {n_systems}; "
            "choose the most useful ones"
        )
    allowed = tuple(normalisations) if normalisations else usual_normalisations(signals)
    scaled = tuple(one for one in allowed if not isinstance(one, ReciprocalRank))
    by_rank = normalisations is None or len(scaled) < len(allowed)

    def learned(family: str, label: str, one: Normalisation, eligible: bool) -> LearnedWeights:
        normalised = one.apply(data)
        search: WeightSearch = (
            weight_search(normalised, metrics)
            if constraint is None
            else ConstrainedSearch(normalised, metrics, constraint)
        )
        return LearnedWeights(family, label, one, search, _prior(one, signals), seed, eligible)

    def equal(family: str, label: str, one: Normalisation, eligible: bool = True) -> FixedWeights:
        prior = Prior(_prior(one, signals).effect + _EQUAL, _PRIOR_QUERIES)
        return FixedWeights(family, label, weighted_sum(data, one, equal_weights(n_systems), metrics), prior, eligible)

    stretched = min_max_of(signals, allowed)
    candidates: list[Candidate] = [
        learned(LEARNED, f"learned weights ({describe(one)})", one, True) for one in scaled or allowed
    ]
    if few:
        constants = RANK_CONSTANTS if normalisations is None else _constants(allowed) or RANK_CONSTANTS
        ranks = [ReciprocalRank(k) for k in constants] if scaled else []
        candidates += [learned(WEIGHTED_RRF, f"{WEIGHTED_RRF} (k={one.k:g})", one, by_rank) for one in ranks]
    candidates += [
        equal(RRF, RRF, ReciprocalRank(), by_rank),
        equal(COMB_SUM, COMB_SUM, stretched, stretched in allowed),
        *(equal(EQUAL, f"{EQUAL} ({describe(one)})", one) for one in allowed),
    ]
    for j, name in enumerate(signals.names):
        alone = WeightedFusion(stretched, np.eye(n_systems)[j], signals.alone(name, metrics))
        candidates.append(FixedWeights(name if few else BEST_SINGLE, name, alone, _ALONE))
    return candidates


def min_max_of(signals: Signals, allowed: Sequence[Normalisation]) -> Normalisation:
    """Return the min-max normalisation among those allowed, or the usual one.

    Parameters
    ----------
    signals : Signals
    allowed : sequence of Normalisation

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> signals = signals_of_features(planted_linear(10, 10, 2, seed=1).data)
    >>> min_max_of(signals, [L2(), ElasticsearchMinMax()]), min_max_of(signals, [L2()])
    (ElasticsearchMinMax(), MinMax())
    """
    stretching = (RetrievedMinMax, ElasticsearchMinMax, OpenSearchMinMax, MinMax)
    usual = RetrievedMinMax() if signals.from_runs else MinMax()
    return next((one for one in allowed if isinstance(one, stretching)), usual)


def prior_of_current(normalisation: Normalisation, weights: F64, signals: Signals) -> Prior:
    """Return what is known of weights that somebody has set before.

    Parameters
    ----------
    normalisation : Normalisation
    weights : array, shape (n_systems,)
    signals : Signals
    """
    if np.count_nonzero(weights) == 1:
        return _ALONE
    offset = _EQUAL if np.ptp(weights) == 0 else _SET_BY_HAND
    return Prior(_prior(normalisation, signals).effect + offset, _PRIOR_QUERIES)


def _prior(normalisation: Normalisation, signals: Signals) -> Prior:
    effects = _EFFECTS_OF_RUNS if signals.from_runs else _EFFECTS_OF_FEATURES
    if isinstance(normalisation, ReciprocalRank) and normalisation.k == _MIDDLE_CONSTANT:
        return Prior(effects.get("reciprocal-rank(k=10)", _OTHER_EFFECT), _PRIOR_QUERIES)
    return Prior(effects.get(normalisation.name, _OTHER_EFFECT), _PRIOR_QUERIES)


def _constants(allowed: Sequence[Normalisation]) -> tuple[float, ...]:
    """Return the constants of reciprocal ranks to try: all usual ones where the usual one is allowed."""
    given = tuple(one.k for one in allowed if isinstance(one, ReciprocalRank))
    return RANK_CONSTANTS if ReciprocalRank().k in given else given


def usual_normalisations(signals: Signals, engine: str | None = None) -> tuple[Normalisation, ...]:
    """Return the normalisations that suit some signals, or that an engine can do.

    Parameters
    ----------
    signals : Signals
        Where a run has scores below 0, its scores as they are, or divided by their length, cannot be added up:
        documents that it did not retrieve, which get nothing, would stand above those that it did.
    engine : str, optional
        One of :data:`ENGINES`.

    Examples
    --------
    >>> from rankmax.data.trec import Qrels, Run
    >>> from rankmax.fusion.signals import signals_of_runs
    >>> run = Run.from_dict({"q": {"d": -1.0}})
    >>> signals = signals_of_runs({"monot5": run}, Qrels.from_dict({"q": {"d": 1}}))
    >>> [one.name for one in usual_normalisations(signals, "elasticsearch")]
    ['elasticsearch-min-max', 'reciprocal-rank']
    """
    if engine is not None and engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    if engine is None:
        known: tuple[Normalisation, ...] = _OF_RUNS if signals.from_runs else _OF_FEATURES
    else:
        known = ENGINES[engine]
    below = signals.from_runs and float(np.min(np.asarray(signals.data.features), initial=0.0)) < 0
    return tuple(one for one in known if not (below and isinstance(one, Unchanged | L2)))


def describe(normalisation: Normalisation) -> str:
    """Return a normalisation's name with its parameters.

    Parameters
    ----------
    normalisation : Normalisation

    Examples
    --------
    >>> describe(ReciprocalRank(k=10)), describe(L2())
    ('reciprocal-rank(k=10)', 'l2')
    """
    parameters = {name: value for name, value in normalisation.to_dict().items() if name != "name"}
    listed = ", ".join(f"{name}={value:g}" for name, value in parameters.items())
    return f"{normalisation.name}({listed})" if listed else normalisation.name
