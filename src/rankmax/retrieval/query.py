"""A query put to an index, and the expressions that its text is matched by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np

from rankmax.arrays import I32
from rankmax.retrieval.index import Index
from rankmax.retrieval.scope import Matches, Scope


class Expression(Protocol):
    """What a document may contain: a term, a phrase, a window. Equal expressions hash alike."""

    def find(self, scope: Scope) -> Matches:
        """Return where it occurs."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term, as the analyzer gives it."""

    term: str

    def find(self, scope: Scope) -> Matches:
        """Return where it occurs."""
        return scope.term(self.term)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Terms that follow each other, each at most `width` positions after the one before: Indri's ``#N``."""

    terms: tuple[str, ...]
    width: int = 1

    def find(self, scope: Scope) -> Matches:
        """Return where it occurs."""
        return scope.ordered(self.terms, width=self.width)


@dataclass(frozen=True, slots=True)
class Unordered:
    """Terms within `width` positions in any order: Indri's ``#uwN``."""

    terms: tuple[str, ...]
    width: int = 8

    def find(self, scope: Scope) -> Matches:
        """Return where it occurs."""
        return scope.unordered(self.terms, width=self.width)


class Query:
    """The terms of a query, and where they and their windows occur in an index; found once, then remembered.

    Parameters
    ----------
    index : Index
    text : str
        Treated by the index's own analyzer.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval.builder import build_index
    >>> from rankmax.retrieval.documents import Document
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"text": "flow past a wing"})], f"{folder}/index")
    >>> query = Query(index, "Wing flow, wing")
    >>> query.terms, query.term_counts
    (('wing', 'flow', 'wing'), {'wing': 2, 'flow': 1})
    >>> query.matches(Term("wing"), ("text",)).n_documents
    1
    """

    def __init__(self, index: Index, text: str) -> None:
        self.index = index
        self.terms = tuple(index.analyzer.analyze(text))
        self.term_counts: dict[str, int] = dict(Counter(self.terms))
        self._matches: dict[tuple[Expression, tuple[str, ...]], Matches] = {}

    def scope(self, fields: Sequence[str] = ()) -> Scope:
        """Return the part of the documents that some fields are; none stand for all."""
        return Scope.of(self.index, fields)

    def matches(self, expression: Expression, fields: Sequence[str] = ()) -> Matches:
        """Return where an expression occurs in some fields; none stand for all."""
        scope = self.scope(fields)
        key = (expression, scope.fields)
        if key not in self._matches:
            self._matches[key] = expression.find(scope)
        return self._matches[key]

    def documents(self, fields: Sequence[str] = ()) -> I32:
        """Return the documents with a term of the query in some fields, ascending; none stand for all."""
        found = [self.matches(Term(term), fields).documents for term in self.term_counts]
        return reduce(np.union1d, found, np.zeros(0, np.int32)).astype(np.int32)
