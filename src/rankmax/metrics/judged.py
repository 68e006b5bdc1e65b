"""The judged fraction of a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import Bool
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.metrics.metric import MetricTables, TabularMetric, ranks, reciprocal


@dataclass(frozen=True, kw_only=True)
class JudgedRate(TabularMetric):
    r"""Fraction of the first k ranked documents that are judged.

    .. math:: Judged@k = \frac{|\{i \text{ judged}: r_i \le k\}|}{\min(k, n)}

    where n is the length of the list, as in ir-measures. Any grade counts as judged, including negative ones. For this
    metric `no_relevant` applies to queries without a judged document.

    Parameters
    ----------
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without judged documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, np.nan, 1], [0, 3])
    >>> (JudgedRate @ 2).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    ir-measures' Judged.
    """

    symbol: ClassVar[str] = "Judged"
    aliases: ClassVar[tuple[str, ...]] = ("JudgedRate",)

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels are judged: all but the first."""
        judged: Bool = np.arange(judgments.n_levels) != UNJUDGED
        return judged

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain 1 for judged documents, discount 1, norm 1/min(k, n)."""
        return MetricTables(
            gain=self.relevant_levels(judgments).astype(np.float64),
            discount=np.ones_like(ranks(judgments, self.cutoff)),
            prefix=np.ones(1),
            norm=reciprocal(self.cutoffs(judgments)),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


Judged = JudgedRate
