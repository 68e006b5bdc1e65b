"""Binary relevance: graded labels cut at a threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.judgments import Judgments
from rankmax.metrics.metric import Metric
from rankmax.metrics.metric_parameters import check_number


@dataclass(frozen=True, kw_only=True)
class BinaryMetric(Metric):
    """Base of metrics that treat a document as either relevant or not.

    Parameters
    ----------
    rel : float
        Lowest grade that counts as relevant.
    """

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.symbol, "rel", self.rel, "a number, the lowest grade that is relevant")

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which grades reach the threshold; an unjudged document does not."""
        return judgments.levels >= self.rel

    def binary_gain(self, judgments: Judgments) -> F64:
        """Return gain 1 for relevant levels, 0 for the others."""
        return self.relevant_levels(judgments).astype(np.float64)
