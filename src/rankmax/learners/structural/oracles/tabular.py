"""Average precision (SVM-map), nDCG, precision, and every other metric that is a sum over ranks."""

from __future__ import annotations

import numpy as np

from rankmax.arrays import F64, Bool
from rankmax.data.judgments import Judgments
from rankmax.learners.structural.oracles.interleaving import InterleavingOracle
from rankmax.metrics.base import TabularMetric

_ROUNDING = 1e-12


class TabularOracle(InterleavingOracle):
    r"""Finds the rankings that violate most the margin :math:`\Delta = metric(y) - metric(\hat y)`.

    For average precision, and for any metric whose discount is convex and has no cutoff, each document that is not
    relevant slides up from below all relevant ones to the place that is best for itself (Algorithm 2), which gives the
    best ranking of all (Theorem 2). Sorting takes n log n at worst; placing p relevant and m other documents
    p log m + m, not p m. With a cutoff of k, the top of the ranking is found by dynamic programming in k^2 steps.

    Where relevant documents are missing among the candidates, the loss is what the metric falls short of its largest
    possible value.

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
        whole = bool((self._splits[:, 4] == self._splits[:, 2] - self._splits[:, 1]).all())
        smooth = whole and _is_convex(self._discount[1:]) and _is_straight(self._prefix)
        self.kind = "DISCOUNTED" if smooth else "TOP"


def _is_convex(discount: F64) -> bool:
    """Return whether a discount falls, and ever less steeply."""
    falls: Bool = np.diff(discount) <= 0
    return bool(falls.all() and (np.diff(discount, 2) >= -_ROUNDING).all())


def _is_straight(prefix: F64) -> bool:
    return bool((np.abs(np.diff(prefix, 2)) <= _ROUNDING).all())
