"""The candidates that tuning selects from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax.errors import IncompatibleError
from rankmax.fusion.candidates import (
    Candidate,
    FixedWeights,
    LearnedWeights,
    WeightedFusion,
    equal_weights,
    weighted_sum,
)
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.engine_normalizations import min_max_of, spoken, usual_normalizations
from rankmax.fusion.nested_cross_validation import LEARNED
from rankmax.fusion.priors import ALONE, equal_prior, learned_prior
from rankmax.fusion.signals import Signals
from rankmax.fusion.weight_search import MOST_WEIGHTS, RankConstantSearch, WeightSearch, weight_search
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank

WEIGHTED_RRF, RRF, COMB_SUM, EQUAL, BEST_SINGLE = "weighted RRF", "RRF", "CombSUM", "equal weights", "best single"
"""Families of candidates other than learned weights; with up to six systems, each system is a family."""
FAMILIES = (LEARNED, WEIGHTED_RRF, RRF, COMB_SUM, EQUAL)
"""Families that exist for any systems; no system may have one of these names."""
RANK_CONSTANTS = (1.0, 10.0, 30.0, 60.0, 100.0)
"""Constants k of reciprocal rank fusion to select from."""
QDRANT_CONSTANTS = (1.0, 10.0, 60.0)
"""Those of Qdrant's weighted reciprocal rank fusion; the first is its default."""


def fusion_candidates(
    signals: Signals,
    metrics: Sequence[Metric],
    normalizations: Sequence[Normalization] | None = None,
    *,
    constraint: Constraint | None = None,
    seed: int = 0,
) -> list[Candidate]:
    """Return all fusion methods that tuning compares; those with learned weights come first.

    Parameters
    ----------
    signals : Signals
        Scores for queries that the metrics count.
    metrics : sequence of Metric
        The first is maximized.
    normalizations : sequence of Normalization, optional
        The only ones that may be selected; all usual ones by default.
    constraint : Constraint, optional
        Constraint on learned weights; its metric is one of `metrics`.
    seed : int

    Examples
    --------
    >>> from rankmax.preprocessing import MinMax
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> signals = signals_of_features(planted_linear(10, 10, 2, seed=1).data)
    >>> for candidate in fusion_candidates(signals, [AP()], [MinMax()]):
    ...     print(candidate.label, candidate.eligible)
    learned weights (min-max) True
    weighted RRF (k=1) False
    weighted RRF (k=10) False
    weighted RRF (k=30) False
    weighted RRF (k=60) False
    weighted RRF (k=100) False
    RRF False
    CombSUM True
    equal weights (min-max) True
    f1 True
    f2 True
    """
    learned = learned_candidates(signals, metrics, normalizations, constraint=constraint, seed=seed)
    return [*learned, *fixed_candidates(signals, metrics, normalizations)]


def learned_candidates(
    signals: Signals,
    metrics: Sequence[Metric],
    normalizations: Sequence[Normalization] | None = None,
    *,
    constraint: Constraint | None = None,
    seed: int = 0,
) -> list[LearnedWeights]:
    """Return the candidates whose weights are learned; see :func:`fusion_candidates`."""
    few = len(signals.names) <= MOST_WEIGHTS
    if constraint is not None and not few:
        raise IncompatibleError(
            f"{constraint}: constraints work for up to {MOST_WEIGHTS} systems, not for {len(signals.names)}; "
            "choose the most useful ones"
        )

    def learned(family: str, label: str, one: Normalization, eligible: bool = True) -> LearnedWeights:
        normalized = one.apply(signals.data)
        search: WeightSearch = (
            weight_search(normalized, metrics)
            if constraint is None
            else ConstrainedSearch(normalized, metrics, constraint)
        )
        return LearnedWeights(family, label, one, search, learned_prior(one, signals.from_runs), seed, eligible)

    def weighed_by_qdrant(k: float) -> LearnedWeights:
        one, label = QdrantReciprocalRank(k), f"{WEIGHTED_RRF} of Qdrant (k={k:g})"
        search = RankConstantSearch(signals.data, metrics, one)
        return LearnedWeights(WEIGHTED_RRF, label, one, search, learned_prior(one, signals.from_runs), seed)

    allowed = tuple(normalizations) if normalizations else usual_normalizations(signals)
    own = [one for one in allowed if isinstance(one, QdrantReciprocalRank)]
    allowed = tuple(one for one in allowed if one not in own)
    scaled = tuple(one for one in allowed if not isinstance(one, ReciprocalRank))
    candidates = [learned(LEARNED, f"learned weights ({spoken(one)})", one) for one in scaled or allowed]
    if few and own and constraint is None:
        candidates += [weighed_by_qdrant(k) for k in QDRANT_CONSTANTS]
    if few and scaled:
        ranks = [ReciprocalRank(k) for k in _constants(allowed)]
        by_rank = normalizations is None or len(scaled) < len(allowed)
        candidates += [learned(WEIGHTED_RRF, f"{WEIGHTED_RRF} (k={one.k:g})", one, by_rank) for one in ranks]
    return candidates


def fixed_candidates(
    signals: Signals, metrics: Sequence[Metric], normalizations: Sequence[Normalization] | None = None
) -> list[FixedWeights]:
    """Return the candidates with fixed weights; see :func:`fusion_candidates`."""
    data, n_systems = signals.data, len(signals.names)
    few = n_systems <= MOST_WEIGHTS

    def equal(family: str, label: str, one: Normalization, eligible: bool = True) -> FixedWeights:
        fusion = weighted_sum(data, one, equal_weights(n_systems), metrics)
        return FixedWeights(family, label, fusion, equal_prior(one, signals.from_runs), eligible)

    allowed = tuple(normalizations) if normalizations else usual_normalizations(signals)
    stretched = min_max_of(signals, allowed)
    by_rank = normalizations is None or any(isinstance(one, ReciprocalRank) for one in allowed)
    candidates = [
        equal(RRF, RRF, ReciprocalRank(), by_rank),
        equal(COMB_SUM, COMB_SUM, stretched, stretched in allowed),
        *(equal(EQUAL, f"{EQUAL} ({spoken(one)})", one) for one in allowed),
    ]
    if any(isinstance(one, ReciprocalRank) for one in allowed):
        ranked: Normalization = ReciprocalRank()  # ranks a system's last document above those that it lacks
    else:
        ranked = stretched if stretched in allowed else allowed[0]
    for j, name in enumerate(signals.names):
        alone = WeightedFusion(ranked, np.eye(n_systems)[j], signals.alone(name, metrics))
        candidates.append(FixedWeights(name if few else BEST_SINGLE, name, alone, ALONE))
    return candidates


def family_names(signals: Signals) -> list[str]:
    """Return the names of all families of candidates, which are the row names of the results table.

    Parameters
    ----------
    signals : Signals

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> family_names(signals_of_features(planted_linear(10, 10, 2, seed=1).data))
    ['learned', 'weighted RRF', 'RRF', 'CombSUM', 'equal weights', 'f1', 'f2']
    """
    few = len(signals.names) <= MOST_WEIGHTS
    return [*FAMILIES, *signals.names] if few else [*(one for one in FAMILIES if one != WEIGHTED_RRF), BEST_SINGLE]


def _constants(allowed: Sequence[Normalization]) -> tuple[float, ...]:
    """Return the constants k of reciprocal rank fusion to try: those given, or all usual ones."""
    given = tuple(one.k for one in allowed if isinstance(one, ReciprocalRank))
    return given if given and ReciprocalRank().k not in given else RANK_CONSTANTS
