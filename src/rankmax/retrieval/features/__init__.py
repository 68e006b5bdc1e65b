"""Features of a document for a query: retrieval functions, the papers' features, columns; one module per family."""

from rankmax.retrieval.features.bm25 import BM25, Okapi
from rankmax.retrieval.features.boolean import Boolean, Coordination, Occurrences
from rankmax.retrieval.features.column_feature import Column
from rankmax.retrieval.features.cosine import Cosine
from rankmax.retrieval.features.dependence import FullDependence, SequentialDependence
from rankmax.retrieval.features.feature import ExpressionSum, Feature, NamedFeature
from rankmax.retrieval.features.feature_sets import choose_features, feature_set, feature_set_names
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
from rankmax.retrieval.features.registry import parse_feature, register, registered_features
from rankmax.retrieval.features.tfidf import TFIDF

__all__ = [
    "BM25",
    "TFIDF",
    "Boolean",
    "Column",
    "Coordination",
    "Cosine",
    "Dirichlet",
    "ExpressionSum",
    "Feature",
    "FullDependence",
    "JelinekMercer",
    "Length",
    "LogCollectionShare",
    "LogFrequency",
    "LogInverseDocuments",
    "LogInverseOccurrences",
    "LogQueryFrequency",
    "LogQueryShare",
    "LogRelativeFrequency",
    "LogShare",
    "LogShareByDocuments",
    "LogShareByOccurrences",
    "NamedFeature",
    "Occurrences",
    "Okapi",
    "OrderedPhrases",
    "PhraseCount",
    "SequentialDependence",
    "UnorderedWindows",
    "WindowCount",
    "choose_features",
    "feature_set",
    "feature_set_names",
    "parse_feature",
    "register",
    "registered_features",
]
