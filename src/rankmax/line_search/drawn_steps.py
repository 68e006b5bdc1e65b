"""Step functions reduced to the resolution of a screen."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmax.line_search.step_function import StepFunction

_COLUMNS = 1200  # more than the pixel columns of a chart


def drawn_steps(function: StepFunction, window: tuple[float, float], n_columns: int = _COLUMNS) -> dict[str, Any]:
    """Return a step function inside a window, by screen columns where it has many steps.

    Parameters
    ----------
    function : StepFunction
    window : pair of float
    n_columns : int
        Number of columns; a chart has hardly more pixels.

    Returns
    -------
    dict
        `edges` of the columns, or of the steps themselves where there are few; the lowest (`lows`) and highest
        (`highs`) value in each; the number of steps (`n_steps`).

    Examples
    --------
    >>> drawn_steps(StepFunction(np.array([-1.0, 2.0]), np.array([0.2, 0.6, 0.4])), (0.0, 3.0))
    {'edges': [0.0, 2.0, 3.0], 'lows': [0.6, 0.4], 'highs': [0.6, 0.4], 'n_steps': 1}
    """
    low, high = window
    first, last = np.searchsorted(function.breakpoints, [low, high])
    inside, values = function.breakpoints[first:last], function.values[first : last + 1]
    if inside.size <= n_columns:
        edges = np.concatenate([[low], inside, [high]])
        return {"edges": edges.tolist(), "lows": values.tolist(), "highs": values.tolist(), "n_steps": inside.size}
    edges = np.linspace(low, high, n_columns + 1)
    # A column contains the step that continues at its left edge and all that begin inside it.
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
