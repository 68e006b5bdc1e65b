"""The protocol of features, and the shape that nearly all of them share: a sum over what the query looks for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import F64
from rankmax.retrieval.query import Expression, Query, Term
from rankmax.retrieval.scope import Matches, Scope


class Feature(Protocol):
    """A number for every document, given a query. A class with these two is all that a new feature needs."""

    @property
    def name(self) -> str:
        """Unique among the features used together; what the column of a data set is called."""

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the feature of some documents, given by their numbers, in their order."""


@dataclass(frozen=True, slots=True)
class Sought:
    """One expression of a query, with the statistics that a weighting may use.

    Attributes
    ----------
    matches : Matches
        Where it occurs.
    weight : float
        What its contribution is multiplied with: times in the query, for many functions.
    document_frequency, collection_frequency : int
        Documents that have it, df, and occurrences in all of them, cf.
    n_documents, n_occurrences : int
        Documents, N, and terms of all of them together, |C|, whatever they contain.
    average_length : float
        |C| / N.
    """

    matches: Matches
    weight: float
    document_frequency: int
    collection_frequency: int
    n_documents: int
    n_occurrences: int
    average_length: float

    @classmethod
    def of(cls, matches: Matches, weight: float, scope: Scope) -> Sought:
        """Gather the statistics."""
        return cls(
            matches,
            weight,
            matches.n_documents,
            matches.n_occurrences,
            scope.n_documents,
            scope.n_occurrences,
            scope.average_length,
        )


class ExpressionSum(ABC):
    """A feature of the form  base(D) + sum over expressions e of weight_e * gain(tf_{e,D}, |D|, statistics of e).

    `gain` is what occurrences of an expression add to a document's value over having none, so the sum runs over the
    documents that have it, and search can add up one list of documents after the other.
    """

    fields: tuple[str, ...]

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return what is looked for, with its weight; the query's terms with their number by default."""
        return [(Term(term), float(count)) for term, count in query.term_counts.items()]

    @abstractmethod
    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return what an expression adds to documents that have it.

        Parameters
        ----------
        frequencies : array
            Its occurrences in each document, at least 1.
        lengths : array
            Terms of each document, at least 1.
        sought : Sought
        """

    def base(self, lengths: F64, sought: Sequence[Sought]) -> F64:
        """Return the value of documents that have nothing of what is looked for; 0 by default."""
        return np.zeros(len(lengths))

    def sought(self, query: Query) -> list[Sought]:
        """Return what is looked for and occurs anywhere; the rest tells documents nothing apart."""
        scope = query.scope(self.fields)
        found = ((query.matches(expression, self.fields), weight) for expression, weight in self.expressions(query))
        return [Sought.of(matches, weight, scope) for matches, weight in found if matches.n_documents]

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the feature of some documents, given by their numbers, in their order."""
        lengths = query.scope(self.fields).lengths[documents].astype(np.float64)
        sought = self.sought(query)
        total = self.base(lengths, sought)
        for one in sought:
            frequencies = one.matches.frequencies_in(documents)
            here = np.flatnonzero(frequencies)
            total[here] += one.weight * self.gain(frequencies[here], lengths[here], one)
        return total
