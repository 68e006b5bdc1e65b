"""Bagging: the average of weights learned from bootstrap samples of queries, which is still one linear model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.segments import QuerySegments
from rankmax.engines.dataset import EngineDataset


def bootstrap_counts(telling: F64, rng: np.random.Generator) -> F64:
    """Draw as many queries as there are, with replacement; return how often each came.

    Parameters
    ----------
    telling : array of float64, shape (n_queries,)
        1 for queries to draw from, 0 for others. All are drawn from where there is none.
    rng : Generator

    Examples
    --------
    >>> bootstrap_counts(np.array([1.0, 0.0, 1.0, 1.0]), np.random.default_rng(1))
    array([0., 0., 2., 1.])
    """
    drawn_from = np.flatnonzero(telling) if telling.any() else np.arange(telling.size)
    drawn = rng.choice(drawn_from, drawn_from.size)
    return np.bincount(drawn, minlength=telling.size).astype(np.float64)


def average_weights(
    weights: Sequence[F64], data: RankingDataset | EngineDataset, *, shares: Sequence[float] | None = None
) -> F64:
    r"""Return the mean of weight vectors, each scaled so that its scores have the same spread.

    .. math:: \bar w = \sum_b s_b \frac{w_b}{\sigma_b}

    where :math:`\sigma_b` is the standard deviation within queries of the scores :math:`X w_b`. A positive factor
    changes no ranking, so a vector's length says nothing about how sure it is. Scaled by what the scores do, every
    vector has the same say, whatever the units of the features; the average ranks by the mean of the scaled scores.
    Vectors that give all documents of every query the same score say nothing and are left out.

    Parameters
    ----------
    weights : sequence of arrays, shape (n_features,)
    data : RankingDataset or EngineDataset
    shares : sequence of float, optional
        The say of each vector; equal when left out.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 0.0], [0.0, 2.0]], [1, 0], qid=[7, 7])
    >>> average_weights([np.array([8.0, 0.0]), np.array([0.0, 1.0])], data)
    array([1. , 0.5])
    """
    spreads = np.array([_deviation(data, w) for w in weights])
    say = np.where(spreads > 0, np.ones(len(weights)) if shares is None else shares, 0.0)
    if not say.any():
        return weights[0]
    scaled = np.array(weights) / np.where(spreads > 0, spreads, 1.0)[:, None]
    return np.average(scaled, axis=0, weights=say)


def _deviation(data: RankingDataset | EngineDataset, weights: F64) -> float:
    if isinstance(data, EngineDataset):
        return data.score_deviation(weights)
    return QuerySegments(data.query_offsets).deviation(data.scores(weights))
