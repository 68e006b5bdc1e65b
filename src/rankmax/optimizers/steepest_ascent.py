"""Steepest ascent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax.arrays import F64
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.base import Budget, Climber, Optimizer, require_tolerance


@dataclass(frozen=True)
class SteepestAscent(Optimizer):
    r"""Search the whole line along the gradient, estimated by differences, until one gains nothing.

    .. math:: g_i = \frac{E(w + b_i e_i) - E(w - a_i e_i)}{a_i + b_i}, \qquad a_i, b_i \le h \|w\|_1

    The metric is constant near w, so h must be wide enough for documents to swap. Where the space ends before
    :math:`w - h e_i` the difference is taken up to its end, and that weight is not lowered, since the line would end
    there before any other weight has moved.

    Every gradient costs 2 evaluations for each weight.

    Parameters
    ----------
    step : float
        h, as a share of the sum of the weights' magnitudes, as their scale means nothing to a ranking; on the simplex
        that sum is 1.
    tolerance : float
        A line that gains no more than this is the last.
    budget : Budget

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = SteepestAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')

    References
    ----------
    Metzler 2005, section 4.3, which takes one-sided differences.
    """

    step: float = 0.03
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if not 0 < self.step < np.inf:
            raise InvalidParameterError(f"step is {self.step}; differences need a positive number")

    def ascend(self, climber: Climber, rng: np.random.Generator) -> None:
        """Climb along one estimated gradient after the other."""
        gain = np.inf
        while gain > self.tolerance:
            h = self.step * np.abs(climber.point.weights).sum()
            gradient = _gradient(climber, h)
            if not gradient.any():
                return
            w = climber.point.weights
            projected = climber.space.project(w + h / np.abs(gradient).max() * gradient)
            if np.array_equal(projected, w):
                return
            gain = climber.along(projected - w)


def _gradient(climber: Climber, h: float) -> F64:
    w = climber.point.weights
    axes = np.eye(w.size)
    lines = [climber.space.line(w, axis) for axis in axes]
    low = np.array([max(line.low, -h) for line in lines])
    high = np.array([min(line.high, h) for line in lines])
    below, above = np.split(climber.values(np.concatenate([w + low[:, None] * axes, w + high[:, None] * axes])), 2)
    slopes = (above - below) / (high - low)
    has_room = np.where(slopes > 0, high == h, low == -h)
    return np.where(has_room, slopes, 0.0)
