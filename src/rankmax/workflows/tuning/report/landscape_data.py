"""The metric over all weights, as a tuning's page draws it: a segment, a triangle, or slices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankmax._arrays import F64
from rankmax.fusion.candidates import WeightedFusion
from rankmax.fusion.weight_search import RankConstantSearch
from rankmax.line_search.drawn_steps import drawn_steps
from rankmax.line_search.step_function import StepFunction
from rankmax.workflows.surface.metric_surface import metric_segment, metric_surface
from rankmax.workflows.surface.slices import MetricSlice, metric_slices
from rankmax.workflows.surface.surface_page import surface_data
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.tuning_result import SystemTuning

Kind: TypeAlias = Literal["pick", "current", "other"]
"""Kind of a drawn element, which decides its color in every chart."""

_RESOLUTION = 48
_MOST_SLICED = 6
_COLUMNS = 400  # of each of up to fifteen slices
_DIGITS = 6


class _Point(NamedTuple):
    """Weights, with sum 1, that can be drawn on the chart."""

    label: str
    kind: Kind
    weights: F64


def landscape_data(tuning: SystemTuning, confidence: WeightConfidence) -> dict[str, Any] | None:
    """Return the metric over all weights as plain data; None for more than six systems or Qdrant's ranks.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Confidence in its learned weights.

    Returns
    -------
    dict
        `exchanges`, the metric as two systems trade weight, for two systems and for four to six; or `surface`, for
        three. `marks` are the weights that can be shown, and `absent` names those that cannot, because they are for
        scores normalized otherwise.
    """
    n = len(tuning.signals.names)
    if n > _MOST_SLICED or isinstance(tuning.search, RankConstantSearch):  # no line of the latter's would be exact
        return None
    points = _points(tuning)
    drawn = {point.label for point in points}
    names = {"pick": tuning.pick.label, "current": tuning.current.label}
    data: dict[str, Any] = {
        "marks": [_mark(tuning, point) for point in points],
        "absent": [f"the {label} one ({name})" for label, name in names.items() if label not in drawn],
        "current": tuning.current_row.mean,
        "floor": confidence.optimum.value - confidence.optimum.standard_error,
        "through": "pick" if points[0].label == "pick" else "learned weights",
        "surface": None,
        "exchanges": [],
    }
    if n == 2:
        data["exchanges"] = [_segment(tuning, points)]
    elif n == 3:
        surface = metric_surface(tuning.search.data, tuning.signals.names, tuning.metric, resolution=_RESOLUTION)
        best = replace(surface, optimum=confidence.optimum)
        data["surface"] = surface_data(best, plateau_share=confidence.plateau_share)
    else:
        slices = metric_slices(tuning.search.data, points[0].weights, tuning.metric)
        data["exchanges"] = [_slice(tuning, one, points) for one in slices]
    return data


def _points(tuning: SystemTuning) -> list[_Point]:
    """Return the pick, the learned weights if they differ, and the current ones, as far as they can be drawn."""
    candidates: list[tuple[str, Kind, WeightedFusion]] = [("pick", "pick", tuning.pick.fusion)]
    if tuning.learned.label != tuning.pick.label:
        candidates.append(("learned", "other", tuning.learned_fusion))
    candidates.append(("current", "current", tuning.current_row.fusion))
    return [
        _Point(label, kind, fusion.weights / fusion.weights.sum())
        for label, kind, fusion in candidates
        if fusion.normalization == tuning.learned.normalization and (fusion.weights >= 0).all()
    ]


def _mark(tuning: SystemTuning, point: _Point) -> dict[str, Any]:
    return {
        "label": point.label,
        "kind": point.kind,
        "weights": point.weights.tolist(),
        "value": float(tuning.search.values(point.weights[None])[0, 0].mean()),
    }


def _segment(tuning: SystemTuning, points: list[_Point]) -> dict[str, Any]:
    names = tuning.signals.names
    function = metric_segment(tuning.search.data, names, tuning.metric).function
    marks = [{"at": float(point.weights[0]), "label": point.label, "kind": point.kind} for point in points]
    return {"features": list(names), "total": 1.0, "steps": _steps(function), "marks": marks}


def _slice(tuning: SystemTuning, one: MetricSlice, points: list[_Point]) -> dict[str, Any]:
    """Return a slice through the first point; the others are marked where the slice divides its weight as they do."""
    start, *others = points
    i, j = (tuning.signals.names.index(name) for name in one.features)
    marks = [{"at": one.at, "label": start.label, "kind": start.kind}]
    for point in others:
        both = float(point.weights[i] + point.weights[j])
        if both:
            at = float(point.weights[i]) / both * one.function.high
            marks.append({"at": at, "label": point.label, "kind": point.kind})
    total = one.function.high
    return {"features": list(one.features), "total": total, "steps": _steps(one.function), "marks": marks}


def _steps(function: StepFunction) -> dict[str, list[float]]:
    drawn = drawn_steps(function, (function.low, function.high), _COLUMNS)
    return {name: np.round(drawn[name], _DIGITS).tolist() for name in ("edges", "lows", "highs")}
