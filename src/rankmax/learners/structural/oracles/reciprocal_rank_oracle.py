"""Separation oracle of the reciprocal rank."""

from __future__ import annotations

from rankmax.learners.structural.oracles.interleaving import InterleavingOracle


class ReciprocalRankOracle(InterleavingOracle):
    r"""Finds the most violated ranking for the loss :math:`\Delta = 1 - RR`, with or without a cutoff.

    Only the number of documents above the first relevant one counts. For each such number the best ranking is known,
    and all are compared in linear time after sorting.

    Parameters
    ----------
    metric : ReciprocalRank
    judgments : Judgments

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax import Judgments
    >>> from rankmax.metrics import RR
    >>> oracle = ReciprocalRankOracle(RR(), Judgments.from_grades([1, 0, 0], [0, 3]))
    >>> found = oracle.most_violated(np.array([0.7, 0.5, 0.1]))
    >>> found.losses, found.margins
    (array([0.5]), array([ 1., -1.,  0.]))

    References
    ----------
    Chakrabarti, Khanna, Sawant & Bhattacharyya 2008, Structured learning for non-smooth ranking losses, section 3.3,
    for the reciprocal rank with the feature map of Yue et al. 2007.
    """

    kind = "RECIPROCAL_RANK"
