"""Rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax.data.judgments import Judgments
from rankmax.metrics.base import MetricTables, TabularMetric, ranks
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.parameters import check_number
from rankmax.metrics.parse import register


@register
@dataclass(frozen=True, kw_only=True)
class RankBiasedPrecision(BinaryMetric, TabularMetric):
    r"""Rate of relevant documents seen by a user who goes on to the next rank with probability p.

    .. math:: RBP = (1 - p) \sum_{i \text{ relevant}} p^{r_i - 1}

    Parameters
    ----------
    p : float
        Persistence, from 0 up to but not including 1.
    rel : float
        Grades from this value up are relevant.
    cutoff : int, optional
    no_relevant : NoRelevant

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
        check_number(self.symbol, "p", self.p, "a number from 0 up to, not including, 1", lambda p: 0 <= p < 1)

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
