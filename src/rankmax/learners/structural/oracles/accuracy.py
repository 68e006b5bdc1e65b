"""Separation oracle of accuracy (SVM-acc)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.learners.structural.oracles.separation_oracle import Separation, SeparationOracle, document_gains
from rankmax.metrics.metric import TabularMetric


class AccuracyOracle(SeparationOracle):
    r"""Finds the most violated labels for the loss that is the share of wrongly labeled documents.

    Documents are classified, not ranked: y holds +1 for relevant and -1 for other documents, and

    .. math:: \Psi(x, y) = \frac{1}{2n} \sum_d y_d \phi(x, d), \qquad
              \Delta(y, \hat y) = \frac{1}{n} |\{d : y_d \ne \hat y_d\}|

    for the n candidates of a query. Each document is then independent, and the slack is the mean hinge loss
    :math:`\frac{1}{n} \sum_d \max(0, 1 - y_d s_d)`: a classification SVM in which every query counts the same.

    Parameters
    ----------
    metric : TabularMetric
        The metric whose gains define relevance.
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> oracle = AccuracyOracle(AP(), Judgments.from_grades([1, 0], [0, 2]))
    >>> found = oracle.most_violated(np.array([0.2, -3.0]))
    >>> found.losses, found.margins
    (array([0.5]), array([ 0.5, -0. ]))

    References
    ----------
    Joachims 2005, A support vector method for multivariate performance measures, section 3.1 and Theorem 1.
    """

    has_threshold: ClassVar[bool] = True

    def __init__(self, metric: TabularMetric, judgments: Judgments) -> None:
        super().__init__(metric, judgments)
        self._labels = np.where(document_gains(metric, judgments) > 0, 1.0, -1.0)
        self._shares = np.repeat(1.0 / judgments.documents_by_query, judgments.documents_by_query)

    def most_violated(self, scores: F64) -> Separation:
        """Return the most violated labels of each query."""
        wrong = np.where(self._labels * scores < 1.0, self._shares, 0.0)
        losses = np.add.reduceat(wrong, self.judgments.query_offsets[:-1])
        return Separation(losses, self._labels * wrong)
