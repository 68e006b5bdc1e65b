"""What is known of a document for a query: retrieval functions, the papers' features, columns. One family, one file."""

from rankmax.retrieval.features.base import ExpressionSum, Feature, NamedFeature
from rankmax.retrieval.features.bm25 import BM25, Okapi
from rankmax.retrieval.features.boolean import Boolean, Coordination, Occurrences
from rankmax.retrieval.features.cosine import Cosine
from rankmax.retrieval.features.dependence import FullDependence, SequentialDependence
from rankmax.retrieval.features.language_model import Dirichlet, JelinekMercer
from rankmax.retrieval.features.parse import parse, register, registered_features
from rankmax.retrieval.features.tfidf import TFIDF

__all__ = [
    "BM25",
    "TFIDF",
    "Boolean",
    "Coordination",
    "Cosine",
    "Dirichlet",
    "ExpressionSum",
    "Feature",
    "FullDependence",
    "JelinekMercer",
    "NamedFeature",
    "Occurrences",
    "Okapi",
    "SequentialDependence",
    "parse",
    "register",
    "registered_features",
]
