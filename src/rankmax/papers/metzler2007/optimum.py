"""The proven maximum compared with the results of coordinate ascent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmax.papers.metzler2007.local_maxima import local_maxima
from rankmax.papers.metzler2007.proximity_study import PROXIMITY, climbing, proving, surveying, training
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Report, Table
from rankmax.papers.verdicts import Interval, Rule

_SUFFIX = training("")
_NEAR = 0.01


def _optimum(values: Values, expected: Mapping[str, Any]) -> Report:
    rows, losses = [], []
    for name in (step.removesuffix(_SUFFIX) for step in values if step.endswith(_SUFFIX)):
        proven = values[proving(name)]
        ends = np.array(values[climbing(name)]["coordinate ascent"]["values"])
        loss = 1 - ends / proven["bound"]
        rows.append(
            [
                name,
                f"{proven['value']:.4f}",
                f"{proven['bound']:.4f}",
                f"{ends.max():.4f}",
                f"{loss.min():.2%}",
                f"{(loss <= _NEAR).sum()} of {loss.size}",
                str(local_maxima(np.array(values[surveying(name)])).n_maxima),
            ]
        )
        losses.append(loss)
    header = [
        "",
        "best known",
        "proven: at most",
        "best of all starts",
        "below the maximum by at most",
        f"starts that end within {_NEAR:.0%}",
        "local maxima on the lattice",
    ]
    rule = Rule.of_claim(expected, "easy-to-climb")
    note = f"one start ends {np.mean(np.concatenate(losses)):.2%} below it on average"
    interval = Interval.of_range([loss.min() for loss in losses])  # nothing is sampled: the maximum is proven
    title = "Mean average precision of training documents: the proven maximum and coordinate ascent"
    table = Table(title, header, rows)
    return Report((table,), {"easy-to-climb": rule.finding(interval, "collections", note)})


OPTIMUM = Exhibit("optimum", "The proven maximum, and how far from it coordinate ascent ends", PROXIMITY, _optimum)
