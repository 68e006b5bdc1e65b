"""Unconstrained weights, of either sign."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.spaces.equivalence import cosine_distance
from rankmax.spaces.parameter_space import Line, ParameterSpace, point_and_direction
from rankmax.spaces.vectors import is_weight_vector, require_features, weight_vector


@dataclass(frozen=True)
class Euclidean(ParameterSpace):
    r"""Unconstrained weights, :math:`\mathbb{R}^d` without the zero vector.

    Features may count for a document or against it. Nothing has to be projected, and lines are unbounded.

    Examples
    --------
    >>> space = Euclidean()
    >>> space.project([3.0, -1.0])
    array([ 3., -1.])
    >>> space.line([3.0, -1.0], [1.0, 0.0]).high
    inf

    References
    ----------
    Metzler & Croft (2007), section 2.2.
    """

    name: ClassVar[str] = "euclidean"

    def contains(self, w: ArrayLike) -> bool:
        """Return whether the weights are finite and not all zero."""
        return is_weight_vector(w) and bool(np.any(w))

    def project(self, w: ArrayLike) -> F64:
        """Return the weights unchanged, or uniform ones if all are zero."""
        weights = weight_vector(w)
        return weights if weights.any() else self.start(weights.size)

    def sample(self, n_features: int, rng: np.random.Generator) -> F64:
        """Return a point drawn uniformly from the unit sphere, by normalizing normal variates."""
        require_features(n_features)
        normal = rng.standard_normal(n_features)
        return normal / np.linalg.norm(normal)

    def line(self, w: ArrayLike, direction: ArrayLike) -> Line:
        """Return the whole line."""
        _, heading = point_and_direction(w, direction)
        return Line(heading, -math.inf, math.inf)

    def distance(self, u: ArrayLike, v: ArrayLike) -> float:
        """Return the cosine distance."""
        return cosine_distance(u, v)
