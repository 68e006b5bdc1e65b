"""Binary preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import Judgments
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import CutoffRule, RankedListMetric, reciprocal


@dataclass(frozen=True, kw_only=True)
class BinaryPreference(BinaryMetric, RankedListMetric):
    r"""Fraction of preferences for relevant over judged non-relevant documents that the ranking keeps.

    .. math:: bpref = \frac{1}{R} \sum_{i \text{ relevant}} \left( 1 - \frac{\min(n_i, R)}{\min(N, R)} \right)

    where R documents are judged relevant, N are judged non-relevant, and n counts the non-relevant ones ranked above
    document i. Unjudged documents are ignored, and so, as in trec_eval, are those with a negative grade.

    Parameters
    ----------
    rel : float
        Lowest grade that counts as relevant; nonnegative grades below it count as non-relevant.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, np.nan, 1, 0, 1], [0, 5])
    >>> BinaryPreference().per_query(np.array([5.0, 4.0, 3.0, 2.0, 1.0]), judgments)
    array([0.25])

    References
    ----------
    Buckley & Voorhees 2004, as corrected in trec_eval's measure bpref.
    """

    symbol: ClassVar[str] = "Bpref"
    aliases: ClassVar[tuple[str, ...]] = ("BinaryPreference",)
    cutoff_rule: ClassVar[CutoffRule] = "never"

    def value_of_ranking(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the value for each query."""
        relevant = self.relevant_levels(judgments)
        non_relevant = (judgments.levels >= 0) & ~relevant
        n_relevant = judgments.count(relevant)
        n_compared = np.minimum(judgments.count(non_relevant), n_relevant)

        found = np.flatnonzero(relevant[ranked_levels])
        query = judgments.query_of_document[found]
        passed = np.concatenate([[0], np.cumsum(non_relevant[ranked_levels])])
        above = passed[found] - passed[judgments.query_offsets[query]]
        lost = np.minimum(above, n_relevant[query]) * reciprocal(n_compared)[query]
        return np.bincount(query, weights=1.0 - lost, minlength=judgments.n_queries) * reciprocal(n_relevant)


Bpref = BinaryPreference
