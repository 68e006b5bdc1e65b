"""A step function cut down to what a screen can show."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmax.lines.plots import close_up_window, overview_window
from rankmax.lines.step_function import StepFunction

_COLUMNS = 1200  # more than a chart has pixels


def drawn_steps(function: StepFunction, window: tuple[float, float]) -> dict[str, Any]:
    """Return a step function inside a window, a column of the screen at a time where it has many steps.

    Parameters
    ----------
    function : StepFunction
    window : pair of float

    Returns
    -------
    dict
        `edges` of the columns, or of the steps themselves where there are few; the lowest (`lows`) and highest
        (`highs`) value in each; how many steps there are (`n_steps`).

    Examples
    --------
    >>> drawn_steps(StepFunction(np.array([-1.0, 2.0]), np.array([0.2, 0.6, 0.4])), (0.0, 3.0))
    {'edges': [0.0, 2.0, 3.0], 'lows': [0.6, 0.4], 'highs': [0.6, 0.4], 'n_steps': 1}
    """
    low, high = window
    first, last = np.searchsorted(function.breakpoints, [low, high])
    inside, values = function.breakpoints[first:last], function.values[first : last + 1]
    if inside.size <= _COLUMNS:
        edges = np.concatenate([[low], inside, [high]])
        return {"edges": edges.tolist(), "lows": values.tolist(), "highs": values.tolist(), "n_steps": inside.size}
    edges = np.linspace(low, high, _COLUMNS + 1)
    # A column meets the step that goes on at its left edge and all that begin inside it.
    begin = np.searchsorted(inside, edges[:-1], side="right")
    end = np.maximum(np.searchsorted(inside, edges[1:], side="left"), begin)
    bounds = np.column_stack([begin, end + 1]).ravel()[:-1]
    padded = np.append(values, values[-1])  # a bound may be the end
    return {
        "edges": edges.tolist(),
        "lows": np.minimum.reduceat(padded, bounds)[::2].tolist(),
        "highs": np.maximum.reduceat(padded, bounds)[::2].tolist(),
        "n_steps": inside.size,
    }


def described_function(function: StepFunction, at: float, best_place: float | None = None) -> dict[str, Any]:
    """Return what the page draws of a step function: all of it, and the surroundings of its best interval.

    Parameters
    ----------
    function : StepFunction
    at : float
        Where the page stands now.
    best_place : float, optional
        Where to stand in the best interval; its middle when left out.
    """
    best = function.best()
    middle = best.middle if best_place is None else best_place
    windows = [overview_window(function, at)]
    if function.breakpoints.size:
        windows.append(close_up_window(function))
    return {
        "best": {"low": best.low, "high": best.high, "middle": middle, "value": best.value},
        "n_steps": function.breakpoints.size,
        "windows": [drawn_steps(function, window) for window in windows],
    }
