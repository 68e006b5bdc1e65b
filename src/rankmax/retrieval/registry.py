"""Retrieval functions and other features by name, and sets of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.retrieval.features.feature import NamedFeature

FEATURES: Registry[type[NamedFeature]] = Registry(
    "feature",
    "rankmax.retrieval.features",
    {
        "bm25": ("bm25:BM25", "BM25 with an inverse document frequency that is never negative."),
        "boolean": ("boolean:Boolean", "Whether a document has all terms of the query, or any."),
        "column": ("column_feature:Column", "A number stored with the documents."),
        "coordination": ("boolean:Coordination", "Number of distinct query terms in a document."),
        "cosine": ("cosine_similarity:Cosine", "Cosine of the angle between tf-idf vectors."),
        "dirichlet": ("language_model:Dirichlet", "Query likelihood with Dirichlet smoothing."),
        "fdm": ("dependence:FullDependence", "Full dependence model."),
        "jelinek-mercer": ("language_model:JelinekMercer", "Query likelihood with Jelinek-Mercer smoothing."),
        "length": ("primitive:Length", "Number of terms of a document."),
        "log-collection-share": ("gey:LogCollectionShare", "How common the shared terms are in the collection."),
        "log-icf": ("nallapati:LogInverseOccurrences", "Rarity of the shared terms among all words."),
        "log-idf": ("nallapati:LogInverseDocuments", "Rarity of the shared terms among documents."),
        "log-qtf": ("gey:LogQueryFrequency", "Frequency of the shared terms in the query."),
        "log-query-share": ("gey:LogQueryShare", "Frequency of the shared terms by the query's length."),
        "log-relative-tf": ("gey:LogRelativeFrequency", "Frequency of the shared terms by the document's length."),
        "log-share": ("nallapati:LogShare", "Nallapati's frequency by the document's length."),
        "log-share-icf": ("nallapati:LogShareByOccurrences", "Frequency by length, and rarity among all words."),
        "log-share-idf": ("nallapati:LogShareByDocuments", "Frequency by length, and rarity among documents."),
        "log-tf": ("nallapati:LogFrequency", "Logarithms of the shared terms' frequencies."),
        "occurrences": ("boolean:Occurrences", "Number of places where a query term stands."),
        "okapi": ("bm25:Okapi", "BM25 as in TREC's Okapi."),
        "ordered": ("proximity:OrderedPhrases", "Likelihood of the query's phrases."),
        "phrase-count": ("primitive:PhraseCount", "Number of phrases of the query."),
        "sdm": ("dependence:SequentialDependence", "Sequential dependence model."),
        "tfidf": ("tfidf:TFIDF", "TF-IDF as Lemur computes it."),
        "unordered": ("proximity:UnorderedWindows", "Likelihood of windows of the query's terms."),
        "window-count": ("primitive:WindowCount", "Number of windows of the query's terms."),
    },
)
"""Retrieval functions and other features by symbol, in alphabetical order."""

FEATURE_SETS: Registry[Any] = Registry(
    "set of features",
    "rankmax.retrieval.features",
    {
        "bag-of-words": ("feature_sets:bag_of_words", "Nallapati's six."),
        "gey": ("feature_sets:gey", "Gey's six."),
        "primitive": ("feature_sets:primitive", "Counts that retrieval functions are made of."),
        "functions": ("feature_sets:functions", "Every retrieval function, with its defaults."),
        "proximity": ("feature_sets:proximity", "Terms, phrases and windows."),
        "columns": ("feature_sets:columns", "All columns of the index."),
    },
)
"""Sets of features by name: functions of an index and the names of fields."""
