"""A function of one feature on knots: a straight line between any two, or a step at each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax._io.figures import BLUE, ORANGE
from rankmax.errors import InvalidDataError, UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind: TypeAlias = Literal["linear", "constant"]
"""Course of a curve between knots: piecewise linear or piecewise constant."""


_FEW_SEGMENTS = 4  # all of which are drawn
_STRAIGHT = 1e-12  # of a curve's height: what knots on a straight line are beside it, by rounding


@dataclass(frozen=True, eq=False)
class Curve:
    r"""A function of a feature's value x, given by its values at or between K knots, ascending.

    A piecewise linear curve has a value at each knot, joins them by straight lines, and is flat beyond the outer ones:

    .. math::
        f(x) = \begin{cases}
            v_1 & x \le k_1 \\
            v_i + (v_{i+1} - v_i) \, \dfrac{x - k_i}{k_{i+1} - k_i} & k_i < x \le k_{i+1} \\
            v_K & x > k_K
        \end{cases}

    with the quotient computed first, then the product, then the sum. A piecewise constant curve has K + 1 values, one
    for each interval, which are open below and closed above, as the thresholds of binned features are:

    .. math::
        f(x) = \begin{cases}
            v_1 & x \le k_1 \\
            v_{i+1} & k_i < x \le k_{i+1} \\
            v_{K+1} & x > k_K
        \end{cases}

    Without knots it is one value. A document that has no value of the feature (NaN) gets the value `absent`.

    Attributes
    ----------
    knots : array of float64, shape (K,)
    values : array of float64, shape (K,) if piecewise linear, (K + 1,) if piecewise constant
    kind : {"linear", "constant"}
    absent : float
        Value for documents that have no value of the feature.
    deviations : array of float64, same shape as `values`, or None
        Standard deviation of each value over bootstrap samples of the training queries.
    weight : float or None
        Weight of the feature in the linear model that the curve was compared with in training.

    Examples
    --------
    >>> Curve([1.0, 3.0], [0.0, 4.0]).at(np.array([0.0, 1.0, 1.5, 3.0, 9.0, np.nan]))
    array([0., 0., 1., 4., 4., 0.])
    >>> Curve([1.0, 3.0], [0.0, 4.0, 2.0], "constant", absent=-1.0).at(np.array([1.0, 1.5, 3.0, 9.0, np.nan]))
    array([ 0.,  4.,  4.,  2., -1.])
    """

    knots: F64
    values: F64
    kind: Kind = "linear"
    absent: float = 0.0
    deviations: F64 | None = None
    weight: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownNameError("kind of curve", str(self.kind), get_args(Kind))
        knots, values = _numbers("knots", self.knots), _numbers("values", self.values)
        expected = knots.size + (self.kind == "constant")
        if values.size != expected or not expected:
            raise InvalidDataError(
                f"{values.size} values for {knots.size} knots: a piecewise linear curve has a value at each knot, and "
                "a piecewise constant one has one more than knots"
            )
        with np.errstate(over="ignore"):
            steps, rises = np.diff(knots), np.diff(values)
        if (steps <= 0).any():
            raise InvalidDataError("knots must ascend")
        if not (np.isfinite(steps).all() and np.isfinite(rises).all()):
            raise InvalidDataError("knots or values are too far apart for a straight line between them")
        object.__setattr__(self, "knots", readonly(knots))
        object.__setattr__(self, "values", readonly(values))
        for name in ("absent", "weight"):
            number = getattr(self, name)
            if number is not None and not np.isfinite(number):
                raise InvalidDataError(f"{name} is {number}; expected a finite number")
        if self.deviations is not None:
            deviations = _numbers("deviations", self.deviations)
            if deviations.shape != values.shape or (deviations < 0).any():
                raise InvalidDataError(f"deviations must be {values.size} nonnegative numbers, one for each value")
            object.__setattr__(self, "deviations", readonly(deviations))

    @property
    def is_zero(self) -> bool:
        """Whether the curve adds nothing to any score."""
        return not self.values.any() and self.absent == 0

    @property
    def height(self) -> float:
        """Difference between the highest and the lowest value."""
        return float(np.ptp(self.values))

    def at(self, x: F64) -> F64:
        """Return the value at each x.

        Parameters
        ----------
        x : array of float64
            NaN stands for no value.
        """
        x = np.asarray(x, np.float64)
        passed = np.searchsorted(self.knots, x)  # the number of knots below x: k < x
        if self.kind == "constant":
            found = self.values[np.minimum(passed, self.knots.size)]
        else:
            left = np.clip(passed - 1, 0, max(self.knots.size - 2, 0))
            right = np.minimum(left + 1, self.knots.size - 1)
            inside = (passed > 0) & (passed < self.knots.size)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                share = (x - self.knots[left]) / (self.knots[right] - self.knots[left])
                between = self.values[left] + (self.values[right] - self.values[left]) * share
            found = np.where(inside, between, self.values[np.clip(passed - 1, 0, self.knots.size - 1)])
        return np.where(np.isnan(x), self.absent, found)

    def without_idle_knots(self) -> Curve:
        """Return the same function of x without the knots at which nothing happens, inner ones on a straight line.

        Up to rounding: values differ by at most 1e-12 of the curve's height. Deviations stay as they are drawn.

        Examples
        --------
        >>> Curve([0.0, 1.0, 2.0, 5.0], [0.0, 2.0, 4.0, 4.0]).without_idle_knots().knots
        array([0., 2., 5.])
        >>> Curve([0.0, 1.0, 2.0], [0.0, 2.0, 2.0, 4.0], "constant").without_idle_knots().values
        array([0., 2., 4.])
        """
        rows = self.values[None] if self.deviations is None else np.stack([self.values, self.deviations])
        if self.kind == "constant":
            kept = np.append(True, (np.diff(rows) != 0).any(axis=0))
            knots, rows = self.knots[kept[1:]], rows[:, kept]
        else:
            corners = _corners(self.knots, rows, _STRAIGHT * self.height)
            knots, rows = self.knots[corners], rows[:, corners]
        return replace(self, knots=knots, values=rows[0], deviations=None if self.deviations is None else rows[1])

    def draw(self, ax: Axes) -> None:
        """Draw the curve with its standard deviation over samples, and the line of the linear model.

        The line has the slope of that model's weight, and the curve's mean over the knots. An outer segment of straight
        lines that is longer than all inner ones together, a tail of few documents that would leave no room for the
        others, is not drawn: its end is written instead.

        Parameters
        ----------
        ax : matplotlib axes
        """
        x, values, spread = self.knots, self.values, self.deviations
        if self.kind == "linear":
            shown = self._without_tails()
            tails = [(0, 0.02, "left", "← {}")] if shown.start else []
            tails += [(-1, 0.98, "right", "{} →")] if shown.stop < x.size else []
            for end, place, side, text in tails:
                told = text.format(f"{values[end]:.3g} at {x[end]:.4g}")
                ax.text(place, 0.98, told, transform=ax.transAxes, ha=side, va="top", fontsize="small")
            x, values, spread = x[shown], values[shown], None if spread is None else spread[shown]
        else:
            ends = self.knots[[0, -1]] if self.knots.size else np.zeros(2)
            margin = 0.1 * (ends[1] - ends[0]) or 1.0
            x = np.repeat(np.concatenate([[ends[0] - margin], self.knots, [ends[1] + margin]]), 2)[1:-1]
            values = np.repeat(values, 2)
            spread = None if spread is None else np.repeat(spread, 2)
        if spread is not None:
            ax.fill_between(x, values - spread, values + spread, color=BLUE, alpha=0.2, linewidth=0)
        if self.weight is not None:
            ends = x[[0, -1]]
            ax.plot(ends, values.mean() + self.weight * (ends - x.mean()), color=ORANGE, linewidth=1, linestyle="--")
        ax.plot(x, values, color=BLUE, linewidth=1.5)
        ax.axhline(0, color="black", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)

    def _without_tails(self) -> slice:
        """Return the knots to draw."""
        lengths = np.diff(self.knots)
        inner = lengths[1:-1].sum() if lengths.size > _FEW_SEGMENTS else np.inf
        return slice(int(lengths[0] > inner), self.knots.size - int(lengths[-1] > inner)) if lengths.size else slice(1)


def _corners(x: F64, rows: F64, tolerance: float) -> list[int]:
    """Return the points that lines through all others pass by, within a tolerance, and both ends."""
    corners, first = [0], 0
    for last in range(2, x.size):
        shares = (x[first + 1 : last] - x[first]) / (x[last] - x[first])
        chords = rows[:, first, None] + (rows[:, last] - rows[:, first])[:, None] * shares
        if np.abs(chords - rows[:, first + 1 : last]).max() > tolerance:
            first = last - 1
            corners.append(first)
    return [*corners, x.size - 1] if x.size > 1 else corners


def _numbers(name: str, given: F64) -> F64:
    numbers = np.array(given, np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InvalidDataError(f"{name} must be finite numbers in a row")
    return numbers
