"""Smoothed step functions: expected values under Gaussian noise of the variable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError
from rankmax.line_search.smoothed_line import normal_cdf

_FELT = 8.3  # widths: beyond these a step has its full effect, to the last bit
_PLACES_OF_A_WIDTH = 8
_PLACES_OF_A_CELL = 17
_FINEST = 1e-8  # widths


@dataclass(frozen=True, eq=False)
class SmoothedFunction:
    r"""The expected value of a step function f when noise is added to its variable.

    .. math:: E[f(\mu + \sigma \varepsilon)] = f(-\infty) + \sum_i c_i \Phi\left(\frac{\mu - t_i}{\sigma}\right),
        \qquad \varepsilon \sim N(0, 1)

    for steps of height :math:`c_i` at :math:`t_i`. Beyond the ends of its domain the step function is taken to keep
    its value. As sigma goes to 0, this becomes the step function itself.

    Attributes
    ----------
    breakpoints : array of float64, shape (n_steps,)
        Ascending.
    values : array of float64, shape (n_steps + 1,)
        Values of the step function.
    sigma : float
        Standard deviation of the noise.
    low, high : float
        Ends of the domain.

    Examples
    --------
    >>> smooth = SmoothedFunction(np.array([0.0, 1.0]), np.array([0.0, 1.0, 0.0]), sigma=0.5)
    >>> smooth([0.0, 0.5, 1.0]).round(4)
    array([0.4772, 0.6827, 0.4772])
    >>> round(smooth.best()[0], 6)
    0.5
    """

    breakpoints: F64
    values: F64
    sigma: float
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not 0 < self.sigma < math.inf:
            raise InvalidParameterError(f"sigma is {self.sigma}; expected a positive number")

    def __call__(self, mu: ArrayLike) -> F64:
        """Return the expected value at each mu."""
        places = np.asarray(mu, np.float64)
        changes = np.diff(self.values)
        felt = _FELT * self.sigma
        first = np.searchsorted(self.breakpoints, places.ravel() - felt, side="left")
        last = np.searchsorted(self.breakpoints, places.ravel() + felt, side="right")
        found = self.values[first]  # the steps before have their full effect
        for k, (place, i, j) in enumerate(zip(places.ravel(), first, last, strict=True)):
            found[k] += changes[i:j] @ normal_cdf((place - self.breakpoints[i:j]) / self.sigma)
        return found.reshape(places.shape)

    def best(self) -> tuple[float, float]:
        """Return the place of the maximum, and the expected value there.

        Where it is the same everywhere beyond some point, the place is at that point.
        """
        places = self._places()
        cell = self.sigma / _PLACES_OF_A_WIDTH
        while True:
            values = self(places)
            best = int(np.argmax(values))
            if cell <= _FINEST * self.sigma:
                return float(places[best]), float(values[best])
            finer = places[best] + np.linspace(-cell, cell, _PLACES_OF_A_CELL)
            places = np.append(places[best], finer[(finer >= self.low) & (finer <= self.high)])
            cell *= 2 / (_PLACES_OF_A_CELL - 1)

    def _places(self) -> F64:
        """Return places an eighth of a width apart, wherever steps are felt in part, and the ends of the domain."""
        cell = self.sigma / _PLACES_OF_A_WIDTH
        around = np.arange(-math.ceil(_FELT * _PLACES_OF_A_WIDTH), math.ceil(_FELT * _PLACES_OF_A_WIDTH) + 1) * cell
        centers = np.unique(np.rint(self.breakpoints / cell)) * cell
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        places = np.unique(np.concatenate([[0.0], ends, (centers[:, None] + around).ravel()]))
        return places[(places >= self.low) & (places <= self.high)]
