"""Area under the receiver operating characteristic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import Bool
from rankmax.data.judgments import Judgments
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import CutoffRule, MetricTables, TabularMetric, ranks, reciprocal


@dataclass(frozen=True, kw_only=True)
class ROCArea(BinaryMetric, TabularMetric):
    r"""Probability that a relevant candidate is ranked above a non-relevant one.

    With R relevant candidates and N others, a relevant document at rank r with c relevant ones above it has
    r - 1 - c others above it, so

    .. math:: ROC = 1 - \frac{1}{R N} \left( \sum_{i \text{ relevant}} r_i - \frac{R (R + 1)}{2} \right).

    Only candidates count, not judged documents that were not retrieved; unjudged candidates count as non-relevant.
    If all candidates are relevant, no pair can be wrong, and the area is 1.

    Parameters
    ----------
    rel : float
        Lowest grade that counts as relevant.
    no_relevant : NoRelevant
        Applies to queries without a relevant candidate.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> ROCArea().per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    Hanley & McNeil 1982, Radiology 143, section "Meaning of the area"; ir-measures' Accuracy.
    """

    symbol: ClassVar[str] = "ROC"
    aliases: ClassVar[tuple[str, ...]] = ("ROCArea", "AUC", "Accuracy")
    cutoff_rule: ClassVar[CutoffRule] = "never"

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, for each query, whether any candidate is relevant."""
        return judgments.count_candidates(self.relevant_levels(judgments)) > 0

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain 1 for relevant documents, discount r, norm -1/RN, offset 1 + (R + 1)/2N."""
        n_relevant = judgments.count_candidates(self.relevant_levels(judgments))
        n_others = judgments.documents_by_query - n_relevant
        return MetricTables(
            gain=self.binary_gain(judgments),
            discount=ranks(judgments, None),
            prefix=np.ones(1),
            norm=-reciprocal(n_relevant * n_others),
            offset=1.0 + (n_relevant + 1) / 2 * reciprocal(n_others),
            cutoff=self.cutoffs(judgments),
        )


ROC = ROCArea
