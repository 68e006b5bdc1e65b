"""Dependence models of Markov random fields: query likelihood of terms, phrases and windows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from rankmax.errors import InvalidParameterError
from rankmax.metrics.metric_parameters import check_number
from rankmax.retrieval.features.language_model import Dirichlet
from rankmax.retrieval.queries.query import (
    Expression,
    Ordered,
    Query,
    Term,
    Unordered,
    contiguous_subsets,
    subsets,
)


@dataclass(frozen=True)
class _Dependence(Dirichlet):
    terms: float = 0.85
    ordered: float = 0.1
    unordered: float = 0.05
    width: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        for parameter in ("terms", "ordered", "unordered"):
            check_number(
                self.symbol, parameter, getattr(self, parameter), "a number of at least 0", lambda value: value >= 0
            )
        if not isinstance(self.width, int) or self.width < 1:
            raise InvalidParameterError(f"{self.symbol}: width={self.width} must be a whole number of at least 1")

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the terms, phrases and windows with a nonzero weight."""
        weighted: list[tuple[Expression, float]] = [
            *((Term(term), self.terms) for term in query.terms),
            *((Ordered(terms), self.ordered) for terms in self.phrases(query)),
            *((Unordered(terms, self.width * len(terms)), self.unordered) for terms in self.windows(query)),
        ]
        total: dict[Expression, float] = {}
        for expression, weight in weighted:
            total[expression] = total.get(expression, 0.0) + weight
        return [(expression, weight) for expression, weight in total.items() if weight]

    @abstractmethod
    def phrases(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Return the sequences of terms to match as phrases."""

    @abstractmethod
    def windows(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Return the sets of terms to match in windows."""


@dataclass(frozen=True)
class SequentialDependence(_Dependence):
    r"""The sequential dependence model: adjacent terms of the query depend on each other.

    .. math:: \lambda_T \sum_{t} f(t) + \lambda_O \sum_{s t} f(\#1(s\,t)) + \lambda_U \sum_{s t} f(\#uw8(s\,t)),
              \quad f(e) = \log \frac{tf_e + \mu \, cf_e / |C|}{|D| + \mu}

    over the query's terms t and its pairs of adjacent terms s t. Expressions that no document has are left out. These
    are sums, as in the paper; Indri's ``#combine`` takes means.

    Parameters
    ----------
    mu : float, default 2500
        As for :class:`~rankmax.retrieval.features.language_model.Dirichlet`.
    terms, ordered, unordered : float, default 0.85, 0.10 and 0.05
        Nonnegative weights.
    width : int, default 4
        Number of positions of a window per term: 8 for a pair.
    fields : tuple of str
        Fields to read as one text, though windows do not cross fields; all fields of the index if empty.

    References
    ----------
    Metzler, Croft (2005), A Markov random field model for term dependencies, SIGIR, section 2.

    Examples
    --------
    >>> SequentialDependence(mu=1500, fields=("body",)).name
    'sdm(mu=1500):body'
    """

    symbol: ClassVar[str] = "sdm"

    def phrases(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Return the pairs of adjacent terms."""
        return pairwise(query.terms)

    def windows(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Return the pairs of adjacent terms."""
        return pairwise(query.terms)


@dataclass(frozen=True)
class FullDependence(_Dependence):
    r"""The full dependence model: all terms of the query depend on each other.

    .. math:: \lambda_T \sum_{t} f(t) + \lambda_O \sum_{S} f(\#1(S)) + \lambda_U \sum_{U} f(\#uw{4|U|}(U)),
              \quad f(e) = \log \frac{tf_e + \mu \, cf_e / |C|}{|D| + \mu}

    over the query's terms t, its runs S of two or more terms and its subsets U of two or more terms. Of the runs, and
    of the subsets, no more than 247 are used, small ones first, then those whose terms are closest together in the
    query: all of them up to eight terms. Expressions that no document has are left out. These are sums, as in the
    paper; Indri's ``#combine`` takes means.

    Parameters
    ----------
    mu : float, default 2500
        As for :class:`~rankmax.retrieval.features.language_model.Dirichlet`.
    terms, ordered, unordered : float, default 0.85, 0.10 and 0.05
        Nonnegative weights.
    width : int, default 4
        Number of positions of a window per term.
    fields : tuple of str
        Fields to read as one text, though windows do not cross fields; all fields of the index if empty.

    References
    ----------
    Metzler, Croft (2005), A Markov random field model for term dependencies, SIGIR, section 2.

    Examples
    --------
    >>> FullDependence(unordered=0.1).name
    'fdm(unordered=0.1)'
    """

    symbol: ClassVar[str] = "fdm"

    def phrases(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Return the runs of terms."""
        return contiguous_subsets(query.terms)

    def windows(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Return the subsets of terms."""
        return subsets(query.terms)
