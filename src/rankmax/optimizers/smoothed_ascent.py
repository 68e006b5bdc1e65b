"""Exact lines along the gradient of the smoothed metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle

import numpy as np

from rankmax.arrays import Bool
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.base import Budget, Climber, Optimizer, require_tolerance
from rankmax.optimizers.natural_gradient import NaturalGradient


@dataclass(frozen=True)
class SmoothedAscent(Optimizer):
    """Search the exact line along one natural gradient of the smoothed metric after the other.

    The first gradients are of all queries, with each width in turn, until all of them fail; the others of random
    halves of the queries, whose gradients lead out of where that of all does not, until `patience` of them in a
    row fail. A line takes what is good for all queries, whatever led to it.

    Parameters
    ----------
    widths : tuple of float
        How far apart two documents may be for their order to be open, in standard deviations of the scores.
    patience : int
        The ascent ends when this many halves in a row gain nothing.
    tolerance : float
        A gain no larger than this is nothing.
    budget : Budget

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.lines.objective import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = SmoothedAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')
    """

    widths: tuple[float, ...] = (0.3, 1.0)
    patience: int = 12
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if not self.widths or not all(width > 0 for width in self.widths):
            raise InvalidParameterError(f"widths are {self.widths}; give at least one, and only positive numbers")
        if self.patience < 0:
            raise InvalidParameterError(f"patience is {self.patience}; give a number from 0")

    def ascend(self, climber: Climber, rng: np.random.Generator) -> None:
        """Climb along gradients of all queries, then of halves."""
        gradient = NaturalGradient(climber.objective)
        self.climb(climber, gradient, rng)

    def climb(self, climber: Climber, gradient: NaturalGradient, rng: np.random.Generator) -> None:
        """Climb with a gradient made before."""
        n_queries = climber.objective.n_queries
        widths = cycle(self.widths)
        failed = 0
        while failed < len(self.widths):
            failed = 0 if self._search(climber, gradient, next(widths), None) else failed + 1
        failed = 0
        while failed < self.patience:
            half = rng.random(n_queries) < 0.5
            failed = 0 if self._search(climber, gradient, next(widths), half) else failed + 1

    def _search(self, climber: Climber, gradient: NaturalGradient, width: float, queries: Bool | None) -> bool:
        direction = climber.direction(lambda weights: gradient(weights, width=width, queries=queries))
        return bool(direction.any()) and climber.along(direction) > self.tolerance
