"""A query to an index, and the expressions that match it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import I32
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.scope import Matches, Scope

MOST_SUBSETS = 247
"""Number of subsets of eight terms; longer queries have too many to use all."""


class Expression(Protocol):
    """A condition on documents: a term, a phrase, a window. Equal expressions have equal hashes."""

    def find(self, scope: Scope) -> Matches:
        """Return the documents in which it occurs."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term, as the analyzer produces it."""

    term: str

    def find(self, scope: Scope) -> Matches:
        """Return the documents in which it occurs."""
        return scope.term(self.term)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Terms that follow each other, each at most `width` positions after the one before: Indri's ``#N``."""

    terms: tuple[str, ...]
    width: int = 1

    def find(self, scope: Scope) -> Matches:
        """Return the documents in which it occurs."""
        return scope.ordered(self.terms, width=self.width)


@dataclass(frozen=True, slots=True)
class Unordered:
    """Terms within `width` positions in any order: Indri's ``#uwN``."""

    terms: tuple[str, ...]
    width: int = 8

    def find(self, scope: Scope) -> Matches:
        """Return the documents in which it occurs."""
        return scope.unordered(self.terms, width=self.width)


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of some terms, anywhere in the document; counts as one occurrence."""

    terms: tuple[str, ...]

    def find(self, scope: Scope) -> Matches:
        """Return the documents in which it occurs."""
        return _once(reduce(np.intersect1d, (scope.term(term).documents for term in self.terms)))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of some terms, anywhere in the document; counts as one occurrence."""

    terms: tuple[str, ...]

    def find(self, scope: Scope) -> Matches:
        """Return the documents in which it occurs."""
        return _once(reduce(np.union1d, (scope.term(term).documents for term in self.terms)))


def _once(documents: NDArray[Any]) -> Matches:
    return Matches(documents.astype(np.int32), np.ones(len(documents), np.int32))


def contiguous_subsets(terms: Sequence[str], most: int = MOST_SUBSETS) -> list[tuple[str, ...]]:
    """Return the contiguous subsequences of two or more terms, the shortest first, and at most `most` of them.

    Parameters
    ----------
    terms : sequence of str
    most : int, default 247
        Maximum number; the default is the number of all subsets of eight terms.

    Examples
    --------
    >>> contiguous_subsets(["past", "a", "wing"])
    [('past', 'a'), ('a', 'wing'), ('past', 'a', 'wing')]
    """
    n = len(terms)
    runs = (tuple(terms[first : first + size]) for size in range(2, n + 1) for first in range(n - size + 1))
    return list(islice(runs, most))


def subsets(terms: Sequence[str], most: int = MOST_SUBSETS) -> list[tuple[str, ...]]:
    """Return the subsets of two or more terms, in their order, and at most `most` of them.

    Small subsets come first, and among those of the same size the ones whose terms are closest together in the query.

    Parameters
    ----------
    terms : sequence of str
    most : int, default 247
        Maximum number; the default is the number of all subsets of eight terms.

    Examples
    --------
    >>> subsets(["past", "a", "wing"])
    [('past', 'a'), ('a', 'wing'), ('past', 'wing'), ('past', 'a', 'wing')]
    """
    n = len(terms)
    places = (
        (first, *inner, first + span - 1)
        for size in range(2, n + 1)
        for span in range(size, n + 1)
        for first in range(n - span + 1)
        for inner in combinations(range(first + 1, first + span - 1), size - 2)
    )
    return [tuple(terms[place] for place in chosen) for chosen in islice(places, most)]


class Query:
    """The terms of a query, and the occurrences of its expressions in an index, computed once and cached.

    Parameters
    ----------
    index : Index
    text : str
        Text of the query, analyzed by the index's analyzer.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
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
        """Return the scope of the given fields; of all fields if none are given."""
        return Scope.of(self.index, fields)

    def matches(self, expression: Expression, fields: Sequence[str] = ()) -> Matches:
        """Return the occurrences of an expression in the given fields; in all fields if none are given."""
        scope = self.scope(fields)
        key = (expression, scope.fields)
        if key not in self._matches:
            known = (self._matches.get((part, scope.fields)) for part in _parts(expression))
            empty = next((matches for matches in known if matches and not matches.n_documents), None)
            self._matches[key] = empty or expression.find(scope)
        return self._matches[key]

    def documents(self, fields: Sequence[str] = ()) -> I32:
        """Return the documents with a term of the query in the given fields, ascending; in all if none are given."""
        found = np.zeros(self.index.n_documents, np.bool_)
        for term in self.term_counts:
            found[self.matches(Term(term), fields).documents] = True
        return np.flatnonzero(found).astype(np.int32)


def _parts(expression: Expression) -> list[Expression]:
    """Return phrases or windows with one term fewer, which occur wherever the expression does."""
    if isinstance(expression, Ordered) and len(expression.terms) > 2:
        return [Ordered(terms, expression.width) for terms in (expression.terms[:-1], expression.terms[1:])]
    if isinstance(expression, Unordered) and len(expression.terms) > 2:
        fewer = combinations(expression.terms, len(expression.terms) - 1)
        return [Unordered(terms, expression.width) for terms in fewer]
    return []
