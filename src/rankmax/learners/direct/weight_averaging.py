"""Averages of weight vectors, for bagging and shrinkage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax._arrays import F64
from rankmax.backends.training_data import TrainingData


def average_weights(weights: Sequence[F64], data: TrainingData, *, shares: Sequence[float] | None = None) -> F64:
    r"""Return the mean of weight vectors, each scaled so that its scores have the same spread.

    .. math:: \bar w = \sum_b s_b \frac{w_b}{\sigma_b}

    where :math:`\sigma_b` is the standard deviation within queries of the scores :math:`X w_b`. A positive factor
    changes no ranking, so a vector's length says nothing about its confidence. Scaled by the spread of the scores,
    every vector has the same influence, whatever the units of the features; the average ranks by the mean of the
    scaled scores. Vectors that give all documents of every query the same score are left out.

    Parameters
    ----------
    weights : sequence of arrays, shape (n_features,)
    data : TrainingData
    shares : sequence of float, optional
        Share of each vector; equal by default.

    Examples
    --------
    >>> from rankmax.backends.training_data import LocalData
    >>> from rankmax import RankingDataset
    >>> from rankmax.preprocessing import Unchanged
    >>> data = LocalData(RankingDataset.from_arrays([[1.0, 0.0], [0.0, 2.0]], [1, 0], qid=[7, 7]), Unchanged())
    >>> average_weights([np.array([8.0, 0.0]), np.array([0.0, 1.0])], data)
    array([1. , 0.5])
    """
    spreads = np.array([data.score_deviation(w) for w in weights])
    say = np.where(spreads > 0, np.ones(len(weights)) if shares is None else shares, 0.0)
    if not say.any():
        return weights[0]
    scaled = np.array(weights) / np.where(spreads > 0, spreads, 1.0)[:, None]
    return np.average(scaled, axis=0, weights=say)
