"""ROC area: SVM-roc."""

from __future__ import annotations

from typing import ClassVar

from rankmax.learners.structural.oracles.binary import InterleavingOracle


class ROCAreaOracle(InterleavingOracle):
    r"""Finds the ranking that violates most the margin :math:`\Delta = 1 - ROC`, by sorting alone.

    Parameters
    ----------
    metric : ROCArea
    judgments : Judgments

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax import Judgments
    >>> from rankmax.metrics import ROC
    >>> oracle = ROCAreaOracle(ROC(), Judgments.from_grades([1, 0, 0], [0, 3]))
    >>> found = oracle.most_violated(np.array([0.7, 0.5, 0.1]))  # a margin of 1/2 is missed by one pair
    >>> found.losses, found.margins
    (array([0.5]), array([ 1., -1., -0.]))

    References
    ----------
    Joachims 2005, A support vector method for multivariate performance measures, section 3.4.
    """

    kernel_loss: ClassVar[str] = "ROC_AREA"
