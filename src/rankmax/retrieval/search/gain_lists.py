"""Gains of query expressions in documents, computed once and cached within a bound of memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I32, I64
from rankmax.errors import InvalidDataError
from rankmax.retrieval.features.feature import ExpressionSum, Sought
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Expression, Query, Term
from rankmax.retrieval.queries.scope import Matches, Scope

_BYTES = 16  # per posting: document, gain, and the frequency that is kept with the expression


class AddedLists(NamedTuple):
    """The lists of one query, in the form that ``kernels.topk.top_of_lists`` takes."""

    documents: I32
    gains: F64
    starts: I64
    ends: I64
    weights: F64
    base: F64
    kinds: I32


@dataclass(frozen=True, slots=True)
class _Present:
    """A term of the query that the feature does not use: documents that have it are found, and gain nothing."""

    term: str

    def find(self, scope: Scope) -> Matches:
        return scope.term(self.term)


@dataclass(frozen=True, slots=True)
class _List:
    documents: I32
    gains: F64
    sought: Sought | None  # None if there is nothing to add


class _Place(NamedTuple):
    start: int
    end: int
    sought: Sought | None


class GainLists:
    """Cache of the gains of a feature's expressions in all documents; topics share terms, so each is computed once.

    When memory is used up, all lists are dropped and those of the current query computed again.

    Parameters
    ----------
    index : Index
    feature : ExpressionSum
    memory : int
        Bytes for the lists; more only if one query needs more.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> from rankmax.retrieval.features import BM25
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"text": "flow past a wing"})], f"{folder}/index")
    >>> lists = GainLists(index, BM25(), memory=1 << 20).of(Query(index, "wing flow"))
    >>> lists.documents[lists.starts[0] : lists.ends[0]]
    array([0], dtype=int32)
    """

    def __init__(self, index: Index, feature: ExpressionSum, memory: int) -> None:
        self.feature = feature
        self._scope = Scope.of(index, feature.fields)
        self._capacity = memory // _BYTES
        self._documents = np.empty(0, np.int32)
        self._gains = np.empty(0)
        self._end = 0
        self._places: dict[Expression, _Place] = {}

    @staticmethod
    def can_hold(feature: object) -> TypeGuard[ExpressionSum]:
        """Return whether a feature is exactly its base plus the sum of its gains."""
        return (
            isinstance(feature, ExpressionSum)
            and type(feature).values is ExpressionSum.values
            and type(feature).sought is ExpressionSum.sought
        )

    def of(self, query: Query) -> AddedLists:
        """Return the lists of the feature's expressions; other terms of the query add 0."""
        expressions = self.feature.expressions(query)
        known = {expression.term for expression, _ in expressions if isinstance(expression, Term)}
        weighted = [*expressions, *((_Present(term), 0.0) for term in query.term_counts if term not in known)]
        try:
            places = [self._places[expression] for expression, _ in weighted]
        except KeyError:
            self._add(query, [expression for expression, _ in weighted])
            places = [self._places[expression] for expression, _ in weighted]
        starts = np.array([place.start for place in places], np.int64)
        ends = np.array([place.end for place in places], np.int64)
        weights = np.array([weight for _, weight in weighted])
        return AddedLists(self._documents, self._gains, starts, ends, weights, *self._base(places, weights))

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the values of some documents, the same bits as the feature's own `values`; faster for many."""
        from rankmax._kernels.text.top_documents import add_lists

        lists = self.of(query)
        sums = np.zeros(self._scope.n_documents)
        add_lists(lists.documents, lists.gains, lists.starts, lists.ends, lists.weights, sums)
        values: F64 = sums[documents]
        return values + lists.base[lists.kinds[documents]] if len(lists.base) else values

    def _base(self, places: list[_Place], weights: F64) -> tuple[F64, I32]:
        if type(self.feature).base is ExpressionSum.base:
            return _NO_BASE, _NO_KINDS
        lengths, kinds = self._distinct_lengths
        weighted = zip(places, weights.tolist(), strict=True)
        sought = [replace(place.sought, weight=weight) for place, weight in weighted if place.sought]
        return self.feature.base(lengths, sought), kinds

    @cached_property
    def _distinct_lengths(self) -> tuple[F64, I32]:
        """The distinct lengths of documents, and the index of each document's: a base depends on nothing else."""
        lengths, kinds = np.unique(self.feature.lengths(self._scope), return_inverse=True)
        return lengths.astype(np.float64), kinds.astype(np.int32)

    def _add(self, query: Query, expressions: list[Expression]) -> None:
        lists = {one: self._computed(query, one) for one in expressions if one not in self._places}
        n_postings = sum(len(one.gains) for one in lists.values())
        if self._end + n_postings > self._capacity:
            lists = {one: lists.get(one) or self._computed(query, one) for one in expressions}
            n_postings = sum(len(one.gains) for one in lists.values())
            self._places.clear()
            self._end = 0
        self._make_room(self._end + n_postings)
        for expression, one in lists.items():
            place = _Place(self._end, self._end + len(one.gains), one.sought)
            self._documents[place.start : place.end] = one.documents
            self._gains[place.start : place.end] = one.gains
            self._places[expression] = place
            self._end = place.end

    def _computed(self, query: Query, expression: Expression) -> _List:
        matches = query.matches(expression, self.feature.fields)
        if isinstance(expression, _Present) or not matches.n_documents:
            return _List(matches.documents, np.zeros(matches.n_documents), None)
        sought = Sought.of(matches, 1.0, self._scope)
        lengths = self.feature.lengths(self._scope)[matches.documents].astype(np.float64)
        gains = self.feature.gain(matches.frequencies.astype(np.float64), lengths, sought)
        if not np.isfinite(gains).all():
            raise InvalidDataError(f"{self.feature.name}: the gain of {expression} is not finite in every document")
        return _List(matches.documents, gains, sought)

    def _make_room(self, n_postings: int) -> None:
        if n_postings > len(self._gains):
            room = max(n_postings, min(2 * n_postings, self._capacity))
            self._documents = np.concatenate([self._documents[: self._end], np.empty(room - self._end, np.int32)])
            self._gains = np.concatenate([self._gains[: self._end], np.empty(room - self._end)])


_NO_BASE = np.empty(0)
_NO_KINDS = np.empty(0, np.int32)
