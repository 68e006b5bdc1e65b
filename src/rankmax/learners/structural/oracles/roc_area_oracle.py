"""Separation oracle of the ROC area (SVM-roc)."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.learners.structural.oracles.interleaving import InterleavingOracle


class ROCAreaOracle(InterleavingOracle):
    r"""Finds the most violated ranking for the loss :math:`\Delta = 1 - ROC`, by sorting alone.

    Parameters
    ----------
    metric : ROCArea
    judgments : Judgments

    Examples
    --------
    >>> from rankmax import Judgments
    >>> from rankmax.metrics import ROC
    >>> oracle = ROCAreaOracle(ROC(), Judgments.from_grades([1, 0, 0], [0, 3]))
    >>> found = oracle.most_violated(np.array([0.7, 0.5, 0.1]))  # a margin of 1/2 is missed by one pair
    >>> found.losses, found.margins
    (array([0.5]), array([ 1., -1.,  0.]))

    References
    ----------
    Joachims 2005, A support vector method for multivariate performance measures, section 3.4.
    """

    kind = "ROC_AREA"

    def _shares(self, best: F64) -> F64:
        """Return 1, as the loss is the share of wrong pairs."""
        return np.ones_like(best)
