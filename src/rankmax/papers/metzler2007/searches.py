"""Comparison of grid search, coordinate ascent and steepest ascent: section 4 of the draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmax.papers.metzler2007.proximity_study import OPTIMIZERS, PROXIMITY, climbing
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Report, Table
from rankmax.papers.verdicts import Interval, Rule

_SUFFIX = climbing("")


def _searches(values: Values, expected: Mapping[str, Any]) -> Report:
    found = {name.removesuffix(_SUFFIX): one for name, one in values.items() if name.endswith(_SUFFIX)}
    rows = [
        [
            name,
            optimizer,
            f"{np.mean(one[optimizer]['values']):.4f}",
            f"{max(one[optimizer]['values']):.4f}",
            str(one[optimizer]["lines"]),
            str(one[optimizer]["evaluations"]),
        ]
        for name, one in found.items()
        for optimizer in OPTIMIZERS
    ]
    mean = {
        optimizer: float(np.mean([np.mean(one[optimizer]["values"]) for one in found.values()]))
        for optimizer in OPTIMIZERS
    }
    gains = [
        np.mean(one["coordinate ascent"]["values"]) - np.mean(one["steepest ascent"]["values"])
        for one in found.values()
    ]
    rule = Rule.of_claim(expected, "coordinate-beats-steepest")
    evidence = ", ".join(f"{optimizer} {value:.4f}" for optimizer, value in mean.items())
    return Report(
        (
            Table(
                "Mean average precision of training documents, over random starts",
                ["", "optimizer", "mean", "best", "lines", "points"],
                rows,
            ),
        ),
        {"coordinate-beats-steepest": rule.finding(Interval.of_mean(gains), "collections", f"means: {evidence}")},
    )


SEARCHES = Exhibit("optimizers", "Grid, coordinate and steepest ascent", PROXIMITY, _searches)
