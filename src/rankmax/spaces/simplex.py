"""Nonnegative weights that add up to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.spaces.equivalence import canonical, geodesic_distance
from rankmax.spaces.parameter_space import Line, ParameterSpace, point_and_direction
from rankmax.spaces.vectors import is_weight_vector, refuse_negative, require_features, weight_vector

_ROUNDING = 1e-9  # tolerance of the sum of weights


@dataclass(frozen=True)
class Simplex(ParameterSpace):
    r"""The nonnegative simplex, or multinomial manifold.

    .. math:: \mathbb{P}^{d-1} = \{\theta \in \mathbb{R}^d : \theta_j \ge 0, \sum_j \theta_j = 1\}

    Every nonnegative weight vector but zero has one positive multiple on the simplex, so searching the simplex is
    searching all nonnegative weights, with each ranking function once.

    Examples
    --------
    >>> space = Simplex()
    >>> space.project([1.0, 3.0]), space.project([1.0, 3.0, -2.0])
    (array([0.25, 0.75]), array([0.25, 0.75, 0.  ]))

    References
    ----------
    Metzler & Croft (2007), section 2.2.1.
    """

    name: ClassVar[str] = "simplex"

    def contains(self, w: ArrayLike) -> bool:
        """Return whether all weights are nonnegative and their sum is 1."""
        if not is_weight_vector(w) or np.min(w) < 0 or np.max(w) > 2:  # the sum of larger weights may overflow
            return False
        return bool(abs(np.sum(w) - 1) <= _ROUNDING)

    def project(self, w: ArrayLike) -> F64:
        r"""Return the weights with negative ones set to 0, scaled to the sum 1.

        .. math:: \theta_i = \max(\lambda_i, 0) / \sum_j \max(\lambda_j, 0)

        Nonnegative weights keep their ranking. Others move to the nonnegative weights at the smallest angle. (The
        nearest point of the simplex in Euclidean distance would do neither: it subtracts a threshold, so that
        (1, 3) becomes (0, 1), and depends on the scale of the weights, which means nothing to a ranking.) If no
        weight is positive, nothing is left to scale, and the result is uniform.

        Examples
        --------
        >>> Simplex().project([-1.0, -3.0])
        array([0.5, 0.5])

        References
        ----------
        Metzler & Croft (2007), section 2.2.1, whose rule for W = 0 is the uniform distribution.
        """
        weights = weight_vector(w)
        if self.contains(weights):
            return weights
        nonnegative = np.maximum(weights, 0.0)
        return canonical(nonnegative) if nonnegative.any() else self.start(weights.size)

    def sample(self, n_features: int, rng: np.random.Generator) -> F64:
        """Return a point drawn uniformly from the simplex: Dirichlet(1, ..., 1)."""
        require_features(n_features)
        return rng.dirichlet(np.ones(n_features))

    def line(self, w: ArrayLike, direction: ArrayLike) -> Line:
        r"""Return the line up to the points where a weight would become negative.

        .. math:: \max_{v_i > 0} -\frac{w_i}{v_i} \;\le\; \mu \;\le\; \min_{v_i < 0} -\frac{w_i}{v_i}

        The sum of the weights may change along the line: as scaling changes no ranking, every nonnegative vector but
        zero is feasible, because it has a positive multiple on the simplex. The coordinate direction :math:`e_j`
        therefore covers :math:`[-w_j, \infty)`; projected back, that is the whole chord of the simplex from the face
        :math:`\theta_j = 0` through w to the corner :math:`e_j`.

        Examples
        --------
        >>> line = Simplex().line([0.25, 0.75], [1, 0])
        >>> line.low, line.high
        (-0.25, inf)
        """
        point, heading = point_and_direction(w, direction)
        refuse_negative(point, "w")
        rising, falling = heading > 0, heading < 0
        with np.errstate(over="ignore"):  # a bound beyond the largest float is as good as infinite
            low = 0.0 - (point[rising] / heading[rising]).min(initial=math.inf)
            high = (point[falling] / -heading[falling]).min(initial=math.inf)
        return Line(heading, float(low), float(high))

    def distance(self, u: ArrayLike, v: ArrayLike) -> float:
        """Return the geodesic distance."""
        return geodesic_distance(u, v)

    def canonical(self, w: ArrayLike) -> F64:
        """Return the weights scaled to the sum 1; negative weights are refused, as no multiple is on the simplex."""
        weights = weight_vector(w)
        refuse_negative(weights)
        return canonical(weights)
