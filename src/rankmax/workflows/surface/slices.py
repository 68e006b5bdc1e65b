"""Slices of a metric through given weights, one per pair of features, where there are too many for one picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.step_function import StepFunction
from rankmax.metrics.metric import Metric

_NOTHING = 1e-9  # sum of two weights below which there is nothing to trade


@dataclass(frozen=True, eq=False)
class MetricSlice:
    """A metric as two features trade weight, with all other weights fixed.

    Attributes
    ----------
    features : pair of str
    function : StepFunction
        Mean of the metric for every weight of the first feature, from 0 to the sum of both; the second has the rest.
    at : float
        Given weight of the first feature.
    """

    features: tuple[str, str]
    function: StepFunction
    at: float


def metric_slices(data: RankingDataset, weights: ArrayLike, metric: Metric) -> list[MetricSlice]:
    """Return the exact slices of all pairs of features through given weights.

    Parameters
    ----------
    data : RankingDataset
        Normalized data.
    weights : array-like, shape (n_features,)
        Nonnegative weights. Two features of weight 0 have nothing to trade, and no slice.
    metric : Metric

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> slices = metric_slices(planted_linear(20, 10, 4, noise=0.5, seed=1).data, [0.1, 0.2, 0.3, 0.4], AP())
    >>> [one.features for one in slices][:3], slices[0].function.high.__round__(9)
    ([('f1', 'f2'), ('f1', 'f3'), ('f1', 'f4')], 0.3)
    """
    start = np.asarray(weights, np.float64)
    if (start < 0).any():
        raise InvalidDataError("slices need nonnegative weights")
    objective = LinearObjective(data, metric)
    names = data.feature_names
    slices = []
    for i, j in combinations(range(start.size), 2):
        own, both = float(start[i]), float(start[i] + start[j])
        if both <= _NOTHING:
            continue
        middle, along = start.copy(), np.zeros(start.size)
        middle[[i, j]], along[[i, j]] = both / 2, (1.0, -1.0)  # from the middle: low and high lie on both sides
        line = objective.step_function(objective.at(middle), along, low=-both / 2, high=both / 2)
        shifted = (line.breakpoints + both / 2).clip(0, both)
        slices.append(MetricSlice((names[i], names[j]), StepFunction(shifted, line.values, 0.0, both), own))
    return slices
