"""BM25 as in Lucene and as in Okapi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import ClassVar

from rankmax._arrays import F64
from rankmax.metrics.metric_parameters import check_number
from rankmax.retrieval.features.feature import ExpressionSum, Sought
from rankmax.retrieval.queries.query import Expression, Query, Term


@dataclass(frozen=True)
class BM25(ExpressionSum):
    r"""BM25 with a nonnegative inverse document frequency.

    .. math:: \sum_{t \in Q} \frac{(k_3 + 1) \, qtf}{k_3 + qtf} \;
              \log\left(1 + \frac{N - df + 0.5}{df + 0.5}\right)
              \frac{tf}{tf + k_1 (1 - b + b |D| / \overline{|D|})}

    over the distinct terms of the query, where qtf is the number of occurrences in the query.

    Parameters
    ----------
    k1 : float, default 1.2
        Term-frequency saturation, nonnegative: the larger, the more further occurrences count; 0 counts only whether
        a term occurs.
    b : float, default 0.75
        Strength of length normalization, from 0 to 1.
    k3 : float, default inf
        Saturation of repetitions in the query, nonnegative: the larger, the more they count; infinite: in full.
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    References
    ----------
    Robertson, Walker (1994), Some simple effective approximations to the 2-Poisson model, SIGIR; the nonnegative sum is
    Lucene's, without the factor k1 + 1 that all terms share.

    Examples
    --------
    >>> BM25(k1=0.9, fields=("title",)).name
    'bm25(k1=0.9):title'
    >>> BM25(b=2)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: bm25: b=2 must be a number from 0 to 1
    """

    symbol: ClassVar[str] = "bm25"

    k1: float = 1.2
    b: float = 0.75
    k3: float = inf

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.symbol, "k1", self.k1, "a number of at least 0", lambda k1: k1 >= 0)
        check_number(self.symbol, "b", self.b, "a number from 0 to 1", lambda b: 0 <= b <= 1)
        if self.k3 != inf:
            check_number(self.symbol, "k3", self.k3, "a number of at least 0, or inf", lambda k3: k3 >= 0)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the terms, each weighted by its repetitions in the query."""
        return [(Term(term), self._query_weight(count)) for term, count in query.term_counts.items()]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return the inverse document frequency times the saturated term frequency."""
        tf = okapi_tf(frequencies, lengths, sought.average_length, self.k1, self.b)
        return self.term_weight(sought) * tf

    def term_weight(self, sought: Sought) -> float:
        """Return the inverse document frequency, log(1 + (N - df + 0.5) / (df + 0.5))."""
        return log(1 + _odds(sought))

    def _query_weight(self, count: int) -> float:
        return float(count) if self.k3 == inf else (self.k3 + 1) * count / (self.k3 + count)


@dataclass(frozen=True)
class Okapi(BM25):
    r"""BM25 as in TREC's Okapi, whose inverse document frequency is negative for terms in more than half the documents.

    .. math:: \sum_{t \in Q} \frac{(k_3 + 1) \, qtf}{k_3 + qtf} \;
              \log \frac{N - df + 0.5}{df + 0.5} \;
              \frac{(k_1 + 1) \, tf}{tf + k_1 (1 - b + b |D| / \overline{|D|})}

    over the distinct terms of the query, where qtf is the number of occurrences in the query. Defaults are Lemur's.

    Parameters
    ----------
    k1 : float, default 1.2
    b : float, default 0.75
    k3 : float, default 7
    fields : tuple of str
        As for :class:`BM25`.

    References
    ----------
    Robertson, Walker, Jones, Hancock-Beaulieu, Gatford (1994), Okapi at TREC-3; one of the functions of Yue, Finley,
    Radlinski, Joachims (2007), section 4.1.

    Examples
    --------
    >>> Okapi(k3=1000).name
    'okapi(k3=1000)'
    """

    symbol: ClassVar[str] = "okapi"

    k3: float = 7.0

    def term_weight(self, sought: Sought) -> float:
        """Return (k1 + 1) log((N - df + 0.5) / (df + 0.5))."""
        return (self.k1 + 1) * log(_odds(sought))


def okapi_tf(frequencies: F64, lengths: F64, average_length: float, k1: float, b: float) -> F64:
    r"""Return Okapi's saturated term frequencies, which are below 1 however often a term occurs.

    .. math:: \frac{tf}{tf + k_1 (1 - b + b |D| / \overline{|D|})}

    Parameters
    ----------
    frequencies, lengths : array
        Term frequency and length of each document.
    average_length : float
    k1, b : float
        As for :class:`BM25`.

    Examples
    --------
    >>> import numpy as np
    >>> okapi_tf(np.array([1.0, 3.0]), np.array([10.0, 10.0]), 10, k1=1, b=0.5)
    array([0.5 , 0.75])
    """
    return frequencies / (frequencies + k1 * (1 - b + b * lengths / average_length))


def _odds(sought: Sought) -> float:
    return (sought.n_documents - sought.document_frequency + 0.5) / (sought.document_frequency + 0.5)
