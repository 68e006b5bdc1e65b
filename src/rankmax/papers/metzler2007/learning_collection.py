"""A collection as used in the paper: training on judged documents, tests on rankings of all documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.runs import Qrels
from rankmax.evaluation.significance import t_test
from rankmax.metrics import AP
from rankmax.papers.corpora import Corpus
from rankmax.papers.setup import Setup
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25, Dirichlet, Feature, NamedFeature
from rankmax.retrieval.index.inverted_index import Index
from rankmax.workflows.searching.feature_trials import Trials
from rankmax.workflows.searching.function_parameters import tune_function
from rankmax.workflows.searching.judged_queries import JudgedQueries

LEVEL = 0.05
_ANALYZER = Analyzer(stop="english", stemmer="porter2")
_DEPTH = 1000
_POOL = 100  # documents that each function adds where only relevant ones were judged; the depth of TREC's pools


class TestCollection:
    """An index of a corpus, with the data and rankings that the experiments need.

    Parameters
    ----------
    corpus : Corpus
    setup : Setup
    """

    __test__ = False  # for pytest

    def __init__(self, corpus: Corpus, setup: Setup) -> None:
        self.corpus, self.setup = corpus, setup

    @cached_property
    def index(self) -> Index:
        """Index of all documents."""
        return self.corpus.index(self.setup.workspace, _ANALYZER)

    def training_data(self, topics: Mapping[str, str], features: Sequence[NamedFeature]) -> RankingDataset:
        """Return the features of judged documents.

        Where only relevant documents were judged, the candidates are the top documents of two functions, as in a pool:
        other relevant documents, among nonrelevant ones that all score high, would teach that a high score is bad.

        Parameters
        ----------
        topics : mapping of str to str
        features : sequence of NamedFeature
        """
        qrels = self._qrels_to_learn_from(topics)
        candidates = listed_candidates(self.index, qrels, excluded=self.corpus.queries.excluded)
        return extract(self.index, topics, candidates, features, qrels=qrels)

    def judged(self, topics: Mapping[str, str]) -> JudgedQueries:
        """Return the judged queries, for rankings of the whole collection.

        Parameters
        ----------
        topics : mapping of str to str
        """
        queries = self.corpus.queries
        return JudgedQueries.of(self.index, topics, queries.qrels, excluded=queries.excluded, depth=_DEPTH)

    def tuned_language_model(self, queries: JudgedQueries) -> Dirichlet:
        """Return the language model whose smoothing has the highest mean average precision.

        Parameters
        ----------
        queries : JudgedQueries
        """
        with Trials(queries, [AP()]) as trials:
            return tune_function(Dirichlet(), trials, AP()).best.function

    def _qrels_to_learn_from(self, topics: Mapping[str, str]) -> Qrels:
        queries = self.corpus.queries
        judged = {query_id: grades for query_id, grades in queries.qrels.to_dict().items() if query_id in topics}
        if not queries.has_others:
            pool = top_candidates(self.index, topics, [BM25(), Dirichlet()], _POOL, excluded=queries.excluded)
            for query_id, begin, end in zip(pool.query_ids, pool.query_offsets, pool.query_offsets[1:], strict=False):
                pooled = map(str, self.index.ids.take(pool.documents[begin:end]))
                judged[query_id] = {document: judged[query_id].get(document, 0) for document in pooled}
        return Qrels.from_dict({query_id: grades for query_id, grades in judged.items() if any(grades.values())})


def average_precision(queries: JudgedQueries, ranker: Feature) -> F64:
    """Return the average precision of each query when a ranker ranks the whole collection.

    Parameters
    ----------
    queries : JudgedQueries
    ranker : Feature
    """
    values: F64 = queries.values(ranker, [AP()])[0]
    return values


def one_tailed(better: F64, worse: F64) -> float:
    """Return the p-value of the paper's test that one system is better: a paired t-test, one-tailed.

    Parameters
    ----------
    better, worse : array
        Metric values per query.
    """
    return round(t_test(better, worse, alternative="greater").p_value, 6)
