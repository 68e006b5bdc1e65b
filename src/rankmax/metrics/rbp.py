"""Rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax.data.judgments import Judgments
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import MetricTables, TabularMetric, ranks
from rankmax.metrics.metric_parameters import check_number


@dataclass(frozen=True, kw_only=True)
class RankBiasedPrecision(BinaryMetric, TabularMetric):
    r"""Rate of relevant documents seen by a user who continues to the next rank with probability p.

    .. math:: RBP = (1 - p) \sum_{i \text{ relevant}} p^{r_i - 1}

    Parameters
    ----------
    p : float
        Persistence, in [0, 1).
    rel : float
        Lowest grade that counts as relevant.
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> RankBiasedPrecision(p=0.5).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.625])

    References
    ----------
    Moffat & Zobel 2008, section 3.
    """

    symbol: ClassVar[str] = "RBP"
    aliases: ClassVar[tuple[str, ...]] = ("RankBiasedPrecision",)

    p: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.symbol, "p", self.p, "a number in [0, 1)", lambda p: 0 <= p < 1)

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain 1 for relevant documents, discount p^(r-1), norm 1 - p."""
        return MetricTables(
            gain=self.binary_gain(judgments),
            discount=float(self.p) ** (ranks(judgments, self.cutoff) - 1.0),
            prefix=np.ones(1),
            norm=np.full(judgments.n_queries, 1.0 - self.p),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


RBP = RankBiasedPrecision
