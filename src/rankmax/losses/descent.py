"""Minimization of a smooth function by L-BFGS or plain gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError
from rankmax.metrics.metric_parameters import check_number, plain

Descent: TypeAlias = Literal["lbfgs", "gradient-descent"]
"""``"lbfgs"``, which estimates the curvature, or ``"gradient-descent"``, which does not."""

_SUFFICIENT = 1e-4  # share of the decrease predicted by the slope that a step must achieve
_TRIALS = 10  # trials of an L-BFGS step; smooth functions need one or two
_HALVINGS = 30  # halvings of a step before gradient descent stops


@dataclass(frozen=True, eq=False)
class Minimum:
    """Result of a minimization.

    Attributes
    ----------
    parameters : array of float64
    value : float
    n_iterations : int
    converged : bool
        Whether the gradient fell to the tolerance.
    """

    parameters: F64
    value: float
    n_iterations: int
    converged: bool


def minimize(
    function: Callable[[F64], tuple[float, F64]],
    start: F64,
    *,
    method: Descent = "lbfgs",
    max_iterations: int = 200,
    tolerance: float = 1e-3,
    bounds: tuple[F64, F64] | None = None,
) -> Minimum:
    """Minimize a function from `start` until no component of the gradient exceeds the tolerance.

    L-BFGS also stops where an iteration gains less than the tolerance squared, about as much as a gradient at the
    tolerance promises. This ends the search on functions with jumps, where no step is as good as the slope predicts.

    Parameters
    ----------
    function : callable
        Returns the value and the gradient at given parameters.
    start : array of float64
        Initial parameters.
    method : str
        "lbfgs" or "gradient-descent". Gradient descent halves its step until the gain suffices, and next tries twice
        the last step.
    max_iterations : int
        Maximum number of iterations.
    tolerance : float
        Largest component of the gradient at which the search stops.
    bounds : pair of arrays of float64, optional
        Lowest and highest value of each parameter, which may be infinite; for L-BFGS.

    Examples
    --------
    >>> def bowl(x):
    ...     return float(x @ x), 2 * x
    >>> for method in ("lbfgs", "gradient-descent"):
    ...     found = minimize(bowl, np.array([3.0, -1.0]), method=method, tolerance=1e-6)
    ...     print(found.parameters.round(6) + 0.0, found.converged)
    [0. 0.] True
    [0. 0.] True
    """
    if method not in get_args(Descent):
        raise UnknownNameError("way of descent", str(method), get_args(Descent))
    check_number("minimize", "tolerance", plain(tolerance), "a nonnegative number", lambda value: value >= 0)
    max_iterations = plain(max_iterations)
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 1:
        raise InvalidParameterError(f"minimize: max_iterations={max_iterations} must be a positive whole number")
    if start.size == 0:
        return Minimum(start, function(start)[0], 0, True)
    if method == "lbfgs":
        return _lbfgs(function, start, max_iterations, tolerance, bounds)
    if bounds is not None:
        raise IncompatibleError("gradient descent has no bounds; use lbfgs")
    return _gradient_descent(function, start, max_iterations, tolerance)


def _lbfgs(
    function: Callable[[F64], tuple[float, F64]],
    start: F64,
    max_iterations: int,
    tolerance: float,
    bounds: tuple[F64, F64] | None,
) -> Minimum:
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):  # waking threads for such small vectors takes ten times the whole descent
        found = minimize(
            function,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=None if bounds is None else list(zip(*bounds, strict=True)),
            options={"maxiter": max_iterations, "gtol": tolerance, "ftol": tolerance**2, "maxls": _TRIALS},
        )
    slopes = found.jac
    if bounds is not None:  # where a bound holds a parameter, its slope is no reason to go on
        held = ((found.x <= bounds[0]) & (slopes > 0)) | ((found.x >= bounds[1]) & (slopes < 0))
        slopes = np.where(held, 0.0, slopes)
    steepest = np.abs(slopes).max(initial=0.0)
    return Minimum(found.x, float(found.fun), int(found.nit), bool(steepest <= tolerance))


def _gradient_descent(
    function: Callable[[F64], tuple[float, F64]], start: F64, max_iterations: int, tolerance: float
) -> Minimum:
    x = start
    value, gradient = function(x)
    step = 1.0 / max(float(np.abs(gradient).max(initial=0.0)), 1.0)
    for iteration in range(max_iterations):
        if np.abs(gradient).max(initial=0.0) <= tolerance:
            return Minimum(x, value, iteration, True)
        slope = float(gradient @ gradient)
        for _ in range(_HALVINGS):
            there = x - step * gradient
            new_value, new_gradient = function(there)
            if new_value < value and new_value <= value - _SUFFICIENT * step * slope:
                break
            step /= 2
        else:
            return Minimum(x, value, iteration, False)
        x, value, gradient = there, new_value, new_gradient
        step *= 2
    return Minimum(x, value, max_iterations, bool(np.abs(gradient).max(initial=0.0) <= tolerance))
