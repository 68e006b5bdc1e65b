"""The sections of a tuning's page on two metrics at once, and on weights that depend on the query."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmax.workflows.tuning.report.axes import Kind
from rankmax.workflows.tuning.report.charts import curve
from rankmax.workflows.tuning.report.elements import legend, paragraph, section, table
from rankmax.workflows.tuning.result import SystemTuning


def two_metrics(tuning: SystemTuning, summary: dict[str, Any]) -> str:
    """Return the section on the trade-off of two metrics; nothing where there is one metric.

    Parameters
    ----------
    tuning : SystemTuning
    summary : dict
        Of the tuning.
    """
    if "trade_off" not in summary:
        return ""
    first, second = summary["metrics"][:2]
    points = summary["trade_off"]
    marked = [_marked(tuning.current_row.fusion.values, "current"), _marked(tuning.pick.fusion.values, "pick")]
    rows = [
        [f"{point['values'][0]:.4f}", f"{point['values'][1]:.4f}", *(f"{w:.2f}" for w in point["weights"])]
        for point in points
    ]
    kept = ""
    if "constraint" in summary:
        constraint = summary["constraint"]
        kept = paragraph(
            f"The weights were to keep {constraint['text']}: "
            f"{'kept' if constraint['met'] else 'cannot be kept'}, with {constraint['value']:.4f} on all queries and "
            f"{constraint['held_out']:.4f} held out."
        )
    return section(
        f"{first} against {second}",
        "on these queries",
        paragraph(
            f"Weights for {summary['learned']['normalisation']} scores for which neither metric can be higher without "
            "the other being lower, and beside them the pick and the current fusion."
        ),
        kept,
        curve(np.array([point["values"] for point in points]), marked, (first, second)),
        legend(("pick", "pick"), ("current", "current"), ("other", "best weights")),
        table([first, second, *tuning.signals.names], rows),
    )


def _marked(values: np.ndarray[Any, np.dtype[np.float64]], kind: Kind) -> tuple[float, float, str, Kind]:
    first, second = values[:2].mean(axis=1).tolist()
    return first, second, f"{kind}: {first:.4f}, {second:.4f}", kind


def weights_by_query(summary: dict[str, Any]) -> str:
    """Return the section on weights that depend on the query; nothing where nobody asked for them.

    Parameters
    ----------
    summary : dict
        Of a tuning.
    """
    if "varying" not in summary:
        return ""
    varying = summary["varying"]
    by_label = varying["weights"]
    rows = [[name, *(f"{weights[name]:.3f}" for weights in by_label.values())] for name in summary["weights"]]
    name = varying["name"]
    return section(
        name[:1].upper() + name[1:],
        "held out",
        paragraph(varying["verdict"]["text"], "advice"),
        table(["", *by_label], rows),
        paragraph("The verdict is on held-out queries; the weights are learned from all.", "soft"),
    )
