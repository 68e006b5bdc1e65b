"""Reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax.data.judgments import Judgments
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import MetricTables, TabularMetric, ranks


@dataclass(frozen=True, kw_only=True)
class ReciprocalRank(BinaryMetric, TabularMetric):
    r"""One over the rank of the first relevant document.

    .. math:: RR = 1 / \min_{i \text{ relevant}} r_i

    and 0 where no relevant document is ranked (down to the cutoff).

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
    >>> judgments = Judgments.from_grades([0, 1, 1], [0, 3])
    >>> ReciprocalRank().per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    Kantor & Voorhees 2000, The TREC-5 confusion track, Information Retrieval 2.
    """

    symbol: ClassVar[str] = "RR"
    aliases: ClassVar[tuple[str, ...]] = ("MRR", "ReciprocalRank", "recip_rank")

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return discount 1/r and a prefix that counts only the first relevant document."""
        return MetricTables(
            gain=self.binary_gain(judgments),
            discount=1.0 / ranks(judgments, self.cutoff),
            prefix=np.array([1.0, 0.0]),
            norm=np.ones(judgments.n_queries),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


RR = ReciprocalRank
