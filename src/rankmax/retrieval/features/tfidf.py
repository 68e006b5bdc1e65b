"""TF-IDF: the product of term frequency and inverse document frequency, in documents and query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

from rankmax._arrays import F64
from rankmax.metrics.metric_parameters import check_number
from rankmax.retrieval.features.bm25 import okapi_tf
from rankmax.retrieval.features.feature import ExpressionSum, Sought
from rankmax.retrieval.queries.query import Expression, Query, Term


@dataclass(frozen=True)
class TFIDF(ExpressionSum):
    r"""TF-IDF as Lemur computes it: Okapi's term frequencies, and the square of the inverse document frequency.

    .. math:: \sum_{t \in Q} \frac{qtf}{qtf + k_3} \;
              \frac{tf}{tf + k_1 (1 - b + b |D| / \overline{|D|})} \left( \log \frac{N + 1}{df + 0.5} \right)^2

    over the distinct terms of the query. The square arises because documents and query are both vectors of tf * idf,
    and this is their inner product.

    Parameters
    ----------
    k1 : float, default 1
        Term-frequency saturation, nonnegative: the larger, the more further occurrences count. All defaults are
        Lemur's.
    b : float, default 0.5
        Strength of length normalization, from 0 to 1.
    k3 : float, default 1
        Saturation of repetitions in the query, nonnegative: the larger, the more they count.
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    References
    ----------
    One of the functions of Yue, Finley, Radlinski, Joachims (2007), A support vector method for optimizing average
    precision, section 4.1; Lemur's TFIDFRetMethod.

    Examples
    --------
    >>> TFIDF(b=0.3, fields=("title",)).name
    'tfidf(b=0.3):title'
    """

    symbol: ClassVar[str] = "tfidf"

    k1: float = 1.0
    b: float = 0.5
    k3: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for parameter in ("k1", "k3"):
            check_number(
                self.symbol, parameter, getattr(self, parameter), "a number of at least 0", lambda value: value >= 0
            )
        check_number(self.symbol, "b", self.b, "a number from 0 to 1", lambda b: 0 <= b <= 1)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the terms, each weighted by its term frequency in the query."""
        return [(Term(term), count / (count + self.k3)) for term, count in query.term_counts.items()]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return tf * idf^2."""
        tf = okapi_tf(frequencies, lengths, sought.average_length, self.k1, self.b)
        return smoothed_idf(sought.n_documents, sought.document_frequency) ** 2 * tf


def smoothed_idf(n_documents: int, document_frequency: int) -> float:
    """Return log((N + 1) / (df + 0.5)), which is positive.

    Parameters
    ----------
    n_documents, document_frequency : int

    Examples
    --------
    >>> smoothed_idf(3, 1) == log(4 / 1.5)
    True
    """
    return log((n_documents + 1) / (document_frequency + 0.5))
