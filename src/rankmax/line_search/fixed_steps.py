"""Line search by growing steps, as in well-known coordinate-ascent programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankmax.errors import InvalidParameterError
from rankmax.line_search.sampling import InexactSearch


@dataclass(frozen=True)
class FixedSteps(InexactSearch):
    r"""Evaluate points at fixed, growing distances on both sides of the start.

    .. math:: \mu = \pm step \, (1 + growth + growth^2 + \dots), \quad \text{1 to } n\_steps \text{ terms}

    Parameters
    ----------
    step : float
        First step, relative to the distance at which the direction changes scores as much as they vary at the start.
    growth : float
        Ratio of each step to the one before; 1 for equal steps.
    n_steps : int
        Number of steps to each side; fewer where the line ends.

    Examples
    --------
    >>> seen = []
    >>> FixedSteps(step=1.0, n_steps=3).explore(lambda mu: seen.append(mu) or 0.0, -2.0, 100.0)
    >>> seen
    [-1.0, 1.0, 3.0, 7.0]

    References
    ----------
    Metzler & Croft 2007, section 2.3.2, leaves the line search open; the defaults are those of RankLib's
    coordinate ascent.
    """

    step: float = 0.001
    growth: float = 2.0
    n_steps: int = 25

    def __post_init__(self) -> None:
        if not self.step > 0:
            raise InvalidParameterError(f"FixedSteps: step={self.step} must be a positive number")
        if not self.growth >= 1:
            raise InvalidParameterError(f"FixedSteps: growth={self.growth} must be a number of at least 1")
        if self.n_steps < 1:
            raise InvalidParameterError(f"FixedSteps: n_steps={self.n_steps} must be a positive whole number")

    def explore(self, value: Callable[[float], float], low: float, high: float) -> None:
        """Step to the left, then to the right."""
        for sign in (-1.0, 1.0):
            step, place = self.step, self.step
            for _ in range(self.n_steps):
                if not low < sign * place < high:
                    break
                value(sign * place)
                step *= self.growth
                place += step
