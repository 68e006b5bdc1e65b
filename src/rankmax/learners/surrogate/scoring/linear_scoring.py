"""The linear scoring function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization


@dataclass(frozen=True, kw_only=True)
class LinearScore(ScoringFunction):
    """The weighted sum of the features, w^T x.

    Parameters
    ----------
    intercept : bool
        Whether an intercept is fitted. It changes no ranking and is not kept, but losses that compare scores with
        gains, rather than with each other, lead to other weights without it.

    Examples
    --------
    >>> LinearScore().combine(np.array([[1.0, 2.0]]))
    (array([1., 2.]), array([[1., 1.]]))
    """

    def n_outputs(self) -> int:
        """Return 1."""
        return 1

    def combine(self, outputs: F64) -> tuple[F64, F64]:
        """Return the single output unchanged, and ones as its derivatives."""
        return outputs[0], np.ones_like(outputs)

    def start(self, linear: F64) -> F64:
        """Return the linear function itself."""
        return linear[None]

    def model(
        self,
        weights: F64,
        intercepts: F64,
        feature_names: tuple[str, ...],
        normalization: Normalization,
        metric: str,
    ) -> LinearModel:
        """Return a linear model."""
        return LinearModel(weights[0], feature_names, normalization, metric)
