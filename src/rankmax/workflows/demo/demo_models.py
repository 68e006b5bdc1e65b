"""Models of the demonstration: families of features, training candidates, and one model per metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.datasets import TextCollection
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25, Dirichlet, NamedFeature, OrderedPhrases, UnorderedWindows, feature_set
from rankmax.retrieval.index.inverted_index import Index

_POOL = 50  # documents that each function adds to a query's candidates
_WINDOWS = 57  # subsets of a query's terms: all of them up to six terms, for a third of the time that all take


@dataclass(frozen=True)
class Family:
    """A family of features whose weights are learned.

    Attributes
    ----------
    name : str
    features : tuple of NamedFeature
    space : str
        Space of the weights.
    """

    name: str
    features: tuple[NamedFeature, ...]
    space: str


@dataclass(frozen=True, eq=False)
class Learned:
    """A learned model.

    Attributes
    ----------
    family : Family
    metric : Metric
    model : LinearModel
    shares : array
        Weight of each feature times its standard deviation within training queries, as a share of the sum over all.
    """

    family: Family
    metric: Metric
    model: LinearModel
    shares: F64


def families(index: Index, language_model: Dirichlet, bm25: BM25) -> tuple[Family, ...]:
    """Return the families of features: Table 1, Table 5, and functions of each field.

    Parameters
    ----------
    index : Index
    language_model : Dirichlet
        Tuned language model; phrases and windows use the same smoothing.
    bm25 : BM25
        Tuned BM25.

    References
    ----------
    Metzler & Croft 2007, Tables 1 and 5, section 4: weights of any sign for the former, on the simplex for the latter.
    """
    mu = language_model.mu
    by_field = [function(fields=(field,)) for function in (BM25, Dirichlet) for field in index.fields]
    return (
        Family("bag of words", feature_set("bag-of-words", index), "euclidean"),
        Family("proximity", (language_model, OrderedPhrases(mu), windows_feature(language_model)), "simplex"),
        Family("fields", (language_model, bm25, *by_field), "euclidean"),
    )


def windows_feature(language_model: Dirichlet) -> UnorderedWindows:
    """Return the feature of words that stand near each other, smoothed as the language model is.

    Parameters
    ----------
    language_model : Dirichlet
    """
    return UnorderedWindows(language_model.mu, most=_WINDOWS)


def training_data(
    index: Index,
    topics: Mapping[str, str],
    collection: TextCollection,
    chosen: Sequence[Family],
    functions: Sequence[NamedFeature],
) -> RankingDataset:
    """Return the features of the candidates: all relevant documents, and the top documents of each function.

    Only relevant documents are judged in this collection, so the judged documents alone, as in the papers, would
    contain no negative examples; the top documents supply those that a ranking of the whole collection would meet.

    Parameters
    ----------
    index : Index
    topics : mapping of str to str
    collection : TextCollection
    chosen : sequence of Family
    functions : sequence of NamedFeature
    """
    excluded = collection.excluded
    candidates = listed_candidates(index, collection.qrels, excluded=excluded) | top_candidates(
        index, topics, functions, _POOL, excluded=excluded
    )
    features = {feature.name: feature for family in chosen for feature in family.features}
    return extract(index, topics, candidates, list(features.values()), qrels=collection.qrels)


def learn(family: Family, metric: Metric, data: RankingDataset, *, seed: int) -> Learned:
    """Learn the weights of a family's features.

    Parameters
    ----------
    family : Family
    metric : Metric
    data : RankingDataset
        Training data with the features of all families.
    seed : int
    """
    own = data.select_features([feature.name for feature in family.features])
    ranker = LinearRanker(metric, family.space, seed=seed).fit_dataset(own)
    effects = ranker.coef_ * spread_within_queries(own)
    return Learned(family, metric, ranker.model_, effects / max(np.abs(effects).sum(), 1e-300))
