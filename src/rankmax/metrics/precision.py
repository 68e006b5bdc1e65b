"""Metrics that count relevant documents in the top ranks: precision, recall, success, R-precision."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import Judgments
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import CutoffRule, MetricTables, TabularMetric, ranks, reciprocal


@dataclass(frozen=True, kw_only=True)
class _RelevantCount(BinaryMetric, TabularMetric):
    """Number of relevant documents down to the cutoff, times a norm."""

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain 1 for relevant documents, discount 1 and the metric's norm."""
        return MetricTables(
            gain=self.binary_gain(judgments),
            discount=np.ones_like(ranks(judgments, self.cutoff)),
            prefix=np.ones(1),
            norm=self.norm_by_query(judgments),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )

    @abstractmethod
    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return the factor applied to each query's count."""


@dataclass(frozen=True, kw_only=True)
class Precision(_RelevantCount):
    r"""Fraction of the first k ranks that hold a relevant document.

    .. math:: P@k = \frac{1}{k} \, |\{i \text{ relevant}: r_i \le k\}|

    Ranks missing from a list shorter than k count as non-relevant, as in trec_eval.

    Parameters
    ----------
    cutoff : int
        Number of ranks k, required.
    rel : float
        Lowest grade that counts as relevant.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> (Precision @ 2).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    Van Rijsbergen 1979, Information Retrieval, chapter 7.
    """

    symbol: ClassVar[str] = "P"
    aliases: ClassVar[tuple[str, ...]] = ("Precision", "Prec")
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return 1/k."""
        return reciprocal(np.full(judgments.n_queries, self.cutoff or 0))


@dataclass(frozen=True, kw_only=True)
class Recall(_RelevantCount):
    r"""Fraction of the relevant documents that are in the first k ranks.

    .. math:: R@k = \frac{1}{R} \, |\{i \text{ relevant}: r_i \le k\}|

    where R is the number of relevant documents, retrieved or not.

    Parameters
    ----------
    cutoff : int
        Number of ranks k, required.
    rel : float
        Lowest grade that counts as relevant.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> (Recall @ 1).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    Van Rijsbergen 1979, Information Retrieval, chapter 7.
    """

    symbol: ClassVar[str] = "R"
    aliases: ClassVar[tuple[str, ...]] = ("Recall",)
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return 1/R."""
        return reciprocal(judgments.count(self.relevant_levels(judgments)))


@dataclass(frozen=True, kw_only=True)
class RPrecision(_RelevantCount):
    r"""Precision at rank R, the number of relevant documents.

    .. math:: Rprec = \frac{1}{R} \, |\{i \text{ relevant}: r_i \le R\}|

    Parameters
    ----------
    rel : float
        Lowest grade that counts as relevant.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> RPrecision().per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    Buckley & Voorhees 2005, Retrieval system evaluation, section 3.2.
    """

    symbol: ClassVar[str] = "Rprec"
    aliases: ClassVar[tuple[str, ...]] = ("RPrecision", "R_precision")
    cutoff_rule: ClassVar[CutoffRule] = "never"

    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return 1/R."""
        return reciprocal(judgments.count(self.relevant_levels(judgments)))

    def cutoffs(self, judgments: Judgments) -> I64:
        """Return R, or the length of the list where it is shorter."""
        return np.minimum(super().cutoffs(judgments), judgments.count(self.relevant_levels(judgments)))


@dataclass(frozen=True, kw_only=True)
class Success(BinaryMetric, TabularMetric):
    r"""Whether the first k ranks hold a relevant document: 1 or 0.

    Parameters
    ----------
    cutoff : int
        Number of ranks k, required.
    rel : float
        Lowest grade that counts as relevant.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 1, 1], [0, 3])
    >>> scores = np.array([3.0, 2.0, 1.0])
    >>> (Success @ 1).per_query(scores, judgments), (Success @ 2).per_query(scores, judgments)
    (array([0.]), array([1.]))

    References
    ----------
    trec_eval's measure success; also called hit rate, and sometimes recall at k.
    """

    symbol: ClassVar[str] = "Success"
    aliases: ClassVar[tuple[str, ...]] = ("HitRate", "Hit")
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain 1 for relevant documents and a prefix that counts only the first of them."""
        return MetricTables(
            gain=self.binary_gain(judgments),
            discount=np.ones_like(ranks(judgments, self.cutoff)),
            prefix=np.array([1.0, 0.0]),
            norm=np.ones(judgments.n_queries),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


P = Precision
R = Recall
Rprec = RPrecision
