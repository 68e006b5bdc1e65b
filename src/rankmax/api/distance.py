"""`rankmax.distance`: the distance between the weights of two models."""

from __future__ import annotations

from typing import Any

from rankmax.api.inputs import as_linear_model
from rankmax.workflows.distances import ModelDistance, model_distance


def distance(first: Any, second: Any) -> ModelDistance:
    """Return the distance between two linear models' weights, and whether they rank alike.

    Parameters
    ----------
    first, second : LinearModel, or path of its file
        The models to compare; a feature that one lacks has weight 0 there.

    Returns
    -------
    ModelDistance

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> a, b = LinearModel([1.0, 2.0], ("bm25", "e5")), LinearModel([2.0, 4.0], ("bm25", "e5"))
    >>> distance(a, b).rank_equivalent
    True
    """
    return model_distance(as_linear_model(first), as_linear_model(second))
