"""Relevance judgments of the documents to be ranked, as metrics see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64, Bool, readonly
from rankmax._result_views import Block, Facts, ResultView
from rankmax.data.ids import Ids
from rankmax.errors import InvalidDataError

UNJUDGED = 0
"""Level of unjudged documents."""

_LARGEST = 1e100  # largest grade, and the inverse of the smallest


@dataclass(frozen=True, eq=False, repr=False)
class Judgments(ResultView):
    """Grades of the candidate documents of some queries, ready for the metric kernels.

    A document's *level* is the index of its grade among the distinct grades. A metric that maps grades to gains is
    therefore a table by level, whether the grades are small integers or real numbers, and "not judged" is just
    level 0, whose grade is NaN.

    Attributes
    ----------
    query_offsets : array of int64, shape (n_queries + 1,)
        The documents of query q are ``query_offsets[q]:query_offsets[q + 1]``.
    levels : array of float64, shape (n_levels,)
        Grade of each level: NaN first (not judged), then the distinct grades in ascending order.
    document_levels : array of int64, shape (n_documents,)
    query_ids : tuple of str
    document_ids : Ids or None
    unretrieved_offsets, unretrieved_levels : arrays of int64
        Judged documents that are not among the candidates, by query. They cannot be ranked, but they count for
        recall, for the ideal ranking and for the denominator of average precision.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1, 0], query_offsets=[0, 3, 4])
    >>> judgments.levels, judgments.document_levels
    (array([nan,  0.,  1.,  2.]), array([1, 3, 2, 1]))
    >>> judgments.count(judgments.levels >= 1)
    array([2, 0])
    """

    query_offsets: I64
    levels: F64
    document_levels: I64
    query_ids: tuple[str, ...]
    document_ids: Ids | None
    unretrieved_offsets: I64
    unretrieved_levels: I64

    @property
    def facts(self) -> dict[str, str]:
        """Sizes and numbers of documents by grade, in words."""
        by_level = np.bincount(self.document_levels, minlength=self.n_levels).tolist()
        facts = {"queries": f"{self.n_queries:,}", "documents": f"{self.n_documents:,}"}
        for grade, n in zip(self.levels[1:], by_level[1:], strict=True):
            if n:
                facts[f"  of grade {grade:g}"] = f"{n:,}"
        if by_level[UNJUDGED]:
            facts["  not judged"] = f"{by_level[UNJUDGED]:,}"
        if self.unretrieved_levels.size:
            facts["not retrieved"] = f"{self.unretrieved_levels.size:,} judged documents"
        return facts

    @property
    def blocks(self) -> list[Block]:
        """The facts that are shown."""
        return [Facts(self.facts)]

    @classmethod
    def from_grades(
        cls,
        grades: ArrayLike,
        query_offsets: ArrayLike,
        *,
        query_ids: Sequence[str] | None = None,
        document_ids: Ids | None = None,
        unretrieved_grades: ArrayLike = (),
        unretrieved_offsets: ArrayLike | None = None,
    ) -> Judgments:
        """Build judgments from grades in query order; NaN marks an unjudged document."""
        offsets = np.ascontiguousarray(query_offsets, np.int64)
        retrieved = np.ascontiguousarray(grades, np.float64)
        unretrieved = np.ascontiguousarray(unretrieved_grades, np.float64)
        n_queries = offsets.size - 1
        _check_offsets("query_offsets", offsets, retrieved.size)
        missing_offsets = (
            np.zeros(n_queries + 1, np.int64)
            if unretrieved_offsets is None
            else np.ascontiguousarray(unretrieved_offsets, np.int64)
        )
        _check_offsets("unretrieved_offsets", missing_offsets, unretrieved.size)
        if missing_offsets.size != offsets.size:
            raise InvalidDataError(
                f"unretrieved_offsets covers {missing_offsets.size - 1} queries, query_offsets {n_queries}"
            )
        if np.isinf(retrieved).any() or not np.isfinite(unretrieved).all():
            raise InvalidDataError("a grade is infinite; grades are finite numbers (NaN: not judged)")
        levels, codes = _levels(np.concatenate([retrieved, unretrieved]))
        sizes = np.abs(levels[1:])
        extreme = (sizes > _LARGEST) | ((sizes < 1 / _LARGEST) & (sizes > 0))
        if extreme.any():
            raise InvalidDataError(
                f"grade {levels[1:][extreme][0]:g} is out of range: apart from 0, grades are from {1 / _LARGEST:g} to "
                f"{_LARGEST:g}, as sums and quotients of others would not be numbers"
            )
        ids = tuple(map(str, range(n_queries))) if query_ids is None else tuple(query_ids)
        if len(ids) != n_queries:
            raise InvalidDataError(f"{len(ids)} query ids for {n_queries} queries")
        if document_ids is not None and len(document_ids) != retrieved.size:
            raise InvalidDataError(f"{len(document_ids)} document ids for {retrieved.size} documents")
        return cls(
            query_offsets=readonly(offsets),
            levels=readonly(levels),
            document_levels=readonly(codes[: retrieved.size].copy()),
            query_ids=ids,
            document_ids=document_ids,
            unretrieved_offsets=readonly(missing_offsets),
            unretrieved_levels=readonly(codes[retrieved.size :].copy()),
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):  # copies and unpickled data are read-only, too, for the same kernels
                readonly(value)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.query_offsets.size - 1

    @property
    def n_documents(self) -> int:
        """Number of candidate documents over all queries."""
        return self.document_levels.size

    @property
    def n_levels(self) -> int:
        """Number of levels, including "not judged"."""
        return self.levels.size

    @property
    def documents_by_query(self) -> I64:
        """Number of candidates of each query."""
        return np.diff(self.query_offsets)

    @property
    def grades(self) -> F64:
        """Grade of each candidate, NaN if unjudged."""
        return self.levels[self.document_levels]

    @cached_property
    def query_of_document(self) -> I64:
        """Index of each candidate's query."""
        return readonly(np.repeat(np.arange(self.n_queries), self.documents_by_query))

    @cached_property
    def ideal(self) -> tuple[I64, I64]:
        """Offsets by query, and levels from best to worst, of every judged document, candidate or not."""
        unretrieved_by_query = np.diff(self.unretrieved_offsets)
        query = np.concatenate([self.query_of_document, np.repeat(np.arange(self.n_queries), unretrieved_by_query)])
        level = np.concatenate([self.document_levels, self.unretrieved_levels])
        judged = level != UNJUDGED
        # One integer key sorts by query, then by descending level; its remainder is the level.
        keys = query[judged] * self.n_levels + (self.n_levels - 1 - level[judged])
        keys.sort()
        by_query = np.bincount(query[judged], minlength=self.n_queries)
        offsets = np.concatenate([[0], np.cumsum(by_query)]).astype(np.int64)
        return readonly(offsets), readonly(self.n_levels - 1 - keys % self.n_levels)

    def count(self, chosen: Bool) -> I64:
        """Count, for each query, the judged documents (candidates or not) whose level is `chosen`."""
        offsets, levels = self.ideal
        return _count_by_segment(chosen[levels], offsets)

    def count_candidates(self, chosen: Bool) -> I64:
        """Count, for each query, the candidates whose level is `chosen`."""
        return _count_by_segment(chosen[self.document_levels], self.query_offsets)

    def with_levels(self, levels: F64) -> Judgments:
        """Return the same judgments with the levels of a larger data set that these queries are part of.

        Parameters
        ----------
        levels : array of float64
            NaN, then grades in ascending order, including all grades of these queries.

        Examples
        --------
        >>> judgments = Judgments.from_grades([0, 2], [0, 2])
        >>> judgments.with_levels(np.array([np.nan, 0.0, 1.0, 2.0])).document_levels
        array([1, 3])
        """
        new = np.concatenate([[UNJUDGED], 1 + np.searchsorted(levels[1:], self.levels[1:])]).astype(np.int64)
        return replace(
            self,
            levels=readonly(np.array(levels)),
            document_levels=readonly(new[self.document_levels]),
            unretrieved_levels=readonly(new[self.unretrieved_levels]),
        )

    def select(self, queries: ArrayLike) -> Judgments:
        """Keep only the given queries (indices or a boolean mask), in the given order."""
        chosen = np.arange(self.n_queries)[np.asarray(queries)]
        documents, offsets = segments(self.query_offsets, chosen)
        unretrieved, unretrieved_offsets = segments(self.unretrieved_offsets, chosen)
        return replace(
            self,
            query_offsets=readonly(offsets),
            document_levels=readonly(self.document_levels[documents]),
            query_ids=tuple(self.query_ids[q] for q in chosen),
            document_ids=None if self.document_ids is None else self.document_ids.take(documents),
            unretrieved_offsets=readonly(unretrieved_offsets),
            unretrieved_levels=readonly(self.unretrieved_levels[unretrieved]),
        )


