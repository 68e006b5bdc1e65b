"""`rankmax.surface`: a metric over all nonnegative weights of two or three features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankmax.api.inputs import MetricLike, as_dataset, as_metrics
from rankmax.errors import InvalidParameterError
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.surface.metric_surface import MetricSegment, MetricSurface, metric_segment, metric_surface
from rankmax.workflows.surface.proven import with_proof


def surface(
    data: Any,
    features: Sequence[str],
    metric: MetricLike = "nDCG@10",
    *,
    normalize: str | Normalization = "none",
    resolution: int = 64,
    callback: Callable[[], None] | None = None,
) -> MetricSurface | MetricSegment:
    """Measure a metric over all nonnegative weights of two or three features, along exact lines.

    Parameters
    ----------
    data : RankingDataset or path of a data file
        Queries whose documents have features and grades.
    features : sequence of str
        Names of two or three features.
    metric : str or Metric, default "nDCG@10"
        The metric to measure.
    normalize : str or Normalization, default "none"
        Normalization of the features within each query.
    resolution : int, default 64
        Number of rows of cells in the triangle of three weights.
    callback : callable, optional
        Called after each line.

    Returns
    -------
    MetricSurface or MetricSegment
        The former for three features, the latter for two.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> found = surface(planted_linear(20, 10, 2, seed=1).data, ["f1", "f2"], "AP")
    >>> found.optimum.value > 0.9
    True
    """
    if isinstance(features, str):
        raise InvalidParameterError(f"features is {features!r}; expected the names of two or three features")
    (chosen,) = as_metrics(metric)
    judged = as_dataset(data)
    if len(features) == 2:
        return metric_segment(judged, features, chosen, normalization=normalize)
    if len(features) != 3:
        raise InvalidParameterError(f"a surface is over two or three features; {len(features)} are given")
    found = metric_surface(judged, features, chosen, normalization=normalize, resolution=resolution, callback=callback)
    return with_proof(found, judged, normalization=normalize)
