"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax.data.judgments import Judgments
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import MetricTables, TabularMetric, ranks, reciprocal


@dataclass(frozen=True, kw_only=True)
class AveragePrecision(BinaryMetric, TabularMetric):
    r"""Mean of the precisions at the ranks of the relevant documents.

    .. math:: AP = \frac{1}{R} \sum_{i \text{ relevant}} \frac{c_i + 1}{r_i}

    where R is the number of relevant documents, retrieved or not.

    Parameters
    ----------
    rel : float
        Lowest grade that counts as relevant.
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> AveragePrecision().per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.83333333])

    References
    ----------
    Morgan, Greiff & Henderson 2004, section 2.
    """

    symbol: ClassVar[str] = "AP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP", "AveragePrecision")

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain 1 for relevant documents, discount 1/r, prefix c + 1, norm 1/R."""
        n_relevant = judgments.count(self.relevant_levels(judgments))
        return MetricTables(
            gain=self.binary_gain(judgments),
            discount=1.0 / ranks(judgments, self.cutoff),
            prefix=np.arange(1.0, n_relevant.max(initial=0) + 2),
            norm=reciprocal(n_relevant),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


AP = AveragePrecision
