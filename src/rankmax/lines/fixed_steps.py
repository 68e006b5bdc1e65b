"""Growing steps along a line, as the known coordinate-ascent programs take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankmax.errors import InvalidParameterError
from rankmax.lines.sampling import InexactSearch


@dataclass(frozen=True)
class FixedSteps(InexactSearch):
    r"""Look at places at fixed, growing distances on both sides.

    .. math:: \mu = \pm step \, (1 + growth + growth^2 + \dots), \quad \text{1 to } n\_steps \text{ terms}

    Parameters
    ----------
    step : float
        The first step, as a part of the distance at which the direction weighs as much as the start does.
    growth : float
        How many times longer each step is than the one before; 1 for equal steps.
    n_steps : int
        Steps to each side, fewer where the line ends before.

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
            raise InvalidParameterError(f"FixedSteps: growth={self.growth} must be a number from 1")
        if self.n_steps < 1:
            raise InvalidParameterError(f"FixedSteps: n_steps={self.n_steps} must be a whole number from 1")

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