def segments(offsets: I64, chosen: I64) -> tuple[I64, I64]:
    """Return the positions covered by the chosen segments, in order, and their new offsets.

    Examples
    --------
    >>> segments(np.array([0, 2, 5, 6]), np.array([2, 0]))
    (array([5, 0, 1]), array([0, 1, 3]))
    """
    lengths = np.diff(offsets)[chosen]
    new_offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    positions = np.arange(new_offsets[-1]) + np.repeat(offsets[chosen] - new_offsets[:-1], lengths)
    return positions, new_offsets


def balanced_tasks(documents_by_query: I64, n_tasks: int) -> I64:
    """Divide the queries into at most `n_tasks` ranges with about the same number of documents; return the bounds.

    Examples
    --------
    >>> balanced_tasks(np.array([5, 1, 1, 1, 5]), 2)
    array([0, 3, 5])
    """
    offsets = np.concatenate([[0], np.cumsum(documents_by_query)])
    cuts = np.searchsorted(offsets, np.linspace(0, offsets[-1], n_tasks + 1)[1:-1])
    borders = np.concatenate([[0], cuts, [documents_by_query.size]]).astype(np.int64)
    return borders[np.diff(borders, prepend=-1) > 0]


def _levels(grades: F64) -> tuple[F64, I64]:
    """Return NaN followed by the distinct grades, and each grade's index among them."""
    judged = ~np.isnan(grades)
    known = grades[judged]
    small = known.astype(np.uint8) if known.size and known.min() >= 0 and known.max() < 256 else None
    if small is not None and np.array_equal(small, known):  # counting is faster than sorting
        present = np.bincount(small, minlength=256) > 0
        distinct = np.flatnonzero(present).astype(np.float64)
        codes = (np.cumsum(present) - 1)[small]
    else:
        distinct, codes = np.unique(known, return_inverse=True)
    levels = np.concatenate([[np.nan], distinct])
    level_of = np.full(grades.size, UNJUDGED, np.int64)
    level_of[judged] = codes + 1
    return levels, level_of


def _count_by_segment(flags: Bool, offsets: I64) -> I64:
    running = np.concatenate([[0], np.cumsum(flags)])
    return np.diff(running[offsets]).astype(np.int64)


def _check_offsets(name: str, offsets: I64, total: int) -> None:
    if offsets.ndim != 1 or offsets.size == 0 or offsets[0] != 0 or offsets[-1] != total:
        raise InvalidDataError(f"{name} must increase from 0 to the number of documents, {total}")
    if (np.diff(offsets) < 0).any():
        raise InvalidDataError(f"{name} must not decrease")
