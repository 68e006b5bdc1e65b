"""The ways to fuse that tuning compares, and the normalisations that it chooses from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax.data.normalise import MinMax, Normalisation, Unchanged, ZScore
from rankmax.data.retrieved import (
    L2,
    OPENSEARCH_CLAUSES,
    ElasticsearchMinMax,
    OpenSearchMinMax,
    OpenSearchZScore,
    ReciprocalRank,
    RetrievedMinMax,
    RetrievedZScore,
)
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.methods import BestOf, Fixed, Fusion, FusionMethod, Learned, comb_mnz, equal_weights
from rankmax.fusion.search import MOST_WEIGHTS, WeightSearch, weight_search
from rankmax.fusion.signals import Signals
from rankmax.metrics.base import Metric

LEARNED = "learned"
"""The name of the learned weights among the methods."""
WEIGHTED_RRF = "weighted RRF"
RANK_CONSTANTS = (1.0, 10.0, 30.0, 60.0, 100.0)
"""Constants k of reciprocal rank fusion among which cross-validation chooses."""
_OF_RUNS = (RetrievedMinMax(), RetrievedZScore(), L2(), ReciprocalRank(), Unchanged())
_OF_FEATURES = (Unchanged(), MinMax(), ZScore())
ENGINES: dict[str, tuple[Normalisation, ...]] = {
    "elasticsearch": (ElasticsearchMinMax(), L2(), ReciprocalRank(), Unchanged()),
    "opensearch": (OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank()),
    "vespa": (RetrievedMinMax(), MinMax(), ReciprocalRank(), Unchanged()),
    "solr": (Unchanged(),),
    "sql": _OF_RUNS + _OF_FEATURES[1:],
}
"""What each engine can do to scores before it adds them up."""


def fusion_methods(
    signals: Signals,
    metrics: Sequence[Metric],
    normalisations: Sequence[Normalisation],
    *,
    constraint: Constraint | None = None,
    seed: int = 0,
) -> tuple[Learned, list[FusionMethod]]:
    """Return the method that learns weights, and all that it is compared with.

    Parameters
    ----------
    signals : Signals
        Of queries that the metrics count.
    metrics : sequence of Metric
        The first is maximised.
    normalisations : sequence of Normalisation
        Among which the learned weights, and the best equal weights, choose.
    constraint : Constraint, optional
        On the learned weights; its metric is among the metrics.
    seed : int

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> signals = signals_of_features(planted_linear(10, 10, 8, seed=1).data)
    >>> learned, others = fusion_methods(signals, [AP()], [Unchanged()])
    >>> [method.name for method in others]
    ['best single', 'CombSUM', 'CombMNZ', 'RRF', 'best equal weights']
    """
    data, few = signals.data, len(signals.names) <= MOST_WEIGHTS
    if constraint is not None and not few:
        raise IncompatibleError(
            f"{constraint}: constraints work for up to {MOST_WEIGHTS} systems, not for {len(signals.names)}; "
            "choose the most useful ones"
        )

    def search(normalisation: Normalisation) -> WeightSearch:
        if constraint is not None:
            return ConstrainedSearch(normalisation.apply(data), metrics, constraint)
        return weight_search(normalisation.apply(data), metrics)

    stretched = RetrievedMinMax() if signals.from_runs else MinMax()
    alone = [Fusion(signals.alone(name, metrics)) for name in signals.names]
    singles: list[FusionMethod] = [Fixed(name, one) for name, one in zip(signals.names, alone, strict=True)]
    others: list[FusionMethod] = [
        *(singles if few else [BestOf("best single", alone)]),
        Fixed("CombSUM", equal_weights(data, stretched, metrics)),
        Fixed("CombMNZ", comb_mnz(data, stretched, metrics)),
        Fixed("RRF", equal_weights(data, ReciprocalRank(), metrics)),
        BestOf("best equal weights", [equal_weights(data, one, metrics) for one in normalisations]),
    ]
    searches = {one: search(one) for one in normalisations}
    if few:
        ranks: list[Normalisation] = [ReciprocalRank(k) for k in RANK_CONSTANTS]
        others.append(Learned(WEIGHTED_RRF, {one: searches.get(one) or search(one) for one in ranks}, seed))
    return Learned(LEARNED, searches, seed, n_inner_folds=5 if few else 3), others


def usual_normalisations(signals: Signals, engine: str | None = None) -> tuple[Normalisation, ...]:
    """Return the normalisations that suit some signals, or that an engine can do.

    Parameters
    ----------
    signals : Signals
        Where a run has scores below 0, its scores as they are cannot be added up: documents that it did not retrieve,
        which get nothing, would stand above those that it did.
    engine : str, optional
        One of :data:`ENGINES`.

    Examples
    --------
    >>> from rankmax.data.trec import Qrels, Run
    >>> from rankmax.fusion.signals import signals_of_runs
    >>> run = Run.from_dict({"q": {"d": -1.0}})
    >>> signals = signals_of_runs({"monot5": run}, Qrels.from_dict({"q": {"d": 1}}))
    >>> [one.name for one in usual_normalisations(signals, "elasticsearch")]
    ['elasticsearch-min-max', 'l2', 'reciprocal-rank']
    """
    if engine is not None and engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    if engine == "opensearch" and len(signals.names) > OPENSEARCH_CLAUSES:
        raise IncompatibleError(
            f"OpenSearch's hybrid query combines at most {OPENSEARCH_CLAUSES} systems, and there are "
            f"{len(signals.names)}: tune the {OPENSEARCH_CLAUSES} most useful ones, such as those that weigh most "
            "without --engine; or make their scores features of the Learning to Rank plugin, tune with --normalise "
            "none and export to opensearch-ltr"
        )
    known: tuple[Normalisation, ...] = _OF_RUNS if signals.from_runs else _OF_FEATURES
    if engine is not None:
        misfits = (MinMax, ZScore) if signals.from_runs else (RetrievedMinMax, RetrievedZScore)
        known = tuple(one for one in ENGINES[engine] if not isinstance(one, misfits))
    features = np.asarray(signals.data.features)
    negative = [name for name, column in zip(signals.names, features.T, strict=True) if column.min(initial=0.0) < 0]
    if signals.from_runs and negative:
        known = tuple(one for one in known if not isinstance(one, Unchanged))
    if not known:
        raise IncompatibleError(
            f"{engine} adds scores up as they are, and those of {negative[0]} are below 0: documents that it did not "
            "retrieve would stand above those that it did. Add the same constant to its scores in the run and in the "
            "engine, so that all are above 0"
        )
    return known


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
