"""A starting point for data that the user has not worked with yet: a reference and a normalization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.projects.workbench import Workbench

_MOST_QUERIES = 500  # a sample is enough to choose by, and the page waits for it
_DIFFERENT = 5.0  # times: ranges of scores beyond which a sum ignores the smaller ones
_CANDIDATES = ("none", "min-max", "z-score")


@dataclass(frozen=True, slots=True)
class Suggestions:
    """A reference and a normalization to begin with.

    Attributes
    ----------
    features : tuple of str
        All features, the best single one first.
    feature_value : float
        Mean of the metric of the best single feature.
    normalization : str
        "none", unless the ranges of the features differ so much that a sum would ignore some, and another one does
        better with equal weights.
    range_ratio : float
        Largest range of a feature divided by the smallest.
    equal_weights : dict of str to float
        Mean of the metric with equal weights, by normalization.
    """

    features: tuple[str, ...]
    feature_value: float
    normalization: str
    range_ratio: float
    equal_weights: dict[str, float]


def suggest(data: RankingDataset, metric: Metric) -> Suggestions:
    """Return suggestions for a data set, from at most 500 of its queries.

    Parameters
    ----------
    data : RankingDataset
        Data with at least one feature.
    metric : Metric

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> features = [[900.0, 0.1], [100.0, 0.3], [500.0, 0.2]] * 2
    >>> data = RankingDataset.from_arrays(features, [0, 1, 0] * 2, qid=[1] * 3 + [2] * 3, feature_names=["a", "b"])
    >>> found = suggest(data, RR())
    >>> found.features[0], found.normalization, round(found.range_ratio)
    ('b', 'min-max', 4000)
    """
    step = -(-data.n_queries // _MOST_QUERIES)
    sample = data if step == 1 else data.select(np.arange(0, data.n_queries, step))
    bench = Workbench(sample)
    names = sample.feature_names

    def mean(weights: list[float], normalization: str = "none") -> float:
        return bench.mean(LinearModel(weights, names, Normalization.named(normalization)), metric)  # type: ignore[arg-type]

    alone = [mean([float(name == other) for other in names]) for name in names]
    columns = (sample.column(j) for j in range(len(names)))
    ranges = np.array([np.ptp(column) for column in columns])
    used = ranges[ranges > 0]
    ratio = float(used.max() / used.min()) if used.size else 1.0
    equal = {kind: mean([1.0] * len(names), kind) for kind in (_CANDIDATES if ratio > _DIFFERENT else _CANDIDATES[:1])}
    return Suggestions(
        features=tuple(names[j] for j in np.argsort(-np.array(alone), kind="stable")),
        feature_value=max(alone),
        normalization=max(equal, key=equal.__getitem__),
        range_ratio=ratio,
        equal_weights=equal,
    )
