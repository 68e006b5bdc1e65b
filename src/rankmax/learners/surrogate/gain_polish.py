"""Gains of a model's grades that maximize the metric itself, after a surrogate was minimized."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.metric import Metric
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Optimizer
from rankmax.spaces import Euclidean


def polish_gains(
    model: ExpectedGainModel,
    data: RankingDataset,
    metric: Metric,
    *,
    optimizer: Optimizer | None = None,
    seed: int = 0,
) -> ExpectedGainModel:
    r"""Return the model with the gains that maximize the metric, given the probabilities of the grades.

    The score :math:`\sum_j P(r = j \mid x) \, G_j` is linear in G, so each line through the gains is searched exactly,
    and the metric never decreases. The resulting gains need not increase with the grades, and the scores are no longer
    expectations of the metric's gains.

    Parameters
    ----------
    model : ExpectedGainModel
    data : RankingDataset
    metric : Metric
    optimizer : Optimizer, optional
        :class:`~rankmax.optimizers.coordinate_ascent.CoordinateAscent` when left out.
    seed : int
        Random seed of the optimizer.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> X = [[0.5], [3.0], [0.4], [-2.0]]
    >>> data = RankingDataset.from_arrays(X, [1, 0, 1, 0], qid=[7, 7, 8, 8], feature_names=["bm25"])
    >>> model = ExpectedGainModel([0, 1, 2], [0, 1, 3], [[-2.0], [0.0], [1.0]], [0.0, 0.5, -0.5], ("bm25",))
    >>> RR().per_query(model.scores(data), data.judgments)
    array([0.5, 1. ])
    >>> polished = polish_gains(model, data, RR())
    >>> RR().per_query(polished.scores(data), data.judgments)
    array([1., 1.])
    """
    objective = LinearObjective(model.grade_features(data), metric)
    ascent = (optimizer or CoordinateAscent()).maximize(
        objective, Euclidean(), start=model.gains, rng=np.random.default_rng(seed)
    )
    return replace(model, gains=ascent.weights)
