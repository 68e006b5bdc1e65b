"""`rankmax.profile`: a metric as a function of one weight of a model."""

from __future__ import annotations

from typing import Any

from rankmax.api.inputs import MetricLike, as_dataset, as_metrics, as_model
from rankmax.errors import InvalidParameterError
from rankmax.workflows.weight_profile import Profile, profile_weight


def profile(model: Any, data: Any, feature: str, metric: MetricLike | None = None) -> Profile:
    """Compute a metric as a function of one weight, exactly, while the other weights stay fixed.

    Parameters
    ----------
    model : LinearModel, or path of its file
        The model whose other weights stay fixed.
    data : RankingDataset or path of a data file
        Queries whose documents have features and grades.
    feature : str
        The feature whose weight varies.
    metric : str or Metric, optional
        The metric to compute; by default the one that the model was trained for.

    Returns
    -------
    Profile
        With the step function, and its best interval.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(20, 10, 2, seed=1).data
    >>> found = profile(LinearModel([0.5, 0.5], ("f1", "f2")), data, "f1", "AP")
    >>> found.best.value >= found.value
    True
    """
    loaded = as_model(model)
    if metric is None and loaded.metric is None:
        raise InvalidParameterError("the model names no metric; give one")
    (chosen,) = as_metrics(loaded.metric if metric is None else metric)
    return profile_weight(loaded, as_dataset(data), feature, chosen)
