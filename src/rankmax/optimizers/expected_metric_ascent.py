"""Ascent on the expected metric under uncertainty of the weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rankmax.errors import InvalidParameterError
from rankmax.optimizers.optimizer import AscentState, Budget, Optimizer, require_tolerance

_REACH = 8.0  # standard deviations of the scores: as far as one line goes; the next cycle may go on


@dataclass(frozen=True)
class ExpectedMetricAscent(Optimizer):
    r"""Move one weight at a time to where the expected metric under Gaussian noise of that weight is highest.

    .. math:: \max_\mu E[f(w + (\mu + s_j \varepsilon) e_j)], \qquad \varepsilon \sim N(0, 1), \quad
        s_j = \sigma \, \frac{\mathrm{spread}(X w)}{\mathrm{spread}(X e_j)}

    Along a line the metric f is a step function whose steps are known, so its expectation is known exactly, too
    (:meth:`~rankmax.line_search.step_function.StepFunction.smoothed`). The highest peak of f itself may be narrow, and
    owe its height to chance; the expectation is high only where f stays high when the weight is shaken. The spread of
    scores is their standard deviation within queries, so :math:`\sigma` has no unit. With :math:`\sigma` near 0 this
    is coordinate ascent.

    The result is the point after the last cycle. Its metric on the queries learned from may be lower than that of the
    start.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, relative to the spread of the scores.
    n_cycles : int
        Maximum number of cycles over the weights.
    tolerance : float
        Largest gain of a cycle, in expected metric, that ends the ascent.
    budget : Budget
        Limits that stop the ascent early; by default none.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.line_search import LinearObjective
    >>> from rankmax.metrics import AP
    >>> from rankmax.spaces import Euclidean
    >>> objective = LinearObjective(planted_linear(20, 10, 3, seed=1).data, AP())
    >>> ascent = ExpectedMetricAscent().maximize(objective, Euclidean(), start=np.ones(3), rng=np.random.default_rng(0))
    >>> ascent.value > 0.95, ascent.stopped_by
    (True, 'converged')
    """

    sigma: float = 0.8
    n_cycles: int = 4
    tolerance: float = 1e-6
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        require_tolerance(self.tolerance)
        if not 0 < self.sigma < math.inf:
            raise InvalidParameterError(f"sigma is {self.sigma}; give a positive number")
        if self.n_cycles < 1:
            raise InvalidParameterError(f"n_cycles is {self.n_cycles}; give a positive whole number")

    def ascend(self, state: AscentState, rng: np.random.Generator) -> None:
        """Ascend in cycles over the coordinates."""
        axes = np.eye(state.objective.n_features)
        for _ in range(self.n_cycles):
            spread = state.objective.score_spread(state.point.weights) or 1.0
            gains = [state.along_smoothed(axis, self.sigma * spread, _REACH * spread) for axis in axes]
            state.accept()
            if sum(gains) <= self.tolerance:
                return
