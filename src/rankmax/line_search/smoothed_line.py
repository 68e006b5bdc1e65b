"""Smoothed metric along a line: its expected value when the step along the line is uncertain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax.errors import InvalidParameterError

_CELLS_OF_A_WIDTH = 8
_FELT = 6.0  # widths: beyond these a step has its full effect, to 1e-9
_N_MOMENTS = 4  # an error of 1e-6 of the changes in a cell, at most
_MOST_CELLS = 1 << 15


@dataclass(frozen=True)
class Smoothing:
    """Gaussian noise of a step along a line, and how far from the start to look.

    Attributes
    ----------
    width : float
        Standard deviation of the noise, in units of mu.
    reach : float
        Largest abs(mu) considered.
    slope, curvature : float
        Penalty of a step mu, slope * mu + curvature * mu^2, that is subtracted from the smoothed metric; none by
        default. Line searches that do not smooth ignore it.

    Examples
    --------
    >>> Smoothing(width=0.5, reach=1.0).places[-3:]
    array([0.875 , 0.9375, 1.    ])
    """

    width: float
    reach: float
    slope: float = 0.0
    curvature: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.width < math.inf and 0 < self.reach < math.inf):
            raise InvalidParameterError(
                f"a smoothing of width {self.width} up to {self.reach} is none; give positive numbers"
            )
        if self.n_cells > _MOST_CELLS:
            raise InvalidParameterError(
                f"a width of {self.width} is too small beside a reach of {self.reach}; "
                "search exactly, without smoothing, or nearer"
            )

    @property
    def cell(self) -> float:
        """Width of the cells that steps are counted into."""
        return self.width / _CELLS_OF_A_WIDTH

    @property
    def _n_places(self) -> int:
        """Number of places on each side of the start."""
        return max(2, math.ceil(self.reach / self.cell))

    @property
    def n_cells(self) -> int:
        """Number of cells: one around each place, and as many beside them as a step is felt."""
        return 2 * (self._n_places + _margin()) + 1

    @property
    def low(self) -> float:
        """Lower end of the first cell."""
        return -(self._n_places + _margin() + 0.5) * self.cell

    @cached_property
    def places(self) -> F64:
        """The middles of the inner cells, at which the smoothed metric is evaluated; 0 is one of them."""
        return readonly(np.arange(-self._n_places, self._n_places + 1, dtype=np.float64) * self.cell)


@dataclass(frozen=True, eq=False)
class SmoothedSums:
    """A line's steps counted into cells; those of several parts of the data add up.

    Attributes
    ----------
    before : int
        The sum below the first cell, in units.
    moments : array of int64, shape (n_cells, n_moments)
        Moments of the changes in each cell; see _kernels/lines/step_moments.py.
    """

    before: int
    moments: I64

    def __add__(self, other: SmoothedSums) -> SmoothedSums:
        """Return the sums over both parts."""
        return SmoothedSums(self.before + other.before, self.moments + other.moments)

    @staticmethod
    def room(n_groups: int, smoothing: Smoothing) -> tuple[I64, I64]:
        """Return arrays for the sums before, and for the moments, of some groups of steps."""
        return np.empty(n_groups, np.int64), np.empty((n_groups, smoothing.n_cells, _N_MOMENTS), np.int64)


@dataclass(frozen=True)
class SmoothedPeak:
    """The maximum of the smoothed metric on a line.

    Attributes
    ----------
    place : float
        Value of mu.
    gain : float
        Difference to the smoothed metric at the start of the line; 0 if no place is better.
    """

    place: float
    gain: float


def smoothed_values(sums: SmoothedSums, smoothing: Smoothing) -> F64:
    """Return the smoothed sum at each place of a line, in units.

    Parameters
    ----------
    sums : SmoothedSums
    smoothing : Smoothing
    """
    from rankmax._kernels.lines.step_moments import smooth_cells

    values = np.empty(smoothing.places.size)
    smooth_cells(sums.moments, sums.before, _effects(), values)
    return values


def smoothed_peak(values: F64, smoothing: Smoothing, low: float, high: float) -> SmoothedPeak:
    """Return the highest point of the parabolas through each three neighboring places, between the ends of the line.

    Parameters
    ----------
    values : array of float64, shape (n_places,)
    smoothing : Smoothing
    low, high : float
        Ends of the line, with low <= 0 <= high; they may be infinite.

    Examples
    --------
    >>> smoothing = Smoothing(width=0.8, reach=1.0)
    >>> hill = -((smoothing.places - 0.33) ** 2)
    >>> peak = smoothed_peak(hill, smoothing, -np.inf, np.inf)
    >>> round(peak.place, 12), round(peak.gain, 12)
    (0.33, 0.1089)
    >>> smoothed_peak(hill, smoothing, -np.inf, 0.07).place
    0.07
    """
    places, cell = smoothing.places, smoothing.cell
    start = values.size // 2
    if smoothing.slope or smoothing.curvature:
        values = values - places * (smoothing.slope + smoothing.curvature * places)
    inside = np.flatnonzero((places >= low) & (places <= high))
    best = int(inside[np.argmax(values[inside])])
    if values[best] <= values[start]:
        best = start  # of equal places, the one that needs no step

    def parabola(middle: int, mu: float) -> float:
        x = (mu - places[middle]) / cell
        before, at, after = values[middle - 1 : middle + 2]
        return float(at + x * (after - before) / 2 + x * x * (after - 2 * at + before) / 2)

    middle = min(max(best, 1), values.size - 2)
    before, at, after = values[middle - 1 : middle + 2]
    candidates = [float(places[best])]
    if after - 2 * at + before < 0:
        vertex = (before - after) / (2 * (after - 2 * at + before))
        candidates.append(float(places[middle] + cell * min(1.0, max(-1.0, vertex))))
    candidates += [end for end in (low, high) if places[1] < end < places[-2]]
    found = [
        (parabola(min(max(round(mu / cell) + start, 1), values.size - 2), mu), mu)
        for mu in candidates
        if low <= mu <= high
    ]
    value, place = max(found, key=lambda pair: pair[0])
    return SmoothedPeak(place, value - float(values[start])) if value > values[start] else SmoothedPeak(0.0, 0.0)


def normal_cdf(x: F64) -> F64:
    """Return the standard normal distribution function.

    Examples
    --------
    >>> normal_cdf(np.array([-1.0, 0.0, 1.0])).round(4)
    array([0.1587, 0.5   , 0.8413])
    """
    flat = [0.5 * math.erfc(-value / math.sqrt(2)) for value in np.ravel(x).tolist()]
    return np.array(flat).reshape(np.shape(x))


def _margin() -> int:
    """Return the number of cells on each side of a place in which a step is felt in part."""
    return math.ceil(_FELT * _CELLS_OF_A_WIDTH)


@cache
def _effects() -> F64:
    """Return the effect of each moment of each cell, from the left, on the middle of the one in the center."""
    cell = 1 / _CELLS_OF_A_WIDTH
    x = np.arange(_margin(), -_margin() - 1, -1, dtype=np.float64) * cell  # (mu - middle of the cell) / width
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    derivatives = [normal_cdf(x), density, -x * density, (x * x - 1) * density]
    return readonly(np.stack([(-cell) ** m / math.factorial(m) * d for m, d in enumerate(derivatives)], axis=1))
