"""Proximity features: log-likelihoods of the phrases and windows that the query's terms form.

The term feature of the same table is :class:`~rankmax.retrieval.features.language_model.Dirichlet`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rankmax.metrics.metric_parameters import check_number
from rankmax.retrieval.features.language_model import Dirichlet
from rankmax.retrieval.queries.query import (
    MOST_SUBSETS,
    Expression,
    Ordered,
    Query,
    Unordered,
    contiguous_subsets,
    subsets,
)


def ordered_phrases(query: Query, most: int) -> list[tuple[Expression, float]]:
    """Return the phrases of a query, ``#1`` of its contiguous subsets, with their counts."""
    return _counted(Ordered(chosen) for chosen in contiguous_subsets(query.terms, most))


def unordered_windows(query: Query, width: int, per_term: bool, most: int) -> list[tuple[Expression, float]]:
    """Return the windows of a query, ``#uw`` of its subsets, with their counts."""
    return _counted(
        Unordered(chosen, width * len(chosen) if per_term else width) for chosen in subsets(query.terms, most)
    )


def check_window(symbol: str, width: int, most: int) -> None:
    """Raise unless width and number of subsets are whole numbers of at least 1."""
    for parameter, value in (("width", width), ("most", most)):
        check_number(symbol, parameter, value, "a whole number of at least 1", lambda n: n >= 1 and int(n) == n)


@dataclass(frozen=True)
class OrderedPhrases(Dirichlet):
    r"""Log-likelihood of the query's phrases: the ordered feature of Table 5.

    .. math:: \sum_{q_i, \ldots, q_{i+k}} \log \left[ (1 - \alpha_D) \frac{tf_{\#1(q_i \ldots q_{i+k}), D}}{|D|}
              + \alpha_D \frac{cf_{\#1(q_i \ldots q_{i+k})}}{|C|} \right], \qquad \alpha_D = \frac{\mu}{|D| + \mu}

    over the contiguous subsets of two or more query terms, as often as they occur in the query. A phrase that no
    document has is left out.

    Parameters
    ----------
    mu : float, default 2500
        As in :class:`~rankmax.retrieval.features.language_model.Dirichlet`.
    most : int, default 247
        Maximum number of :func:`~rankmax.retrieval.queries.query.contiguous_subsets`; all of those of 22 terms.
    fields : tuple of str
        Fields to search; phrases do not cross fields. All fields of the index if empty.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, Table 5; for alpha, Metzler (2005),
    Direct maximization of rank-based metrics, section 6.2.

    Examples
    --------
    >>> OrderedPhrases(mu=1500).name
    'ordered(mu=1500)'
    """

    symbol: ClassVar[str] = "ordered"

    most: int = MOST_SUBSETS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_window(self.symbol, 1, self.most)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the phrases."""
        return ordered_phrases(query, self.most)


@dataclass(frozen=True)
class UnorderedWindows(Dirichlet):
    r"""Log-likelihood of windows of the query's terms: the unordered feature of Table 5.

    .. math:: \sum_{q_i, \ldots, q_j} \log \left[ (1 - \alpha_D) \frac{tf_{\#uw8(q_i \ldots q_j), D}}{|D|}
              + \alpha_D \frac{cf_{\#uw8(q_i \ldots q_j)}}{|C|} \right], \qquad \alpha_D = \frac{\mu}{|D| + \mu}

    over the subsets of two or more query terms, as often as they can be chosen. Windows that no document has are left
    out.

    Parameters
    ----------
    mu : float, default 2500
        As in :class:`~rankmax.retrieval.features.language_model.Dirichlet`.
    width : int, default 8
        Number of words that a window may span.
    per_term : bool, default False
        Whether a window may span `width` words per term.
    most : int, default 247
        Maximum number of :func:`~rankmax.retrieval.queries.query.subsets`; all of those of 8 terms, all pairs of 22.
    fields : tuple of str
        Fields to search; windows do not cross fields. All fields of the index if empty.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, Table 5; for alpha, Metzler (2005),
    Direct maximization of rank-based metrics, section 6.2; for windows of 4 words per term, Metzler, Croft (2005),
    A Markov random field model for term dependencies, SIGIR.

    Examples
    --------
    >>> UnorderedWindows(width=4, per_term=True).name
    'unordered(width=4,per_term=true)'
    >>> UnorderedWindows(width=0)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: unordered: width=0 must be a whole number of at least 1
    """

    symbol: ClassVar[str] = "unordered"

    width: int = 8
    per_term: bool = False
    most: int = MOST_SUBSETS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_window(self.symbol, self.width, self.most)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the windows."""
        return unordered_windows(query, self.width, self.per_term, self.most)


def _counted(expressions: Iterable[Expression]) -> list[tuple[Expression, float]]:
    return [(expression, float(times)) for expression, times in Counter(expressions).items()]
