"""Training data: LETOR's folds, and folds of the embedded collection."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Protocol

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import LetorFold, letor_folds
from rankmax.papers.corpora import EmbeddedCorpus
from rankmax.papers.setup import Setup
from rankmax.papers.unjudged import unjudged_as_not_relevant
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25, Dirichlet

_POOL = 20


class FoldedCollection(Protocol):
    """A named collection with folds for training, validation and testing."""

    name: str

    @property
    def fingerprint(self) -> str:
        """A short string that changes with the content."""

    def folds(self) -> Iterable[LetorFold]:
        """Return the folds."""


class EmbeddedFolds:
    """The embedded collection as graded data: functions of each field for relevant documents and top-ranked others.

    Parameters
    ----------
    setup : Setup
    corpus : EmbeddedCorpus
    most_topics : int
        Largest number of topics, drawn at random.
    """

    name = EmbeddedCorpus.name

    def __init__(self, setup: Setup, corpus: EmbeddedCorpus, most_topics: int) -> None:
        self.setup, self.corpus, self.most_topics = setup, corpus, most_topics

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the collection, with the number of topics."""
        return f"{self.corpus.fingerprint}-{self.most_topics}"

    def folds(self) -> list[LetorFold]:
        """Return five folds over five parts of the queries, as in LETOR."""
        data = self._data()
        parts = np.array_split(np.random.default_rng(self.setup.seed).permutation(data.n_queries), 5)
        return list(letor_folds([data.select(np.sort(part)) for part in parts]))

    def _data(self) -> RankingDataset:
        index = self.corpus.index(self.setup.workspace, Analyzer(stop="english", stemmer="porter2"))
        queries = self.corpus.queries
        topics = queries.sample(self.most_topics, self.setup.seed)
        functions = [BM25(), Dirichlet()]
        candidates = listed_candidates(index, queries.qrels, excluded=queries.excluded) | top_candidates(
            index, topics, functions, _POOL, excluded=queries.excluded
        )
        by_field = [kind(fields=(field,)) for kind in (BM25, Dirichlet) for field in index.fields]
        found = extract(index, topics, candidates, [*functions, *by_field], qrels=queries.qrels)
        return Normalization.named("min-max").apply(unjudged_as_not_relevant(found))  # like LETOR's features


def folded_collections(setup: Setup) -> list[FoldedCollection]:
    """Return the LETOR collections if there are any, else the embedded one, unless the user gave texts instead.

    Parameters
    ----------
    setup : Setup
    """
    embedded = [corpus for corpus in setup.corpora if isinstance(corpus, EmbeddedCorpus)]
    found: list[FoldedCollection] = [_Remembered(one) for one in setup.letor]
    return found or [_Remembered(EmbeddedFolds(setup, one, 100 if setup.small else 500)) for one in embedded]


class _Remembered:
    """Folds that are read once and shared by all methods."""

    def __init__(self, collection: FoldedCollection) -> None:
        self.name = collection.name
        self._collection = collection
        self.folds = cache(lambda: list(collection.folds()))

    @property
    def fingerprint(self) -> str:
        return self._collection.fingerprint
