"""Exact line searches along gradients of the smoothed metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle

import numpy as np

from rankmax._arrays import Bool
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.natural_gradient import NaturalGradient
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance


@dataclass(frozen=True)
class SmoothedAscent(Optimizer):
    """Search exactly along one natural gradient of the smoothed metric after another.

    The first gradients are of all queries, with each width in turn, until none of them gains; later ones are of random
    halves of the queries, whose gradients lead out of points where that of all queries does not, until `patience` of
    them in a row gain nothing. A line search always maximizes the metric over all queries, whatever the gradient's.

    Parameters
    ----------
    widths : tuple of float
        Widths of the smoothing: differences of scores at which the order of two documents becomes clear, in standard
        deviations of the scores.
    patience : int
        Number of halves in a row without a gain that ends the ascent.
    tolerance : float
        Largest gain that counts as none.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
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
            raise InvalidParameterError(f"patience is {self.patience}; give a nonnegative number")

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend along gradients of all queries, then of halves."""
        gradient = NaturalGradient(state.objective)
        self.ascend_by(gradient, state, rng)

    def ascend_by(self, gradient: NaturalGradient, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend with a given gradient."""
        n_queries = state.objective.n_queries
        widths = cycle(self.widths)
        failed = 0
        while failed < len(self.widths):
            failed = 0 if self._search(state, gradient, next(widths), None) else failed + 1
        failed = 0
        while failed < self.patience:
            half = rng.random(n_queries) < 0.5
            failed = 0 if self._search(state, gradient, next(widths), half) else failed + 1

    def _search(self, state: AscentState, gradient: NaturalGradient, width: float, queries: Bool | None) -> bool:
        direction = state.direction(lambda weights: gradient(weights, width=width, queries=queries))
        return bool(direction.any()) and state.along(direction) > self.tolerance
