"""Average precision: SVM-map."""

from __future__ import annotations

from typing import ClassVar

from rankmax.learners.structural.oracles.binary import InterleavingOracle


class AveragePrecisionOracle(InterleavingOracle):
    r"""Finds the ranking that violates most the margin :math:`\Delta = 1 - AP`.

    Each document that is not relevant slides up from below all relevant ones to the place that is best for itself
    (Algorithm 2), which gives the best ranking of all (Theorem 2). Where relevant documents are missing among the
    candidates, the loss is what AP falls short of its largest possible value.

    Sorting takes n log n at worst; placing p relevant and m other documents p log m + m, not p m.

    Parameters
    ----------
    metric : AveragePrecision
        Without a cutoff.
    judgments : Judgments

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax import Judgments
    >>> from rankmax.metrics import AP
    >>> oracle = AveragePrecisionOracle(AP(), Judgments.from_grades([1, 0, 0], [0, 3]))
    >>> found = oracle.most_violated(np.array([0.7, 0.5, 0.1]))  # one other document goes above the relevant one
    >>> found.losses, found.margins
    (array([0.5]), array([ 1., -1., -0.]))

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 3.2.
    """

    kernel_loss: ClassVar[str] = "AVERAGE_PRECISION"
