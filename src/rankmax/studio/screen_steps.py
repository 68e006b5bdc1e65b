"""A step function for the page: an overview, and a close-up."""

from __future__ import annotations

import math
from typing import Any

from rankmax.line_search.drawn_steps import drawn_steps
from rankmax.line_search.step_function import StepFunction
from rankmax.line_search.step_plots import close_up_window, overview_window


def described_function(
    function: StepFunction,
    at: float,
    best_place: float | None = None,
    within: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """Return a step function for the page: an overview, and a close-up of its best interval.

    Parameters
    ----------
    function : StepFunction
    at : float
        Current position on the page.
    best_place : float, optional
        Point to jump to in the best interval; its middle by default.
    within : pair of float, optional
        Interval to show in full where its ends are finite.
    """
    best = function.best()
    middle = best.middle if best_place is None else best_place
    low, high = overview_window(function, at)
    ends = [end for end in within or () if math.isfinite(end)]
    windows = [(min([low, *ends]), max([high, *ends]))]
    if function.breakpoints.size:
        windows.append(close_up_window(function))
    return {
        "best": {"low": best.low, "high": best.high, "middle": middle, "value": best.value},
        "n_steps": function.breakpoints.size,
        "windows": [drawn_steps(function, window) for window in windows],
    }
