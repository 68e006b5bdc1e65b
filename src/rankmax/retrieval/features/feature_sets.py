"""Sets of features that belong together, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from rankmax.retrieval.features.bm25 import BM25, Okapi
from rankmax.retrieval.features.boolean import Boolean, Coordination, Occurrences
from rankmax.retrieval.features.column_feature import Column
from rankmax.retrieval.features.cosine_similarity import Cosine
from rankmax.retrieval.features.dependence import FullDependence, SequentialDependence
from rankmax.retrieval.features.feature import NamedFeature
from rankmax.retrieval.features.gey import (
    LogCollectionShare,
    LogQueryFrequency,
    LogQueryShare,
    LogRelativeFrequency,
)
from rankmax.retrieval.features.language_model import Dirichlet, JelinekMercer
from rankmax.retrieval.features.nallapati import (
    LogFrequency,
    LogInverseDocuments,
    LogInverseOccurrences,
    LogShare,
    LogShareByDocuments,
    LogShareByOccurrences,
)
from rankmax.retrieval.features.primitive import Length, PhraseCount, WindowCount
from rankmax.retrieval.features.proximity import OrderedPhrases, UnorderedWindows
from rankmax.retrieval.features.registry import parse_feature
from rankmax.retrieval.features.tfidf import TFIDF
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.scope import Scope
from rankmax.retrieval.registry import FEATURE_SETS

Features = tuple[NamedFeature, ...]


def bag_of_words(index: Index, fields: Sequence[str]) -> Features:
    """Return Nallapati's six features."""
    return _each(
        fields,
        LogFrequency,
        LogShare,
        LogInverseDocuments,
        LogInverseOccurrences,
        LogShareByDocuments,
        LogShareByOccurrences,
    )


def gey(index: Index, fields: Sequence[str]) -> Features:
    """Return Gey's six features."""
    return _each(
        fields,
        LogQueryFrequency,
        LogQueryShare,
        LogFrequency,
        LogRelativeFrequency,
        LogInverseDocuments,
        LogCollectionShare,
    )


def primitive(index: Index, fields: Sequence[str]) -> Features:
    """Return counts that retrieval functions are made of."""
    return _each(fields, Coordination, Occurrences, LogInverseDocuments, Length, PhraseCount, WindowCount)


def functions(index: Index, fields: Sequence[str]) -> Features:
    """Return every retrieval function, with its defaults."""
    return _each(
        fields,
        BM25,
        Okapi,
        TFIDF,
        Cosine,
        Dirichlet,
        JelinekMercer,
        Boolean,
        partial(Boolean, "any"),
        SequentialDependence,
        FullDependence,
    )


def proximity(index: Index, fields: Sequence[str]) -> Features:
    """Return terms, phrases and windows, smoothed with twice the average length of a document."""
    among = tuple(fields)
    mu = max(1.0, float(round(2 * Scope.of(index, among).average_length)))  # Metzler (2005), section 6.2
    return Dirichlet(mu, fields=among), OrderedPhrases(mu, fields=among), UnorderedWindows(mu, fields=among)


def columns(index: Index, fields: Sequence[str]) -> Features:
    """Return all columns of the index; they look at no field."""
    return tuple(map(Column, index.columns))


def _each(fields: Sequence[str], *kinds: Callable[..., NamedFeature]) -> Features:
    return tuple(kind(fields=tuple(fields)) for kind in kinds)


def feature_set_names() -> list[str]:
    """Return the names of the sets.

    Examples
    --------
    >>> feature_set_names()
    ['bag-of-words', 'gey', 'primitive', 'functions', 'proximity', 'columns']
    """
    return FEATURE_SETS.names()


def feature_set(name: str, index: Index, fields: Sequence[str] = ()) -> Features:
    """Return the features of a set.

    * ``bag-of-words``: Nallapati's six (Metzler & Croft 2007, Table 1).
    * ``proximity``: terms, phrases and windows of 8 words (Table 5), smoothed with mu of twice the average length of a
      document, as in Metzler (2005), section 6.2.
    * ``gey``: Gey's six (section 3).
    * ``primitive``: the components of retrieval functions (section 2.5).
    * ``functions``: every retrieval function, with its defaults.
    * ``columns``: all columns of the index; they depend on no field.

    Parameters
    ----------
    name : str
    index : Index
    fields : sequence of str
        Fields to read as one text; all fields of the index if empty.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"title": "wing", "text": "flow past a wing"})], f"{folder}/index")
    >>> [feature.name for feature in feature_set("proximity", index, ["text"])]
    ['dirichlet(mu=8):text', 'ordered(mu=8):text', 'unordered(mu=8):text']
    """
    chosen: Features = FEATURE_SETS.load(name)(index, fields)
    return chosen


def choose_features(
    index: Index,
    *,
    sets: Iterable[str] = (),
    names: Iterable[str] = (),
    scopes: Sequence[Sequence[str]] = ((),),
) -> Features:
    """Return the features of some sets for each of some scopes, and further ones by name; each once.

    Parameters
    ----------
    index : Index
    sets : iterable of str
        Names of sets, as for :func:`feature_set`.
    names : iterable of str
        Names of features, as for :func:`~rankmax.retrieval.features.registry.parse_feature`.
    scopes : sequence of sequences of str
        Fields of each set, read as one text; all fields if empty.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"title": "wing", "text": "flow past a wing"})], f"{folder}/index")
    >>> chosen = choose_features(index, sets=["gey"], names=["bm25", "log-tf:title"], scopes=[["title"], ["text"]])
    >>> [feature.name for feature in chosen][-3:]
    ['log-idf:text', 'log-collection-share:text', 'bm25']
    """
    chosen = [feature for name in sets for fields in scopes for feature in feature_set(name, index, fields)]
    chosen += map(parse_feature, names)
    for feature in chosen:
        Scope.of(index, getattr(feature, "fields", ()))  # raises if a field does not exist
        if isinstance(feature, Column):
            index.column(feature.column)
    return tuple({feature.name: feature for feature in chosen}.values())
