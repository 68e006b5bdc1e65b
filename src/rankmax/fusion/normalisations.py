"""The normalisations that tuning chooses from, and those that each search engine can do."""

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
from rankmax.fusion.signals import Signals

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
        known = tuple(one for one in known if not isinstance(one, Unchanged | L2))
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


def spoken(normalisation: Normalisation) -> str:
    """Return what scores so normalised are called in a sentence.

    Parameters
    ----------
    normalisation : Normalisation

    Examples
    --------
    >>> spoken(Unchanged()), spoken(L2())
    ('raw scores', 'l2')
    """
    return "raw scores" if isinstance(normalisation, Unchanged) else describe(normalisation)


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
