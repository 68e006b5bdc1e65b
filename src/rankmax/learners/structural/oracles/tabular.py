"""Separation oracle of average precision (SVM-map), nDCG, precision and other metrics that are sums over ranks."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.judgments import Judgments
from rankmax.learners.structural.oracles.interleaving import InterleavingOracle
from rankmax.metrics.metric import TabularMetric

_ROUNDING = 1e-12


class TabularOracle(InterleavingOracle):
    r"""Finds the most violated rankings for the loss :math:`\Delta = metric(y) - metric(\hat y)`.

    For average precision, and for any metric whose discount is convex and has no cutoff, each nonrelevant document
    moves up from below all relevant ones to its own best position (Algorithm 2), which gives the best ranking of all
    (Theorem 2). Sorting takes n log n at worst; placing p relevant and m nonrelevant documents takes p log m + m, not
    p m. With a cutoff of k, the top of the ranking is found by dynamic programming in k^2 steps.

    If relevant documents are missing among the candidates, the loss is the difference from the largest possible value
    of the metric.

    Parameters
    ----------
    metric : TabularMetric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> oracle = TabularOracle(AP(), Judgments.from_grades([1, 0, 0], [0, 3]))
    >>> found = oracle.most_violated(np.array([0.7, 0.5, 0.1]))  # one document goes above the relevant one
    >>> found.losses, found.margins
    (array([0.5]), array([ 1., -1.,  0.]))

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 3.2, for average precision. Chakrabarti, Khanna, Sawant &
    Bhattacharyya 2008, Structured learning for non-smooth ranking losses, section 3, for nDCG with the same feature
    map.
    """

    def __init__(self, metric: TabularMetric, judgments: Judgments) -> None:
        super().__init__(metric, judgments)
        whole = bool((self._splits.cutoff == self._splits.stop - self._splits.first).all())
        smooth = whole and _is_convex(self._tables.discount[1:]) and _is_straight(self._tables.prefix)
        self.kind = "DISCOUNTED" if smooth else "TOP"


def _is_convex(discount: F64) -> bool:
    """Return whether a discount is decreasing and convex."""
    falls: Bool = np.diff(discount) <= 0
    return bool(falls.all() and (np.diff(discount, 2) >= -_ROUNDING).all())


def _is_straight(prefix: F64) -> bool:
    return bool((np.abs(np.diff(prefix, 2)) <= _ROUNDING).all())
