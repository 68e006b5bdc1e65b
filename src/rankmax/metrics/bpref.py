"""Binary preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.judgments import Judgments
from rankmax.metrics.base import CutoffRule, RankedListMetric, reciprocal
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.parse import register


@register
@dataclass(frozen=True, kw_only=True)
class BinaryPreference(BinaryMetric, RankedListMetric):
    r"""Fraction of preferences for relevant over judged non-relevant documents that the ranking keeps.

    .. math:: bpref = \frac{1}{R} \sum_{i \text{ relevant}} \left( 1 - \frac{\min(n_i, R)}{\min(N, R)} \right)

    with R relevant and N non-relevant judged documents, and n the non-relevant ones above document i. Documents that
    nobody judged are passed over, and so, as in trec_eval, are those of a negative grade.

    Parameters
    ----------
    rel : float
        Grades from this value up are relevant, those from 0 up to it are not.
    no_relevant : NoRelevant

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
        """Return the value of each query."""
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
