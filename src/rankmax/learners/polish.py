"""Beyond the surrogate: the gains of a model's grades, chosen by the metric itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.lines.objective import LinearObjective
from rankmax.metrics.base import Metric
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.optimizers.base import Optimizer
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces import Euclidean


def polish_gains(
    model: ExpectedGainModel,
    data: RankingDataset,
    metric: Metric,
    *,
    optimizer: Optimizer | None = None,
    seed: int = 0,
) -> ExpectedGainModel:
    r"""Return the model with the gains for which the metric is highest, given the probabilities of the grades.

    The score :math:`\sum_j P(r = j \mid x) \, G_j` is linear in G, so each line through the gains is searched exactly,
    and the metric never falls. The gains that come out need not rise with the grades, and the scores are no longer an
    expectation of the gains that the metric has.

    Parameters
    ----------
    model : ExpectedGainModel
    data : RankingDataset
    metric : Metric
    optimizer : Optimizer, optional
        :class:`~rankmax.optimizers.coordinate_ascent.CoordinateAscent` when left out.
    seed : int
        Of the optimizer.

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
