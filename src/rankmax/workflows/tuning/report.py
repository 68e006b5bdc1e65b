"""A tuning as a web page: one file that loads nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

import numpy as np

from rankmax.files import atomic_writer
from rankmax.fusion.constraint import trade_off
from rankmax.fusion.search import LatticeSearch
from rankmax.fusion.standard import describe
from rankmax.workflows.surface.page import page
from rankmax.workflows.surface.surface import metric_segment, metric_surface
from rankmax.workflows.tuning.charts import curve, forest, histograms, steps
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.systems import SystemTuning

_RESOLUTION = 48
_MOST_HISTOGRAMS = 12


def write_report(tuning: SystemTuning, confidence: WeightConfidence, path: str | os.PathLike[str]) -> None:
    """Write the page.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Of its weights.
    path : path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.tuning.systems import tune_systems
    >>> from rankmax.workflows.tuning.confidence import weight_confidence
    >>> tuning = tune_systems(signals_of_features(planted_linear(20, 5, 2, seed=1).data), [AP()], n_repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(tuning, weight_confidence(tuning.search, tuning.fusion.weights), f"{folder}/tuning.html")
    ...     pathlib.Path(folder, "tuning.html").read_text()[:15]
    '<!doctype html>'
    """
    sections = [
        _opening(tuning),
        _methods(tuning),
        _weights(tuning, confidence),
        _plateau(tuning, confidence),
        _trade_off(tuning),
        _varying(tuning),
    ]
    template = files("rankmax.workflows.tuning").joinpath("report.html").read_text("utf-8")
    with atomic_writer(path) as file:
        file.write(template.replace("{{body}}", "\n".join(filter(None, sections))).encode())


def _opening(tuning: SystemTuning) -> str:
    data = tuning.signals.data
    return (
        f"<h1>Weights for {escape(_listed(tuning.signals.names))}</h1>"
        f"<p>{escape(tuning.metric.name)} over {data.n_queries:,} queries with {data.n_documents:,} candidates. Every "
        f"value below is of queries that took no part in the decision: {tuning.n_repeats} times {tuning.n_folds}-fold "
        "cross-validation, with a second cross-validation inside that chooses the normalisation.</p>"
        f'<p class="advice">{escape(_sentence(str(tuning.verdict)))}</p>'
    )


def _methods(tuning: SystemTuning) -> str:
    others = tuning.metrics[1:]
    rows = []
    for result in tuning.methods:
        own = result is tuning.methods[0]
        rows.append(
            [
                result.name,
                f"{result.mean:.4f}",
                f"{result.interval[0]:.3f} to {result.interval[1]:.3f}",
                *(f"{mean:.4f}" for mean in result.values[1:].mean(axis=1)),
                "" if own else f"{result.gain:+.4f} {result.marker}",
                "" if own else f"{result.gain_interval[0]:+.3f} to {result.gain_interval[1]:+.3f}",
                "" if own else f"{result.p_value:.4f}",
            ]
        )
    header = ["", tuning.metric.name, "95% interval", *(metric.name for metric in others)]
    chart = forest([(result.name, result.mean, result.interval) for result in tuning.methods], tuning.metric.name)
    return (
        "<h2>What each way to fuse is worth</h2>"
        + chart
        + _table([*header, "learned minus it", "95% interval", "p"], rows)
        + '<p class="soft">▲ the learned weights are better, ▼ worse: paired randomisation test, two-sided, '
        "Holm-corrected, p &lt; 0.05. Intervals by bootstrap over queries.</p>"
    )


def _weights(tuning: SystemTuning, confidence: WeightConfidence) -> str:
    names, weights = tuning.signals.names, tuning.fusion.weights
    order = np.argsort(-weights, kind="stable")
    ranges = confidence.plateau_ranges
    rows = [
        [
            names[j],
            f"{weights[j]:.4f}",
            f"{confidence.rounded[j]:g}",
            f"{confidence.intervals[j, 0]:.2f} to {confidence.intervals[j, 1]:.2f}",
            *([] if ranges is None else [f"{ranges[j, 0]:.2f} to {ranges[j, 1]:.2f}"]),
        ]
        for j in order.tolist()
    ]
    shown = order[:_MOST_HISTOGRAMS]
    chosen = ", ".join(f"{name} {n} times" for name, n in tuning.choices.items())
    return (
        "<h2>The weights, and how sure they are</h2>"
        f"<p>Scores are normalised within each query by <b>{escape(describe(tuning.fusion.normalisation))}</b>. "
        f"Over the folds, cross-validation chose {escape(chosen)}. Below: the best weights for resampled queries; "
        f"dashed, the learned ones. Their mean geodesic distance from these is {confidence.spread:.3f}.</p>"
        + histograms([names[j] for j in shown], confidence.resampled[:, shown], weights[shown])
        + _table(
            ["", "learned", "round", "90% of samples", *([] if ranges is None else ["inside the plateau"])],
            rows,
        )
    )


def _plateau(tuning: SystemTuning, confidence: WeightConfidence) -> str:
    if confidence.plateau_share is None:
        return ""
    best, share, drawn = confidence.optimum, confidence.plateau_share, ""
    names, data = tuning.signals.names, tuning.search.data
    if len(names) == 2:
        segment = replace(metric_segment(data, names, tuning.metric), optimum=best)
        function, share = segment.function, segment.plateau_share
        labels = (f"weight of {names[0]}; the rest is {names[1]}'s", tuning.metric.name)
        floor = best.value - best.standard_error
        drawn = steps(function.edges, function.values, floor, float(tuning.fusion.weights[0]), labels)
    elif len(names) == 3:
        surface = replace(metric_surface(data, names, tuning.metric, resolution=_RESOLUTION), optimum=best)
        share, title = surface.plateau_share, escape(f"{tuning.metric.name} over all weights")
        drawn = f'<iframe title="{title}" srcdoc="{escape(page(surface).decode())}"></iframe>'
    return (
        "<h2>The plateau</h2>"
        f"<p>The best weights for these queries, found by exact line searches, reach {best.value:.4f}, with a standard "
        f"error of {best.standard_error:.4f}. {share:.0%} of all weights are within one standard error of that: these "
        "queries cannot tell them apart."
        + (f" Proven: {confidence.proven}." if confidence.proven else "")
        + f"</p>{drawn}"
    )


def _trade_off(tuning: SystemTuning) -> str:
    if len(tuning.metrics) < 2 or not isinstance(tuning.search, LatticeSearch):
        return ""
    other = 1 if tuning.constraint is None else tuning.metrics.index(tuning.constraint.metric)
    first, second = tuning.metric.name, tuning.metrics[other].name
    points = trade_off(tuning.search, other)
    here = tuning.search.values(tuning.fusion.weights[None])[0].mean(axis=1)
    rows = [[f"{row[0]:.4f}", f"{row[1]:.4f}", *(f"{w:.2f}" for w in row[2:])] for row in points]
    bound = "" if tuning.constraint is None else f" The weights were to keep {escape(str(tuning.constraint))}."
    return (
        f"<h2>{escape(first)} against {escape(second)}</h2>"
        f"<p>On these queries, weights for which neither metric can be higher without the other being lower; in the "
        f"other colour, the learned weights.{bound}</p>"
        + curve(points[:, :2], (float(here[0]), float(here[other])), (first, second))
        + _table([first, second, *tuning.signals.names], rows)
    )


def _varying(tuning: SystemTuning) -> str:
    if tuning.varying is None or tuning.varying_verdict is None:
        return ""
    by_label = tuning.varying.weights_by_label
    rows = [
        [name, *(f"{weights[j] / weights.sum():.3f}" for weights in by_label.values())]
        for j, name in enumerate(tuning.signals.names)
    ]
    return (
        f"<h2>Weights {escape(tuning.methods[-1].name)}</h2>"
        + _table(["", *by_label], rows)
        + f'<p class="advice">{escape(_sentence(str(tuning.varying_verdict)))}</p>'
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _listed(names: Sequence[str]) -> str:
    if len(names) > 6:
        return f"{len(names)} signals"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
