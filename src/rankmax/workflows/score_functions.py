"""Score functions of a model over binned features: a piecewise constant function of each base feature."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmax._io.figures import BLUE, figure_file, plain
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.line_search.step_function import StepFunction
from rankmax.models import LinearModel
from rankmax.models.additive_model import AdditiveModel
from rankmax.preprocessing.indicators import Indicator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_PANELS = 12
_PANELS_IN_A_ROW = 4


def score_functions(model: LinearModel) -> dict[str, StepFunction]:
    r"""Return the contribution of each base feature to the score, as a function of its value.

    .. math:: g_f(x) = \sum_{k \in K_f} w_{f,k} 1_{[x > k]}

    Features that are not indicators are left out: their contribution is a straight line.

    Parameters
    ----------
    model : LinearModel
        Model learned from features binned by :class:`~rankmax.preprocessing.binning.Binning`.

    Examples
    --------
    >>> model = LinearModel(np.array([0.5, 1.0, -0.25]), ("bm25>1", "bm25>2", "bm25>4"))
    >>> bm25 = score_functions(model)["bm25"]
    >>> bm25([0.5, 1.5, 3.0, 9.0])
    array([0.  , 0.5 , 1.5 , 1.25])

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 4.2.
    """
    steps: dict[str, dict[float, float]] = {}
    for name, weight in zip(model.feature_names, model.weights.tolist(), strict=True):
        indicator = Indicator.parse(name)
        if indicator is not None:
            steps.setdefault(indicator.base, {})[indicator.threshold] = weight
    return {base: _function(weights) for base, weights in steps.items()}


def score_function_plot(
    model: LinearModel, path: str | os.PathLike[str], *, features: Sequence[str] | None = None
) -> None:
    """Draw the contribution of each base feature to the score, as Figure 2 of Yue et al. does for one.

    Parameters
    ----------
    model : LinearModel
        Model learned from binned features.
    path : path
        File to write; its suffix, .png or .svg, selects the format.
    features : sequence of str, optional
        Features to draw; by default, the twelve whose functions have the largest range.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> model = LinearModel(np.array([0.5, 1.0, -0.25]), ("bm25>1", "bm25>2", "bm25>4"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     score_function_plot(model, f"{folder}/bm25.svg")
    ...     Path(folder, "bm25.svg").read_bytes()[:5]
    b'<?xml'
    """
    functions = score_functions(model)
    if not functions:
        raise IncompatibleError(
            "the model has no binned features, named such as 'bm25>12.5': each contribution is a straight line"
        )
    for name in features or ():
        if name not in functions:
            raise UnknownNameError("binned feature", name, functions)
    heights = {name: float(np.ptp(function.values)) for name, function in functions.items()}
    shown = list(features or _highest(heights))
    _draw_panels(path, shown, lambda panel, name: _draw(panel, functions[name]))


def curve_plot(model: AdditiveModel, path: str | os.PathLike[str], *, features: Sequence[str] | None = None) -> None:
    """Draw the curves of an additive model, with their standard deviations over bags and the lines of a linear model.

    Parameters
    ----------
    model : AdditiveModel
    path : path
        File to write; its suffix, .png or .svg, selects the format.
    features : sequence of str, optional
        Features to draw; by default, the twelve whose curves are highest.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rankmax.models import Curve
    >>> model = AdditiveModel((Curve([0.0, 5.0, 30.0], [1.0, 0.25, 0.0], weight=-0.03),), ("age",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     curve_plot(model, f"{folder}/age.svg")
    ...     Path(folder, "age.svg").read_bytes()[:5]
    b'<?xml'
    """
    for name in features or ():
        if name not in model.feature_names:
            raise UnknownNameError("feature", name, model.feature_names)
    heights = {name: curve.height for name, curve in zip(model.feature_names, model.curves, strict=True)}
    if not any(heights.values()):
        raise IncompatibleError("every curve of the model is flat: it ranks nothing")
    drawn = {name: height for name, height in heights.items() if height > 0}
    _draw_panels(path, list(features or _highest(drawn)), lambda panel, name: model.curve(name).draw(panel))


def _highest(heights: Mapping[str, float]) -> list[str]:
    return sorted(heights, key=lambda name: -heights[name])[:_MOST_PANELS]


def _draw_panels(path: str | os.PathLike[str], shown: Sequence[str], draw: Callable[[Axes, str], None]) -> None:
    n_columns = min(len(shown), _PANELS_IN_A_ROW)
    n_rows = math.ceil(len(shown) / n_columns)
    with figure_file(path, "drawing score functions", size=(3 * n_columns, 2.4 * n_rows)) as figure:
        panels = figure.subplots(n_rows, n_columns, sharey=True, squeeze=False).ravel()
        for panel, name in zip(panels, shown, strict=False):
            draw(panel, name)
            panel.set_xlabel(plain(name))
        for panel in panels[len(shown) :]:
            panel.set_axis_off()
        for panel in panels[::n_columns]:
            panel.set_ylabel("added to the score")


def _function(weights: dict[float, float]) -> StepFunction:
    thresholds = sorted(weights)
    heights = np.cumsum([0.0, *(weights[threshold] for threshold in thresholds)])
    return StepFunction(np.array(thresholds), heights)


def _draw(axes: Axes, function: StepFunction) -> None:
    first, last = function.breakpoints[[0, -1]]
    margin = 0.1 * (last - first) or 1.0
    edges = np.concatenate([[first - margin], function.breakpoints, [last + margin]])
    axes.stairs(function.values, edges, baseline=None, color=BLUE, linewidth=1.5)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
