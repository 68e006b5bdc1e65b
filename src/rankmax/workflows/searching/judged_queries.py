"""Judged queries over an index, for evaluating how a feature ranks the whole collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I32, I64, readonly
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.retrieval.features.feature import ExpressionSum, Feature
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.collection_search import Hits, Searcher
from rankmax.workflows.searching.topic_search import run_of_hits


@dataclass(frozen=True, eq=False)
class JudgedQuery:
    """A query with its judged documents.

    Attributes
    ----------
    query_id : str
    query : Query
    excluded : int or None
        Document excluded from the results.
    documents : array of int64
        Internal numbers of the judged documents, ascending; -1 for those that are not in the index.
    levels : array of int64
        Level of each judged document; see :class:`~rankmax.data.judgments.Judgments`.
    """

    query_id: str
    query: Query
    excluded: int | None
    documents: I64
    levels: I64

    def levels_of(self, ranked: I32) -> tuple[I64, I64]:
        """Return the levels of ranked documents, and those of judged documents that are not among them."""
        places = np.minimum(np.searchsorted(self.documents, ranked), self.documents.size - 1)
        found = self.documents[places] == ranked
        return np.where(found, self.levels[places], UNJUDGED), np.delete(self.levels, places[found])


@dataclass(frozen=True, eq=False)
class JudgedQueries:
    """Queries with judgments; their matches are found once and reused for every feature.

    Attributes
    ----------
    queries : tuple of JudgedQuery
    levels : array of float64
        The grade of each level.
    depth : int
        Number of documents to rank per query.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.metrics import RR
    >>> from rankmax.retrieval import Document, build_index
    >>> from rankmax.retrieval.features import BM25
    >>> texts = {"d1": "a wing and a flow", "d2": "the flow past a wing wing", "d3": "a flow"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document(i, {"text": text}) for i, text in texts.items()], f"{folder}/index")
    ...     queries = JudgedQueries.of(index, {"q1": "wing"}, Qrels.from_dict({"q1": {"d1": 1}}))
    ...     queries.values(BM25(), [RR()])
    array([[0.5]])
    """

    queries: tuple[JudgedQuery, ...]
    levels: F64
    depth: int

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Ids of the queries."""
        return tuple(one.query_id for one in self.queries)

    @property
    def index(self) -> Index:
        """The index that the queries search."""
        return self.queries[0].query.index

    @classmethod
    def of(
        cls,
        index: Index,
        topics: Mapping[str, str],
        qrels: Qrels,
        *,
        excluded: Mapping[str, str] | None = None,
        depth: int = 1000,
    ) -> Self:
        """Return the judged queries of some topics over an index.

        Parameters
        ----------
        index : Index
        topics : mapping of str to str
            Texts by query id; topics without judgments are left out.
        qrels : Qrels
        excluded : mapping of str to str, optional
            Document to exclude from the results, by query.
        depth : int
        """
        if depth < 1:
            raise InvalidParameterError(f"depth is {depth}; expected a positive integer")
        grades, levels = np.unique(qrels.grades, return_inverse=True)
        levels += UNJUDGED + 1
        documents = index.find(qrels.document_ids)
        left_out = _numbers(index, excluded or {})
        queries = []
        for query_id, begin, end in zip(qrels.query_ids, qrels.query_offsets, qrels.query_offsets[1:], strict=False):
            if query_id in topics:
                order = begin + np.argsort(documents[begin:end], kind="stable")
                query = Query(index, topics[query_id])
                queries.append(JudgedQuery(query_id, query, left_out.get(query_id), documents[order], levels[order]))
        if not queries:
            raise InvalidDataError("no topic has judgments: the query ids of topics and qrels must be the same")
        return cls(tuple(queries), readonly(np.concatenate([[np.nan], grades])), depth)

    def parts(self, n_parts: int) -> list[Self]:
        """Return the queries in up to `n_parts` contiguous parts of about equal size."""
        borders = np.linspace(0, len(self.queries), min(n_parts, len(self.queries)) + 1).round().astype(int).tolist()
        return [replace(self, queries=self.queries[a:b]) for a, b in pairwise(borders)]

    def find(self, features: Iterable[Feature]) -> None:
        """Find and cache the matches of features that are sums over expressions.

        Parameters
        ----------
        features : iterable of Feature
            Features; those that are not sums have no matches to find.
        """
        for feature in features:
            if isinstance(feature, ExpressionSum):
                for one in self.queries:
                    feature.sought(one.query)

    def rank(self, feature: Feature) -> list[Hits]:
        """Return the best documents of the collection for each query.

        Parameters
        ----------
        feature : Feature
            A retrieval function, any other feature, or a weighted sum of them.
        """
        searcher = Searcher(self.index, feature)
        return [searcher.search(one.query, self.depth, exclude=one.excluded) for one in self.queries]

    def evaluate(self, rankings: Sequence[Hits], metrics: Sequence[Metric]) -> F64:
        """Return the metrics per query, shape (n_metrics, n_queries).

        Parameters
        ----------
        rankings : sequence of Hits
            One for each query.
        metrics : sequence of Metric
        """
        levels = [one.levels_of(hits.documents) for one, hits in zip(self.queries, rankings, strict=True)]
        retrieved, missed = zip(*levels, strict=True)
        judgments = Judgments(
            query_offsets=_offsets(retrieved),
            levels=self.levels,
            document_levels=readonly(np.concatenate(retrieved)),
            query_ids=self.query_ids,
            document_ids=None,
            unretrieved_offsets=_offsets(missed),
            unretrieved_levels=readonly(np.concatenate(missed)),
        )
        in_order = -np.arange(judgments.n_documents, dtype=np.float64)
        return evaluate_metrics(metrics, in_order, judgments)

    def values(self, feature: Feature, metrics: Sequence[Metric]) -> F64:
        """Return the metrics per query when a feature ranks the collection, shape (n_metrics, n_queries).

        Parameters
        ----------
        feature : Feature
        metrics : sequence of Metric
        """
        return self.evaluate(self.rank(feature), metrics)

    def run(self, rankings: Sequence[Hits], tag: str, *, depth: int | None = None) -> Run:
        """Return rankings as a run, with the ids of queries and documents.

        Parameters
        ----------
        rankings : sequence of Hits
            One for each query.
        tag : str
            Name of the system.
        depth : int, optional
            Largest number of documents per query; all ranked documents by default.
        """
        shown = [Hits(hits.documents[:depth], hits.scores[:depth]) for hits in rankings]
        return run_of_hits(self.index, self.query_ids, shown, tag)


def _numbers(index: Index, excluded: Mapping[str, str]) -> dict[str, int]:
    numbers = zip(excluded, index.find(list(excluded.values())).tolist(), strict=True)
    return {query_id: number for query_id, number in numbers if number >= 0}


def _offsets(parts: Sequence[NDArray[Any]]) -> I64:
    return readonly(np.cumsum([0, *(part.size for part in parts)]))
