"""Queries grown term by term, for the topics with most relevant documents of each collection."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.metrics import AP
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.papers.corpora import Corpus, TopicsAndQrels
from rankmax.papers.papers import Step, Study
from rankmax.papers.setup import Setup
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features.term_selection import candidate_terms, okapi_dataset
from rankmax.retrieval.index.inverted_index import Index
from rankmax.workflows.searching.query_expansion import GrownQuery, grow_query

SHORT = 5  # terms of the small queries in Table 1
_ANALYZER = Analyzer(stop="english", stemmer="porter2")
_TRAINING, _VALIDATION = 0.25, 0.25  # shares of the documents; the rest is the test set
_LINES = 24  # documents that Figure 2 draws


def _settings(setup: Setup) -> dict[str, Any]:
    return {
        "corpora": {corpus.name: corpus.fingerprint for corpus in setup.corpora},
        "topics_each": _topics_each(setup),
        "max_terms": _max_terms(setup),
        "training_share": _TRAINING,
    }


def _topics_each(setup: Setup) -> int:
    return 3 if setup.small else -(-15 // len(setup.corpora))  # at least the paper's 15 in total


def _max_terms(setup: Setup) -> int:
    return 8 if setup.small else 20


def _steps(setup: Setup) -> Iterator[tuple[str, Step]]:
    for corpus in setup.corpora:
        for number in range(_topics_each(setup)):
            yield f"{corpus.name}, topic {number + 1}", partial(_grow, setup, corpus, number)


GROWTH = Study("growth", _settings, _steps, "a collection of text")
"""The study behind Table 1 and the figures."""


def _grow(setup: Setup, corpus: Corpus, number: int, _: object) -> dict[str, Any]:
    """Grow the query of a topic on training documents, and return its values by number of terms."""
    index = corpus.index(setup.workspace, _ANALYZER)
    queries = corpus.queries
    topic = _richest_topics(queries, number + 1)[number]
    train, test = _split(index, queries, topic, setup.seed)
    relevant = _relevance(index, queries, topic)
    candidates = [one.term for one in candidate_terms(index, train, relevant[train], _max_terms(setup) + 1)]
    data = okapi_dataset(index, candidates, train, relevant[train], query_id=topic)
    unseen = okapi_dataset(index, candidates, test, relevant[test], query_id=topic)
    grown = grow_query(data, max_terms=_max_terms(setup))
    size = len(grown.terms)
    return {
        "topic": topic,
        "documents": int(train.size),
        "relevant": int(relevant[train].sum()),
        "terms": list(grown.terms),
        "weight_search": grown.weight_search.values.round(6).tolist(),
        "maximum_entropy": grown.maximum_entropy.values.round(6).tolist(),
        "ours": {str(n): _our_best(data, grown, n, setup.seed) for n in sorted({min(SHORT, size), size})},
        "test": {
            "weight_search": _unseen_value(unseen, grown, grown.weight_search.weights[-1]),
            "maximum_entropy": _unseen_value(unseen, grown, grown.maximum_entropy.weights[-1]),
        },
        "lines": _document_lines(data, grown),
    }


def _richest_topics(queries: TopicsAndQrels, n: int) -> list[str]:
    return sorted(queries.topics, key=lambda topic: (-len(queries.relevant[topic]), topic))[:n]


def _split(index: Index, queries: TopicsAndQrels, topic: str, seed: int) -> tuple[I64, I64]:
    """Return random training and test documents; the validation part is not used, as in the paper."""
    order = np.random.default_rng(seed).permutation(index.n_documents)
    order = order[~np.isin(order, index.find([queries.excluded[topic]] if topic in queries.excluded else []))]
    first, second = (int(order.size * share) for share in (_TRAINING, _TRAINING + _VALIDATION))
    return np.sort(order[:first]), np.sort(order[second:])


def _relevance(index: Index, queries: TopicsAndQrels, topic: str) -> I64:
    numbers = index.find(queries.relevant[topic])
    relevant = np.zeros(index.n_documents, np.int64)
    relevant[numbers[numbers >= 0]] = 1
    return relevant


def _our_best(data: RankingDataset, grown: GrownQuery, n_terms: int, seed: int) -> float:
    ranker = LinearRanker("AP", n_restarts=2, shrinkage=0.0, smoothing=0.0, seed=seed)
    return round(ranker.fit_dataset(data.select_features(grown.terms[:n_terms])).value_, 6)


def _unseen_value(unseen: RankingDataset, grown: GrownQuery, weights: F64) -> float:
    scores = unseen.select_features(grown.terms).scores(weights)
    return round(float(evaluate_metrics([AP()], scores, unseen.judgments)[0, 0]), 6)


def _document_lines(data: RankingDataset, grown: GrownQuery) -> list[list[float]]:
    """Return score, slope and relevance of documents as functions of the weight of a small query's last term."""
    size = min(SHORT, len(grown.terms))
    chosen = data.select_features(grown.terms[:size])
    weights = grown.weight_search.weights[size - 1].copy()
    weights[-1] = 0.0
    rows = np.column_stack([chosen.scores(weights), chosen.column(size - 1), chosen.grades])
    moving = rows[rows[:, 0] != 0]
    best_first = moving[np.lexsort([-moving[:, 1], -moving[:, 2]])]
    lines: list[list[float]] = np.unique(best_first[: 4 * _LINES].round(4), axis=0)[::-1][:_LINES].tolist()
    return lines
