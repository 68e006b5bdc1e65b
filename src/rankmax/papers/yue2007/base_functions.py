"""Scores of base functions as features: retrieval methods over several indexes, or submitted runs."""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_
from typing import Protocol

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs, judge
from rankmax.metrics import AP
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.ties import TiePolicy
from rankmax.papers.corpora import Corpus
from rankmax.papers.run_sets import RunSet
from rankmax.papers.setup import Setup
from rankmax.papers.unjudged import unjudged_as_not_relevant
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import TFIDF, Cosine, Dirichlet, JelinekMercer, Okapi
from rankmax.retrieval.index.inverted_index import Index

_INDEXES = {
    "plain": Analyzer(),
    "stemmed": Analyzer(stemmer="porter"),
    "stemmed and stopped": Analyzer(stemmer="porter", stop="english"),
}
# With the defaults of Lemur, the toolkit that has all five: other than Indri's for the two language models.
_FUNCTIONS = (Cosine(), TFIDF(), Okapi(), Dirichlet(mu=1000), JelinekMercer(background=0.5))
_LARGE = 100_000  # number of documents from which a function adds as many candidates as in the paper


class BaseFunctions(Protocol):
    """Documents with their scores by several functions."""

    name: str

    @property
    def fingerprint(self) -> str:
        """A short string that changes with the content."""

    @property
    def data(self) -> RankingDataset:
        """Data with one feature per function, NaN where it has no score; every query has a relevant document."""

    @property
    def values(self) -> dict[str, F64]:
        """Average precision of each function alone, by query."""


class RetrievalFunctions:
    """Five retrieval methods over three indexes of a corpus.

    Parameters
    ----------
    corpus : Corpus
    setup : Setup
    """

    def __init__(self, corpus: Corpus, setup: Setup) -> None:
        self.corpus, self.setup, self.name = corpus, setup, corpus.name

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the corpus."""
        return self.corpus.fingerprint

    @cached_property
    def data(self) -> RankingDataset:
        """Scores of the top documents of all functions, for at most 50 queries."""
        queries = self.corpus.queries
        topics = queries.sample(20 if self.setup.small else 50, self.setup.seed)
        indexes = {name: self.corpus.index(self.setup.workspace, analyzer) for name, analyzer in _INDEXES.items()}
        pools = [
            top_candidates(index, topics, _FUNCTIONS, self._depth(index), excluded=queries.excluded)
            for index in indexes.values()
        ]
        candidates = reduce(or_, pools)  # documents have the same numbers in all indexes
        parts = [extract(index, topics, candidates, _FUNCTIONS, qrels=queries.qrels) for index in indexes.values()]
        columns = [part.column(j) for part in parts for j in range(part.n_features)]
        features = np.asfortranarray(np.column_stack(columns))
        names = tuple(f"{function.name}, {name}" for name in indexes for function in _FUNCTIONS)
        return unjudged_as_not_relevant(RankingDataset(readonly(features), names, parts[0].judgments))

    @cached_property
    def values(self) -> dict[str, F64]:
        """Average precision of each function on all the candidates, by query."""
        data = self.data
        return {
            name: evaluate_metrics([AP()], data.column(j), data.judgments)[0]
            for j, name in enumerate(data.feature_names)
        }

    def _depth(self, index: Index) -> int:
        if self.setup.small:
            return 20
        return 1000 if index.n_documents >= _LARGE else 100


class SubmittedRuns:
    """Runs submitted to an evaluation.

    Parameters
    ----------
    runs : RunSet
    """

    def __init__(self, runs: RunSet) -> None:
        self.runs, self.name = runs, runs.name

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the files."""
        return self.runs.fingerprint

    @cached_property
    def data(self) -> RankingDataset:
        """Scores of the documents of all runs, for the queries with a relevant document."""
        found = unjudged_as_not_relevant(join_runs(*self.runs.content, missing="absent"))
        return found.select(np.flatnonzero(found.judgments.count(found.judgments.levels >= 1) > 0))

    @cached_property
    def values(self) -> dict[str, F64]:
        """Average precision of each run as it was submitted, by query: as trec_eval gives it."""
        runs, qrels = self.runs.content
        place = {query: q for q, query in enumerate(qrels.query_ids)}
        chosen = [place[query] for query in self.data.query_ids]
        found = {}
        for name, run in runs.items():
            judged = judge(run, qrels)
            found[name] = evaluate_metrics([AP()], judged.scores, judged.judgments, ties=TiePolicy.TREC_EVAL)[0, chosen]
        return found
