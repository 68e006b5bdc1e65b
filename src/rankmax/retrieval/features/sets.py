"""Features that belong together, by the name of the set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from rankmax.errors import UnknownNameError
from rankmax.retrieval.features.base import NamedFeature
from rankmax.retrieval.features.bm25 import BM25, Okapi
from rankmax.retrieval.features.boolean import Boolean, Coordination, Occurrences
from rankmax.retrieval.features.column import Column
from rankmax.retrieval.features.cosine import Cosine
from rankmax.retrieval.features.dependence import FullDependence, SequentialDependence
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
from rankmax.retrieval.features.parse import parse
from rankmax.retrieval.features.primitive import Length, PhraseCount, WindowCount
from rankmax.retrieval.features.proximity import OrderedPhrases, UnorderedWindows
from rankmax.retrieval.features.tfidf import TFIDF
from rankmax.retrieval.index import Index
from rankmax.retrieval.scope import Scope

Features = tuple[NamedFeature, ...]
_Fields = tuple[str, ...]


_OF_FIELDS: dict[str, tuple[Callable[..., NamedFeature], ...]] = {
    "bag-of-words": (
        LogFrequency,
        LogShare,
        LogInverseDocuments,
        LogInverseOccurrences,
        LogShareByDocuments,
        LogShareByOccurrences,
    ),
    "gey": (
        LogQueryFrequency,
        LogQueryShare,
        LogFrequency,
        LogRelativeFrequency,
        LogInverseDocuments,
        LogCollectionShare,
    ),
    "primitive": (Coordination, Occurrences, LogInverseDocuments, Length, PhraseCount, WindowCount),
    "functions": (
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
    ),
}
"""The sets whose features take nothing but fields."""


def _proximity(index: Index, fields: _Fields) -> Features:
    mu = max(1.0, float(round(2 * Scope.of(index, fields).average_length)))  # Metzler (2005), section 6.2
    return Dirichlet(mu, fields=fields), OrderedPhrases(mu, fields=fields), UnorderedWindows(mu, fields=fields)


def _columns(index: Index, fields: _Fields) -> Features:
    return tuple(map(Column, index.columns))


_OF_INDEX: dict[str, Callable[[Index, _Fields], Features]] = {"proximity": _proximity, "columns": _columns}


def feature_set_names() -> list[str]:
    """Return the names of the sets.

    Examples
    --------
    >>> feature_set_names()
    ['bag-of-words', 'gey', 'primitive', 'functions', 'proximity', 'columns']
    """
    return [*_OF_FIELDS, *_OF_INDEX]


def feature_set(name: str, index: Index, fields: Sequence[str] = ()) -> Features:
    """Return the features of a set.

    * ``bag-of-words``: Nallapati's six (Metzler & Croft 2007, Table 1).
    * ``proximity``: terms, phrases and windows of 8 words (Table 5), smoothed with mu of twice the average length of a
      document, as in Metzler (2005), section 6.2.
    * ``gey``: Gey's six (section 3).
    * ``primitive``: what functions are made of (section 2.5).
    * ``functions``: every retrieval function, with its defaults.
    * ``columns``: all columns of the index; they look at no field.

    Parameters
    ----------
    name : str
    index : Index
    fields : sequence of str
        Read as one text; all fields of the index when empty.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval.builder import build_index
    >>> from rankmax.retrieval.documents import Document
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"title": "wing", "text": "flow past a wing"})], f"{folder}/index")
    >>> [feature.name for feature in feature_set("proximity", index, ["text"])]
    ['dirichlet(mu=8):text', 'ordered(mu=8):text', 'unordered(mu=8):text']
    """
    if name in _OF_FIELDS:
        return tuple(make(fields=tuple(fields)) for make in _OF_FIELDS[name])
    if name not in _OF_INDEX:
        raise UnknownNameError("set of features", name, feature_set_names())
    return _OF_INDEX[name](index, tuple(fields))


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
        As :func:`feature_set` knows them.
    names : iterable of str
        As :func:`~rankmax.retrieval.features.parse.parse` reads them.
    scopes : sequence of sequences of str
        Fields that each set is to look at, read as one text; all fields where empty.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval.builder import build_index
    >>> from rankmax.retrieval.documents import Document
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"title": "wing", "text": "flow past a wing"})], f"{folder}/index")
    >>> chosen = choose_features(index, sets=["gey"], names=["bm25", "log-tf:title"], scopes=[["title"], ["text"]])
    >>> [feature.name for feature in chosen][-3:]
    ['log-idf:text', 'log-collection-share:text', 'bm25']
    """
    chosen = [feature for name in sets for fields in scopes for feature in feature_set(name, index, fields)]
    chosen += map(parse, names)
    for feature in chosen:
        Scope.of(index, getattr(feature, "fields", ()))  # names a field that is not there
        if isinstance(feature, Column):
            index.column(feature.column)
    return tuple({feature.name: feature for feature in chosen}.values())
