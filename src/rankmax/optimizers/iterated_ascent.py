"""Climbing, escaping, and climbing again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax.errors import InvalidParameterError
from rankmax.optimizers.base import Budget, Climber, Optimizer, require_tolerance
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.natural_gradient import NaturalGradient
from rankmax.optimizers.smoothed_ascent import SmoothedAscent


@dataclass(frozen=True)
class IteratedAscent(Optimizer):
    """Climb along gradients of the smoothed metric, then along coordinates; shake the scores, and climb again.

    In spaces with edges, such as the simplex, coordinates come first: gradients move all weights at once, so their
    lines end early. Where a climb has ended, random weights are added to the best so far, of which each direction in
    the space of the scores is as likely as any other, and the climb begins anew. What it ends with gives one more
    direction: the difference to the best so far. The ascent ends when this has been in vain several times in a row.

    Parameters
    ----------
    n_escapes : int
        How many attempts in a row may be in vain.
    shake : float
        Size of the random change, in standard deviations of the scores within queries.
    climb : SmoothedAscent
    tolerance : float
        A cycle over the coordinates that gains no more than this is the last, and an escape that does was in vain.
    budget : Budget

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = IteratedAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')

    References
    ----------
    Lourenço, Martin & Stützle 2003, Iterated local search.
    """

    n_escapes: int = 1
    shake: float = 0.3
    climb: SmoothedAscent = field(default_factory=SmoothedAscent)
    tolerance: float = 1e-4
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if self.n_escapes < 0:
            raise InvalidParameterError(f"n_escapes is {self.n_escapes}; give a number from 0")
        if not self.shake > 0:
            raise InvalidParameterError(f"shake is {self.shake}; give a positive number")

    def ascend(self, climber: Climber, rng: np.random.Generator) -> None:
        """Climb, escape and climb again."""
        gradient = NaturalGradient(climber.objective)

        def along_gradients() -> None:
            self.climb.climb(climber, gradient, rng)

        def along_coordinates() -> None:
            CoordinateAscent(tolerance=self.tolerance).ascend(climber, rng)

        first, then = along_gradients, along_coordinates
        if _has_edges(climber):
            first, then = then, first
        first()
        then()
        in_vain = 0
        while in_vain < self.n_escapes:
            home = climber.best
            size = self.shake * gradient.spread(home.weights)
            climber.jump(home.weights + gradient.random(size, rng))
            first()
            difference = climber.point.weights - home.weights
            if difference.any():
                climber.jump(home.weights)
                climber.along(difference)
            in_vain = 0 if climber.best.value > home.value + self.tolerance else in_vain + 1


def _has_edges(climber: Climber) -> bool:
    """Return whether a weight cannot fall for ever; a gradient, which moves all weights, soon ends at such an edge."""
    axis = np.eye(climber.objective.n_features)[0]
    return bool(np.isfinite(climber.space.line(climber.point.weights, -axis).high))
