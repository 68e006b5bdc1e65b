"""The protocol of features, and the sum over a query's expressions that nearly all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError
from rankmax.metrics.metric_parameters import plain
from rankmax.retrieval.features.name_spelling import put_together, spelled_value
from rankmax.retrieval.queries.query import Expression, Query, Term
from rankmax.retrieval.queries.scope import Matches, Scope


class Feature(Protocol):
    """A number for every document, given a query; any class with these two members is a feature."""

    @property
    def name(self) -> str:
        """Name of the column in a data set; unique among the features used together."""

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the values of the given documents, in their order."""


@dataclass(frozen=True)
class NamedFeature(ABC):
    """A feature whose name is made of its parameters; subclasses are frozen dataclasses.

    The name is ``symbol(parameter=value,...):field+field``: parameters that equal their defaults are left out, those
    without a default come first and without their names, and the parameter `fields`, if there is one, comes last.
    """

    symbol: ClassVar[str]
    """First part of the name: lower-case letters, digits and hyphens."""

    def __post_init__(self) -> None:
        for parameter in dataclass_fields(self):
            value = getattr(self, parameter.name)
            if parameter.name == "fields":
                value = (value,) if isinstance(value, str) else tuple(value)
                if len(set(value)) != len(value):
                    raise InvalidParameterError(f"{self.symbol}: a field is named twice: {', '.join(value)}")
            object.__setattr__(self, parameter.name, plain(value))

    @property
    def name(self) -> str:
        """Canonical name; ``parse(name) == self`` for registered classes."""
        bare, named = [], []
        for parameter in dataclass_fields(self):
            value = getattr(self, parameter.name)
            if parameter.default is MISSING:
                bare.append(spelled_value(value))
            elif parameter.name != "fields" and value != parameter.default:
                named.append(f"{parameter.name}={spelled_value(value)}")
        return put_together(self.symbol, [*bare, *named], getattr(self, "fields", ()))

    @abstractmethod
    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the values of the given documents, in their order."""


@dataclass(frozen=True, slots=True)
class Sought:
    """One expression of a query, with the statistics that a weighting may use.

    Attributes
    ----------
    matches : Matches
        Documents in which it occurs, with frequencies.
    weight : float
        Factor of its contribution; for many functions, its number of occurrences in the query.
    document_frequency, collection_frequency : int
        Number of documents that have it, df, and of its occurrences in all of them, cf.
    n_documents, n_occurrences : int
        Number of all documents, N, and of all their terms together, ``|C|``.
    average_length : float
        Mean length of a document, ``|C| / N``.
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
        """Collect the statistics of an expression."""
        return cls(
            matches,
            weight,
            matches.n_documents,
            matches.n_occurrences,
            scope.n_documents,
            scope.n_occurrences,
            scope.average_length,
        )


@dataclass(frozen=True)
class ExpressionSum(NamedFeature):
    r"""A feature that is a sum over the expressions e of a query.

    .. math:: base(D) + \sum_e weight_e \cdot gain(tf_{e,D}, |D|, \text{statistics of } e)

    `gain` is the amount that occurrences of an expression add to a document's value, so the sum runs over the
    documents that have it, and search can add up one list of documents after another.

    Parameters
    ----------
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.
    """

    fields: tuple[str, ...] = field(default=(), kw_only=True)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the expressions with their weights; by default the query's terms with their numbers."""
        return [(Term(term), float(count)) for term, count in query.term_counts.items()]

    @abstractmethod
    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return the amount that an expression adds to documents that have it.

        Parameters
        ----------
        frequencies : array
            Number of its occurrences in each document, at least 1.
        lengths : array
            Result of `lengths` for each document; by default the number of terms, at least 1.
        sought : Sought
            The expression; its weight is applied afterwards, not by the gain.
        """

    def base(self, lengths: F64, sought: Sequence[Sought]) -> F64:
        """Return the value of documents that have none of the expressions; 0 by default."""
        return np.zeros(len(lengths))

    def lengths(self, scope: Scope) -> NDArray[Any]:
        """Return the length of each document for `gain` and `base`: its number of terms by default."""
        return scope.lengths

    def sought(self, query: Query) -> list[Sought]:
        """Return the expressions that occur in any document; the others do not distinguish documents."""
        scope = query.scope(self.fields)
        found = ((query.matches(expression, self.fields), weight) for expression, weight in self.expressions(query))
        return [Sought.of(matches, weight, scope) for matches, weight in found if matches.n_documents]

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the values of the given documents, in their order."""
        lengths = self.lengths(query.scope(self.fields))[documents].astype(np.float64)
        sought = self.sought(query)
        total = np.zeros(len(lengths))
        for one in sought:
            frequencies = one.matches.frequencies_in(documents)
            here = np.flatnonzero(frequencies)
            total[here] += one.weight * self.gain(frequencies[here], lengths[here], one)
        return total + self.base(lengths, sought)
