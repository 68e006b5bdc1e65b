"""Iterated local search: ascend, perturb, and ascend again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax.errors import InvalidParameterError
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.natural_gradient import NaturalGradient
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance
from rankmax.optimizers.smoothed_ascent import SmoothedAscent


@dataclass(frozen=True)
class IteratedAscent(Optimizer):
    """Ascend along gradients of the smoothed metric, then along coordinates; perturb the scores, and ascend again.

    In spaces with a boundary, such as the simplex, coordinates come first: gradients move all weights at once, so their
    lines end early. After an ascent, random weights are added to the best so far, drawn so that every direction in the
    space of the scores is equally likely, and the ascent restarts. Its result gives one more direction: the difference
    from the best so far. The search ends after several attempts in a row without a gain.

    Parameters
    ----------
    n_escapes : int
        Number of attempts in a row without a gain that ends the search.
    shake : float
        Size of the random change, in standard deviations of the scores within queries.
    ascent : SmoothedAscent
        Ascent along gradients.
    tolerance : float
        Largest gain of a cycle over the coordinates that ends the cycles, and of an attempt that counts as failed.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
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
    ascent: SmoothedAscent = field(default_factory=SmoothedAscent)
    tolerance: float = 1e-4
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if self.n_escapes < 0:
            raise InvalidParameterError(f"n_escapes is {self.n_escapes}; give a nonnegative number")
        if not self.shake > 0:
            raise InvalidParameterError(f"shake is {self.shake}; give a positive number")

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend, perturb and ascend again."""
        gradient = NaturalGradient(state.objective)

        def along_gradients() -> None:
            self.ascent.ascend_by(gradient, state, rng)

        def along_coordinates() -> None:
            CoordinateAscent(tolerance=self.tolerance).ascend(state, rng)

        first, then = along_gradients, along_coordinates
        if _has_edges(state):
            first, then = then, first
        first()
        then()
        in_vain = 0
        while in_vain < self.n_escapes:
            home = state.best
            size = self.shake * gradient.spread(home.weights)
            state.jump(home.weights + gradient.random(size, rng))
            first()
            difference = state.point.weights - home.weights
            if difference.any():
                state.jump(home.weights)
                state.along(difference)
            in_vain = 0 if state.best.value > home.value + self.tolerance else in_vain + 1


def _has_edges(state: AscentState) -> bool:
    """Return whether a weight has a lower bound, at which the line along a gradient, which moves all weights, ends."""
    axis = np.eye(state.objective.n_features)[0]
    return bool(np.isfinite(state.space.line(state.point.weights, -axis).high))
