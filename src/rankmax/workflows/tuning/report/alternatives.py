"""The sections of a tuning's page on two metrics at once, and on weights that depend on the query."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmax.workflows.tuning.report.axes import Kind
from rankmax.workflows.tuning.report.charts import curve
from rankmax.workflows.tuning.report.elements import legend, paragraph, section, table
from rankmax.workflows.tuning.tuning_result import Row, SystemTuning


def two_metrics(tuning: SystemTuning, summary: dict[str, Any]) -> str:
    """Return the section on the trade-off of two metrics; empty where there is one metric.

    Parameters
    ----------
    tuning : SystemTuning
    summary : dict
        Summary of the tuning.
    """
    if "trade_off" not in summary:
        return ""
    first, second = summary["trade_off_metrics"]
    points = summary["trade_off"]
    marked = [_marked(tuning, tuning.current_row, "current"), _marked(tuning, tuning.pick, "pick")]
    rows = [
        [f"{point['values'][0]:.4f}", f"{point['values'][1]:.4f}", *(f"{w:.2f}" for w in point["weights"])]
        for point in points
    ]
    kept = ""
    if "constraint" in summary:
        constraint = summary["constraint"]
        kept = paragraph(
            f"Constraint {constraint['text']}: "
            f"{'met' if constraint['met'] else 'cannot be met'}, with {constraint['value']:.4f} on all queries and "
            f"{constraint['held_out']:.4f} held out."
        )
    return section(
        f"{first} against {second}",
        "on these queries",
        paragraph(
            f"Weights for {summary['learned']['normalization']} scores for which neither metric can be higher without "
            "the other being lower, together with the pick and the current fusion."
        ),
        kept,
        curve(np.array([point["values"] for point in points]), marked, (first, second)),
        legend(("pick", "pick"), ("current", "current"), ("other", "best weights")),
        table([first, second, *tuning.signals.names], rows),
    )


def _marked(tuning: SystemTuning, row: Row, kind: Kind) -> tuple[float, float, str, Kind]:
    first, second = row.fusion.values[[0, tuning.second_metric]].mean(axis=1).tolist()
    return first, second, f"{kind}: {first:.4f}, {second:.4f}", kind


def weights_by_query(summary: dict[str, Any]) -> str:
    """Return the section on query-dependent weights; empty where they were not requested.

    Parameters
    ----------
    summary : dict
        Summary of a tuning.
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
