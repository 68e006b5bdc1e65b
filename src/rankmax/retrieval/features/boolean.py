"""Boolean matching, coordination level, and number of occurrences of the query's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import UnknownNameError
from rankmax.retrieval.features.feature import ExpressionSum, Sought
from rankmax.retrieval.queries.query import AllOf, AnyOf, Expression, Query, Term

Match = Literal["all", "any"]


@dataclass(frozen=True)
class Boolean(ExpressionSum):
    """1 for a document with all terms of the query (or any of them), otherwise 0.

    With `match` "all", a term that no document has makes it 0 for every document.

    Parameters
    ----------
    match : "all" or "any", default "all"
        Boolean AND, or boolean OR.
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    Examples
    --------
    >>> Boolean().name, Boolean(match="any").name
    ('boolean', 'boolean(match=any)')
    """

    symbol: ClassVar[str] = "boolean"

    match: Match = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.match not in get_args(Match):
            raise UnknownNameError("value of match:", str(self.match), get_args(Match))

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the single expression that joins all terms."""
        joined = AllOf if self.match == "all" else AnyOf
        return [(joined(tuple(query.term_counts)), 1.0)] if query.terms else []

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return 1."""
        return np.ones(len(frequencies))


@dataclass(frozen=True)
class Coordination(ExpressionSum):
    """The number of distinct terms of the query that a document has: the coordination level.

    Parameters
    ----------
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    Examples
    --------
    >>> Coordination(fields=("title",)).name
    'coordination:title'
    """

    symbol: ClassVar[str] = "coordination"

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the distinct terms."""
        return [(Term(term), 1.0) for term in query.term_counts]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return 1."""
        return np.ones(len(frequencies))


@dataclass(frozen=True)
class Occurrences(ExpressionSum):
    """The number of occurrences of the query's terms in a document.

    Parameters
    ----------
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    Examples
    --------
    >>> Occurrences().name
    'occurrences'
    """

    symbol: ClassVar[str] = "occurrences"

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the distinct terms."""
        return [(Term(term), 1.0) for term in query.term_counts]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return tf."""
        return frequencies
