"""Candidate documents of each query: judged documents, top documents of retrieval functions, documents of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rankmax._arrays import I64, readonly
from rankmax.data.judgments import segments
from rankmax.data.query_documents import DocumentsByQuery
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.features.feature import Feature
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.collection_search import Searcher

_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents of an index by query, each once and in the order of the index.

    Attributes
    ----------
    query_ids : tuple of str
    query_offsets : array of int64, shape (n_queries + 1,)
        The documents of query q are ``documents[query_offsets[q]:query_offsets[q + 1]]``.
    documents : array of int64
        Document numbers in the index, ascending within a query.
    n_unknown : int
        Number of pairs of query and document that were dropped because the document is not in the index.
    unknown_example : str
        Document of one of these pairs; empty if there are none.
    """

    query_ids: tuple[str, ...]
    query_offsets: I64
    documents: I64
    n_unknown: int = 0
    unknown_example: str = ""

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def n_documents(self) -> int:
        """Number of documents over all queries."""
        return self.documents.size

    @property
    def documents_by_query(self) -> I64:
        """Number of documents of each query."""
        return np.diff(self.query_offsets)

    def select(self, query_ids: Iterable[str]) -> Candidates:
        """Keep only the given queries, in the given order.

        Examples
        --------
        >>> candidates = Candidates(("q1", "q2"), np.array([0, 2, 3]), np.array([4, 7, 1]))
        >>> candidates.select(["q2"]).documents
        array([1])
        """
        number = {query_id: q for q, query_id in enumerate(self.query_ids)}
        chosen = tuple(query_ids)
        for query_id in chosen:
            if query_id not in number:
                raise UnknownNameError("query", query_id, number)
        rows, offsets = segments(self.query_offsets, np.array([number[q] for q in chosen], np.int64))
        documents = readonly(self.documents[rows])
        return Candidates(chosen, readonly(offsets), documents, self.n_unknown, self.unknown_example)

    def __or__(self, other: Candidates) -> Candidates:
        """Return the union of both sets of candidates.

        Examples
        --------
        >>> one = Candidates(("q1",), np.array([0, 2]), np.array([4, 7]))
        >>> both = one | Candidates(("q2", "q1"), np.array([0, 1, 2]), np.array([9, 5]))
        >>> both.query_ids, both.query_offsets, both.documents
        (('q1', 'q2'), array([0, 3, 4]), array([4, 5, 7, 9]))
        """
        query_ids = tuple(dict.fromkeys(chain(self.query_ids, other.query_ids)))
        number = {query_id: q for q, query_id in enumerate(query_ids)}
        parts = [self, other]
        query = np.concatenate([np.array([number[q] for q in one.query_ids], np.int64)[one._query] for one in parts])
        documents = np.concatenate([one.documents for one in parts])
        example = self.unknown_example or other.unknown_example
        return _grouped(query_ids, query, documents, self.n_unknown + other.n_unknown, example)

    @property
    def _query(self) -> I64:
        return np.repeat(np.arange(self.n_queries), self.documents_by_query)


def listed_candidates(index: Index, listed: DocumentsByQuery, *, excluded: Mapping[str, str] = _NOTHING) -> Candidates:
    """Return the documents of judgments or of a run as candidates.

    Parameters
    ----------
    index : Index
        Index of the documents.
    listed : Qrels or Run
        Judgments or run. Documents missing from the index are counted in :attr:`Candidates.n_unknown`.
    excluded : mapping of str to str
        Id, by query, of a document that must not be a candidate for it.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import Qrels
    >>> from rankmax.retrieval import Document, build_index
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document(f"d{n}", {"text": "wing"}) for n in range(4)], f"{folder}/index")
    >>> found = listed_candidates(index, Qrels.from_dict({"q1": {"d3": 1, "d0": 0, "d9": 1}}))
    >>> found.documents, found.n_unknown, found.unknown_example
    (array([0, 3]), 1, 'd9')
    """
    documents = index.find(listed.document_ids)
    known = documents >= 0
    unknown = np.flatnonzero(~known)
    query, documents = listed.query_of_document[known], documents[known]
    allowed = documents != _excluded_documents(index, listed.query_ids, excluded)[query]
    example = listed.document_ids[int(unknown[0])] if unknown.size else ""
    return _grouped(listed.query_ids, query[allowed], documents[allowed], unknown.size, example)


def top_candidates(
    index: Index,
    topics: Mapping[str, str],
    functions: Sequence[Feature],
    depth: int,
    *,
    excluded: Mapping[str, str] = _NOTHING,
) -> Candidates:
    """Return the top documents of several retrieval functions as candidates.

    Parameters
    ----------
    index : Index
        Index to search.
    topics : mapping of str to str
        Text of each query by query id.
    functions : sequence of Feature
        Retrieval functions.
    depth : int
        Number of documents that each function adds, at least 1.
    excluded : mapping of str to str
        Id, by query, of a document that must not be a candidate for it.

    References
    ----------
    Yue, Finley, Radlinski, Joachims (2007), A support vector method for optimizing average precision, section 4.1.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> from rankmax.retrieval.features import parse_feature
    >>> texts = ["wing", "wing flow", "wing flow flow", "heat"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     documents = [Document(f"d{n}", {"text": text}) for n, text in enumerate(texts)]
    ...     index = build_index(documents, f"{folder}/index")
    >>> functions = [parse_feature("bm25"), parse_feature("occurrences")]
    >>> top_candidates(index, {"q1": "wing"}, functions, 2, excluded={"q1": "d1"}).documents
    array([0, 2])
    """
    if not functions or depth < 1:
        raise InvalidParameterError(
            f"give at least one function and a depth of at least 1, not {len(functions)}, {depth}"
        )
    searchers = [Searcher(index, function) for function in functions]
    without = _excluded_documents(index, tuple(topics), excluded).tolist()
    found: list[I64] = []
    for text, document in zip(topics.values(), without, strict=True):
        query = Query(index, text)
        hits = [one.search(query, depth, exclude=None if document < 0 else document).documents for one in searchers]
        found.append(np.concatenate(hits).astype(np.int64))
    query_of_hit = np.repeat(np.arange(len(found)), [hits.size for hits in found])
    return _grouped(tuple(topics), query_of_hit, np.concatenate([*found, np.zeros(0, np.int64)]))


def _excluded_documents(index: Index, query_ids: Sequence[str], excluded: Mapping[str, str]) -> I64:
    """Return the number of the document that each query excludes, -1 if there is none."""
    numbers = np.full(len(query_ids), -1, np.int64)
    rows = [q for q, query_id in enumerate(query_ids) if query_id in excluded]
    numbers[rows] = index.find([excluded[query_ids[q]] for q in rows])
    return numbers


def _grouped(
    query_ids: tuple[str, ...], query: I64, documents: I64, n_unknown: int = 0, unknown_example: str = ""
) -> Candidates:
    n_numbers = int(documents.max(initial=0)) + 1
    pairs = np.unique(query * n_numbers + documents)
    by_query = np.bincount(pairs // n_numbers, minlength=len(query_ids))
    offsets = np.concatenate([[0], np.cumsum(by_query)]).astype(np.int64)
    return Candidates(query_ids, readonly(offsets), readonly(pairs % n_numbers), n_unknown, unknown_example)
