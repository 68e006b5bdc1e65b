"""`rankmax.profile`: a metric as a function of one weight of a model."""

from __future__ import annotations

import os
from typing import Any

from rankmax._deprecation import warn_of_order
from rankmax.api.inputs import MetricLike, as_dataset, as_linear_model, as_metrics, is_model, is_model_file
from rankmax.errors import InvalidParameterError
from rankmax.workflows.weight_profile import Profile, profile_weight


def profile(data: Any, model: Any, feature: str, metric: MetricLike | None = None) -> Profile:
    """Compute a metric as a function of one weight, exactly, while the other weights stay fixed.

    Parameters
    ----------
    data : RankingDataset or path of a data file
        Queries whose documents have features and grades.
    model : LinearModel, or path of its file
        The model whose other weights stay fixed.
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
    >>> found = profile(data, LinearModel([0.5, 0.5], ("f1", "f2")), "f1", "AP")
    >>> found.best.value >= found.value
    True
    """
    if not _is_a_model(model) and _is_a_model(data):
        warn_of_order("profile", "model, data, ...", "data, model, ...")
        data, model = model, data
    loaded = as_linear_model(model)
    if metric is None and loaded.metric is None:
        raise InvalidParameterError("the model names no metric; give one")
    (chosen,) = as_metrics(loaded.metric if metric is None else metric)
    return profile_weight(loaded, as_dataset(data), feature, chosen)


def _is_a_model(given: Any) -> bool:
    """Return whether an argument is a model, a learner that has learned one, a tuning, or the file of a model."""
    if isinstance(given, str | os.PathLike):
        return is_model_file(given)
    return is_model(given) or is_model(getattr(given, "model", None))  # of a tuning
