"""What is known of a document for a query: retrieval functions, the papers' features, columns. One family, one file."""

from rankmax.retrieval.features.base import ExpressionSum, Feature, NamedFeature
from rankmax.retrieval.features.bm25 import BM25
from rankmax.retrieval.features.language_model import Dirichlet, JelinekMercer
from rankmax.retrieval.features.parse import parse, register, registered_features

__all__ = [
    "BM25",
    "Dirichlet",
    "ExpressionSum",
    "Feature",
    "JelinekMercer",
    "NamedFeature",
    "parse",
    "register",
    "registered_features",
]
