"""Table 1 and Figure 1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankmax._io.figures import BLUE, ORANGE, figure_file
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Finding, Report, Table, Verdict
from rankmax.papers.verdicts import Interval, Rule
from rankmax.papers.yang2010.study import (
    DIRECT,
    EXPECTED,
    FOLDS,
    LINEAR,
    MEASURED,
    METRICS,
    OURS,
    PAPERS,
    direct_name,
    step_name,
)

_LEVEL = 0.05
_VERDICTS = ("better", "same", "worse")
_MARKERS = {"better": " ▲", "same": "", "worse": " ▼"}

Cases = dict[str, list[tuple[str, str, dict[str, float]]]]
"""Results by collection, loss and metric."""


def _cases(values: Values, way: str) -> Cases:
    found: Cases = {}
    for name, by_metric in values.items():
        collection, *its_way, loss = name.rsplit(", ", 2)
        if its_way == [way]:
            found.setdefault(collection, []).extend((loss, metric, by_metric[metric]) for metric in METRICS)
    return found


def _verdict(case: Mapping[str, float]) -> str:
    if case["p_value"] >= _LEVEL:
        return "same"
    return "better" if case[EXPECTED] > case[LINEAR] else "worse"


def _change(case: Mapping[str, float]) -> float:
    if case[EXPECTED] == case[LINEAR]:  # perhaps both 0: LETOR's NDCG@10 is 0 where no query has ten documents
        return 0.0
    return case[EXPECTED] / case[LINEAR] - 1 if case[LINEAR] else np.inf


def _summary(cases: Cases) -> list[list[str]]:
    columns = {name: [_verdict(case) for *_, case in found] for name, found in cases.items()}
    changes = {name: [_change(case) for *_, case in found] for name, found in cases.items()}
    every = [verdict for column in columns.values() for verdict in column]
    return [
        *(
            [
                verdict.capitalize(),
                *(str(column.count(verdict)) for column in columns.values()),
                str(every.count(verdict)),
            ]
            for verdict in _VERDICTS
        ),
        ["Total", *(str(len(column)) for column in columns.values()), str(len(every))],
        [
            "Avg. change",
            *(f"{np.mean(column):+.1%}" for column in changes.values()),
            f"{np.mean([np.mean(column) for column in changes.values()]):+.1%}",
        ],
    ]


def _table_1(values: Values, expected: Mapping[str, Any]) -> Report:
    tables = []
    for way in (PAPERS, OURS):
        cases = _cases(values, way)
        title = f"Expected gain against linear scores, {'descent ' if way == PAPERS else ''}{way}"
        tables.append(Table(title, ["Dataset", *cases, "Total"], _summary(cases)))
    paper = expected["table-1"]
    tables.append(Table("The paper's, on LETOR 3.0", ["Dataset", *paper["columns"]], paper["rows"]))
    arms, note = _learned(_cases(values, PAPERS), float(paper["collapsed_below"]))
    if not arms:
        untested = Finding(Verdict.NOT_TESTED, note)
        return Report(tables, {"improves": untested, "low-risk": untested})
    flat = [case for arm in arms for case in arm]
    n_worse = sum(_verdict(case) == "worse" for case in flat)
    changes = [float(np.mean([_change(case) for case in arm])) for arm in arms]
    notes = [*([note] if note else []), f"with our defaults: {_counted(_cases(values, OURS))}"]
    improves, low_risk = (Rule.of_claim(expected, claim) for claim in ("improves", "low-risk"))
    return Report(
        tables,
        {
            "improves": improves.finding(Interval.of_mean(changes), "pairs of collection and loss", *notes),
            "low-risk": low_risk.finding(Interval.of_share(n_worse, len(flat)), "cases", *notes[:-1]),
        },
    )


def _arms(cases: Cases) -> dict[str, list[list[dict[str, float]]]]:
    """Return, by loss, the cases of each collection, one for each metric."""
    arms: dict[str, list[list[dict[str, float]]]] = {}
    for found in cases.values():
        for loss in dict.fromkeys(loss for loss, *_ in found):
            arms.setdefault(loss, []).append([case for its_loss, _, case in found if its_loss == loss])
    return arms


def _learned(cases: Cases, share: float) -> tuple[list[list[dict[str, float]]], str]:
    """Leave out losses whose descent collapsed on some collection: there our reimplementation failed, not the paper."""
    arms = _arms(cases)
    collapsed = [
        loss
        for loss, by_collection in arms.items()
        if any(sum(case[EXPECTED] - share * case[LINEAR] for case in arm) < 0 for arm in by_collection)
    ]
    kept = [arm for loss, by_collection in arms.items() if loss not in collapsed for arm in by_collection]
    if not collapsed:
        return kept, ""
    return kept, (
        f"left out: {', '.join(collapsed)}, for which our descent collapsed below {share:.0%} of linear scores on some "
        "collection, a failed reimplementation"
    )


def _counted(cases: Cases) -> str:
    """Return the counts of the verdicts and the average change in words."""
    flat = [case for found in cases.values() for *_, case in found]
    counts = {verdict: sum(_verdict(case) == verdict for case in flat) for verdict in _VERDICTS}
    change = float(np.mean([_change(case) for case in flat]))
    shown = ", ".join(f"{verdict} {n}" for verdict, n in counts.items())
    return f"{shown}; average change {change:+.1%}"


def _figure_1(values: Values, expected: Mapping[str, Any]) -> Report:
    rows = []
    for collection in _cases(values, PAPERS):
        for way in (PAPERS, OURS):
            for loss in dict.fromkeys(loss for loss, *_ in _cases(values, way)[collection]):
                found = values[step_name(collection, way, loss)]
                rows.append([collection, way, loss, LINEAR, *(f"{found[metric][LINEAR]:.4f}" for metric in MEASURED)])
                rows.append([collection, way, loss, EXPECTED, *(_marked(found[metric]) for metric in MEASURED)])
        direct = values[direct_name(collection)]
        rows.append([collection, DIRECT, "none", LINEAR, *(f"{direct[metric]:.4f}" for metric in MEASURED)])
    title = "Means over the test queries of the folds (▲ significantly better than linear scores, ▼ worse)"
    return Report((Table(title, ["collection", "way", "loss", "scores", *MEASURED], rows),))


def _marked(case: Mapping[str, float]) -> str:
    return f"{case[EXPECTED]:.4f}{_MARKERS[_verdict(case)]}"


def _draw_figure_1(values: Values, path: Path) -> None:
    cases = {(name, way): found for way in (PAPERS, OURS) for name, found in _cases(values, way).items()}
    losses = list(dict.fromkeys(loss for found in cases.values() for loss, *_ in found))
    with figure_file(path, "drawing bars", size=(3.2 * len(losses), 2.2 * len(cases))) as figure:
        panels = figure.subplots(len(cases), len(losses), squeeze=False)
        for row, ((collection, way), found) in zip(panels, cases.items(), strict=True):
            for axes, loss in zip(row, losses, strict=True):
                places = np.arange(len(METRICS))
                for shift, scoring, color in ((-0.2, LINEAR, BLUE), (0.2, EXPECTED, ORANGE)):
                    heights = [case[scoring] for its_loss, _, case in found if its_loss == loss]
                    axes.bar(places + shift, heights, 0.38, color=color, label=scoring)
                axes.set_xticks(places, list(METRICS))
                axes.set_title(f"{collection}, {loss}, {way}", fontsize=8)
                axes.spines[["top", "right"]].set_visible(False)
        figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)


TABLE_1 = Exhibit("table-1", "How often expected gain ranks better than linear scores", FOLDS, _table_1)
FIGURE_1 = Exhibit("figure-1", "NDCG of linear scores and of expected gain", FOLDS, _figure_1, _draw_figure_1)
