"""Binary relevance: graded labels cut at a threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, Bool
from rankmax.data.judgments import Judgments
from rankmax.metrics.base import Metric
from rankmax.metrics.parameters import check_number


@dataclass(frozen=True, kw_only=True)
class BinaryMetric(Metric):
    """Base of metrics to which a document is relevant or not.

    Parameters
    ----------
    rel : float
        Grades from this value up are relevant.
    """

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.symbol, "rel", self.rel, "a number, the lowest grade that is relevant")

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which grades reach the threshold; a document that nobody judged does not."""
        return judgments.levels >= self.rel

    def binary_gain(self, judgments: Judgments) -> F64:
        """Return gain 1 for relevant levels, 0 for the others."""
        return self.relevant_levels(judgments).astype(np.float64)
