"""The normalizations that tuning selects from, and those that each search engine supports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.fusion.signals import Signals
from rankmax.preprocessing.feature_normalization import MinMax, Normalization, Unchanged, ZScore
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import (
    L2,
    OPENSEARCH_CLAUSES,
    ElasticsearchMinMax,
    MilvusInnerProduct,
    OpenSearchMinMax,
    OpenSearchZScore,
    ReciprocalRank,
    RetrievedMinMax,
    RetrievedZScore,
)

_OF_RUNS = (RetrievedMinMax(), RetrievedZScore(), L2(), ReciprocalRank(), Unchanged())
_OF_FEATURES = (Unchanged(), MinMax(), ZScore())
ENGINES: dict[str, tuple[Normalization, ...]] = {
    "elasticsearch": (ElasticsearchMinMax(), L2(), ReciprocalRank(), Unchanged()),
    "opensearch": (OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank()),
    "vespa": (RetrievedMinMax(), MinMax(), ReciprocalRank(), Unchanged()),
    "solr": (Unchanged(),),
    "qdrant": (Unchanged(), ReciprocalRank(0.0), QdrantReciprocalRank()),  # for k = 0 the two are the same
    "milvus": (MilvusInnerProduct(), Unchanged()),
    "weaviate": (RetrievedMinMax(),),
    "lancedb": (RetrievedMinMax(),),
    "langchain": (ReciprocalRank(),),
    "llama-index": (RetrievedMinMax(),),
    "haystack": (ReciprocalRank(),),  # with this k only
    "sql": _OF_RUNS + _OF_FEATURES[1:],
}
"""Normalizations that each engine can apply to scores before it adds them up."""


_OF_TWO = {  # engines with one search for words and one for vectors
    "weaviate": "Weaviate",
    "lancedb": "LanceDB",
}


def usual_normalizations(signals: Signals, engine: str | None = None) -> tuple[Normalization, ...]:
    """Return the normalizations that suit the signals, or those that an engine supports.

    Parameters
    ----------
    signals : Signals
        Scores to be normalized. A run with negative scores rules out raw scores and L2 normalization: documents that
        it did not retrieve, which get 0, would rank above those that it did.
    engine : str, optional
        One of :data:`ENGINES`.

    Examples
    --------
    >>> from rankmax import Qrels, Run
    >>> from rankmax.fusion.signals import signals_of_runs
    >>> run = Run.from_dict({"q": {"d": -1.0}})
    >>> signals = signals_of_runs({"monot5": run}, Qrels.from_dict({"q": {"d": 1}}))
    >>> [one.name for one in usual_normalizations(signals, "elasticsearch")]
    ['elasticsearch-min-max', 'reciprocal-rank']
    """
    if engine is not None and engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    if engine == "opensearch" and len(signals.names) > OPENSEARCH_CLAUSES:
        raise IncompatibleError(
            f"OpenSearch's hybrid query combines at most {OPENSEARCH_CLAUSES} systems, and there are "
            f"{len(signals.names)}: tune the {OPENSEARCH_CLAUSES} most useful ones, such as those that weigh most "
            "without --engine; or make their scores features of the Learning to Rank plugin, tune with --normalize "
            "none and export to opensearch-ltr"
        )
    if engine in _OF_TWO and len(signals.names) > 2:
        raise IncompatibleError(
            f"{_OF_TWO[engine]}'s hybrid search fuses a keyword search and a vector search, and there are "
            f"{len(signals.names)} systems: tune one of each"
        )
    known: tuple[Normalization, ...] = _OF_RUNS if signals.from_runs else _OF_FEATURES
    if engine is not None:
        misfits = (MinMax, ZScore) if signals.from_runs else (RetrievedMinMax, RetrievedZScore)
        known = tuple(one for one in ENGINES[engine] if not isinstance(one, misfits))
    features = np.asarray(signals.data.features)
    negative = [name for name, column in zip(signals.names, features.T, strict=True) if column.min(initial=0.0) < 0]
    if signals.from_runs and negative:
        known = tuple(one for one in known if not isinstance(one, Unchanged | L2))
    if not known:
        raise IncompatibleError(
            f"{engine} adds up raw scores, and some of {negative[0]} are negative: documents that it did not "
            "retrieve would rank above those that it did. Add the same constant to its scores in the run and in the "
            "engine, so that all are positive"
        )
    return known


def is_among(normalization: Normalization, allowed: Sequence[Normalization]) -> bool:
    """Return whether a normalization is one of those allowed, with any parameters.

    Parameters
    ----------
    normalization : Normalization
    allowed : sequence of Normalization

    Examples
    --------
    >>> is_among(ReciprocalRank(k=10), ENGINES["opensearch"]), is_among(ReciprocalRank(), ENGINES["solr"])
    (True, False)
    """
    return any(type(one) is type(normalization) for one in allowed)


def describe(normalization: Normalization) -> str:
    """Return a normalization's name with its parameters.

    Parameters
    ----------
    normalization : Normalization

    Examples
    --------
    >>> describe(ReciprocalRank(k=10)), describe(L2())
    ('reciprocal-rank(k=10)', 'l2')
    """
    parameters = {name: value for name, value in normalization.to_dict().items() if name != "name"}
    listed = ", ".join(f"{name}={value:g}" for name, value in parameters.items())
    return f"{normalization.name}({listed})" if listed else normalization.name


def spoken(normalization: Normalization) -> str:
    """Return the name of a normalization as used in a sentence.

    Parameters
    ----------
    normalization : Normalization

    Examples
    --------
    >>> spoken(Unchanged()), spoken(L2())
    ('raw scores', 'l2')
    """
    return "raw scores" if isinstance(normalization, Unchanged) else describe(normalization)


def min_max_of(signals: Signals, allowed: Sequence[Normalization]) -> Normalization:
    """Return the min-max normalization among those allowed, or the usual one.

    Parameters
    ----------
    signals : Signals
    allowed : sequence of Normalization

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> signals = signals_of_features(planted_linear(10, 10, 2, seed=1).data)
    >>> min_max_of(signals, [L2(), ElasticsearchMinMax()]), min_max_of(signals, [L2()])
    (ElasticsearchMinMax(), MinMax())
    """
    stretching = (RetrievedMinMax, ElasticsearchMinMax, OpenSearchMinMax, MinMax)
    usual = RetrievedMinMax() if signals.from_runs else MinMax()
    return next((one for one in allowed if isinstance(one, stretching)), usual)
