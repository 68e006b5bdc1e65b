"""The section of a tuning's page on the metric over all weights: a segment, a triangle, or slices."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

from rankmax._arrays import F64
from rankmax.fusion.candidates import WeightedFusion
from rankmax.fusion.weight_search import RankConstantSearch
from rankmax.workflows.surface import surface_page as surface_page
from rankmax.workflows.surface.metric_surface import metric_segment, metric_surface
from rankmax.workflows.surface.slices import MetricSlice, metric_slices
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.report.axes import Kind, Mark
from rankmax.workflows.tuning.report.elements import legend, paragraph, section
from rankmax.workflows.tuning.report.step_chart import step_chart
from rankmax.workflows.tuning.tuning_result import SystemTuning

_RESOLUTION = 48
_MOST_SLICED = 6


class _Point(NamedTuple):
    """Weights, with sum 1, that can be drawn on the chart."""

    label: str
    kind: Kind
    weights: F64


def landscape(tuning: SystemTuning, confidence: WeightConfidence, summary: dict[str, Any]) -> str:
    """Return the section on the metric over all weights.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Confidence in its learned weights.
    summary : dict
        Summary of both.
    """
    best, share, n = summary["best"], summary["plateau_share"], len(tuning.signals.names)
    points, beside = (
        _points(tuning),
        Mark(summary["rows"][1]["mean"], f"current: {summary['rows'][1]['mean']:.4f}", "current"),
    )
    floor = best["value"] - best["standard_error"]
    linear = not isinstance(tuning.search, RankConstantSearch)  # else no chart by lines would be exact
    if not linear:
        drawn = ""
    elif n == 2:
        drawn = _segment(tuning, points, floor, beside)
    elif n == 3:
        drawn = _triangle(tuning, confidence, points, share)
    else:
        drawn = _slices(tuning, points, floor, beside) if n <= _MOST_SLICED else ""
    scores = summary["learned"]["normalization"].removesuffix(" scores")
    told = (
        f"With {scores} scores, the best weights reach {best['value']:.4f}, with a standard error of "
        f"{best['standard_error']:.4f}."
    )
    if share is not None:
        told += (
            f" {share:.0%} of all weights are within one standard error of that: these queries cannot tell them apart."
        )
    if best["proven"]:
        told += f" Proven: {best['proven']}."
    absent = _absent(tuning, points) if linear else ""
    return section("The metric over all weights", "on these queries", paragraph(told), drawn, absent)


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


def _absent(tuning: SystemTuning, points: list[_Point]) -> str:
    drawn = {point.label for point in points}
    absent = {"pick": tuning.pick.label, "current": tuning.current.label}
    missing = [f"the {label} one ({name})" for label, name in absent.items() if label not in drawn]
    if not missing or len(tuning.signals.names) > _MOST_SLICED:
        return ""
    names = " and ".join(missing)
    return paragraph(f"Weights for scores normalized otherwise cannot be shown in this chart: {names}.", "soft")


def _legend(points: list[_Point], beside: Mark) -> str:
    weights = [(point.kind, f"weights: {point.label}") for point in points]
    return legend(
        *weights, (beside.kind, f"horizontal: {beside.label}"), ("shade", "within one standard error of best")
    )


def _segment(tuning: SystemTuning, points: list[_Point], floor: float, beside: Mark) -> str:
    first, second = tuning.signals.names
    function = metric_segment(tuning.search.data, (first, second), tuning.metric).function
    marks = [Mark(float(point.weights[0]), f"{point.label}: {point.weights[0]:.3f}", point.kind) for point in points]
    labels = (f"weight of {first}; the rest is {second}'s", tuning.metric.name)
    return step_chart(function, floor, marks, labels, beside=beside) + _legend(points, beside)


def _triangle(tuning: SystemTuning, confidence: WeightConfidence, points: list[_Point], share: float | None) -> str:
    names, data = tuning.signals.names, tuning.search.data
    surface = metric_surface(data, names, tuning.metric, resolution=_RESOLUTION)
    marks = [
        surface_page.Mark(
            point.label, tuple(point.weights.tolist()), float(tuning.search.values(point.weights[None])[0, 0].mean())
        )
        for point in points
    ]
    drawn = surface_page.page(replace(surface, optimum=confidence.optimum), marks=marks, plateau_share=share)
    title = escape(f"{tuning.metric.name} over all weights")
    return f'<iframe title="{title}" srcdoc="{escape(drawn.decode())}"></iframe>'


def _slices(tuning: SystemTuning, points: list[_Point], floor: float, beside: Mark) -> str:
    """Return a chart per pair of systems, through the pick, or through the learned weights where it cannot be drawn.

    Parameters
    ----------
    tuning : SystemTuning
    points : list of _Point
        Points to mark; all slices pass through the first.
    floor : float
    beside : Mark
        Mark of the current fusion's value.
    """
    start, *others = points
    slices = metric_slices(tuning.search.data, start.weights, tuning.metric)
    low = min(float(one.function.values.min()) for one in slices)
    high = max(float(one.function.values.max()) for one in slices)
    charts = []
    for one in slices:
        first, second = one.features
        marks = [Mark(one.at, f"{start.label}: {one.at:.3f}", start.kind)]
        marks += [mark for point in others if (mark := _share(tuning, one, point)) is not None]
        labels = (f"weight of {first}; {second} has the rest of {one.function.high:.2f}", tuning.metric.name)
        chart = step_chart(one.function, floor, marks, labels, beside=beside, values=(low, high))
        charts.append(f"<figure><figcaption>{escape(first)} or {escape(second)}</figcaption>{chart}</figure>")
    name = "pick" if start.label == "pick" else "learned weights"
    return (
        paragraph(
            "Each chart trades the weight of one system for that of another; all other weights are those of the "
            f"{name}; the metric is exact at every weight. "
            + ("Other weights are marked by their shares between the two." if others else "")
        )
        + f'<div class="slices">{"".join(charts)}</div>'
        + _legend(points, beside)
    )


def _share(tuning: SystemTuning, one: MetricSlice, point: _Point) -> Mark | None:
    """Return the mark where a slice divides its weight as a point does; None where both have weight 0 in the point."""
    i, j = (tuning.signals.names.index(name) for name in one.features)
    both = float(point.weights[i] + point.weights[j])
    if not both:
        return None
    share = float(point.weights[i]) / both
    return Mark(share * one.function.high, f"{point.label}: {share:.0%} of both", point.kind)
