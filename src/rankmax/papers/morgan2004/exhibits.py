"""Table 1 and Figures 1 to 3, from grown queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankmax._io.figures import BLUE, ORANGE, figure_file
from rankmax.papers.morgan2004.growth import GROWTH, SHORT
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Finding, Report, Table, Verdict
from rankmax.papers.verdicts import Interval, Rule

_WAYS = ("weight_search", "maximum_entropy")


def _short(growth: Mapping[str, Any], way: str) -> float:
    values = growth[way]
    return float(values[min(SHORT, len(values)) - 1])


def _n_terms(values: Sequence[float]) -> str:
    best = int(np.argmax(values)) + 1
    return f">{best}" if best == len(values) and max(values) < 0.9995 else str(best)


def _table_1(values: Values, expected: Mapping[str, Any]) -> Report:
    rows = []
    for name, growth in values.items():
        shown = [
            *(_short(growth, way) for way in _WAYS),
            growth["ours"][min(growth["ours"], key=int)],
            *(max(growth[way]) for way in _WAYS),
            growth["ours"][max(growth["ours"], key=int)],
        ]
        n_terms = [_n_terms(growth[way]) for way in _WAYS]
        rows.append([f"{name}: {growth['topic']}", *(f"{v:.2f}" for v in shown), *n_terms])
    header = ["topic", "5 terms WS", "ME", "ours", "best WS", "ME", "ours", "terms WS", "ME"]
    short = {way: np.array([_short(growth, way) for growth in values.values()]) for way in _WAYS}
    best = {way: np.array([max(growth[way]) for growth in values.values()]) for way in _WAYS}
    unseen = {way: np.array([growth["test"][way] for growth in values.values()]) for way in _WAYS}
    means = [
        [label, *(f"{by_way[way].mean():.3f}" for way in _WAYS)]
        for label, by_way in (("5 terms", short), ("best", best), ("all terms, test documents", unseen))
    ]
    paper = expected["table-1"]["rows"]
    ours = Table("Average precision on training documents (WS weight search, ME maximum entropy)", header, rows)
    mean_table = Table("Means over topics", ["AP with", "weight search", "maximum entropy"], means)
    theirs = Table(
        "The paper's, on TREC topics",
        ["topic", "5 terms WS", "ME", "best WS", "ME", "terms WS", "ME"],
        [[str(row[0]), *(f"{v:.2f}" for v in row[1:5]), *row[5:]] for row in paper],
    )
    return Report((ours, mean_table, theirs), _table_1_findings(short, best, expected))


def _table_1_findings(
    short: Mapping[str, Any], best: Mapping[str, Any], expected: Mapping[str, Any]
) -> dict[str, Finding]:
    gains = best["weight_search"] - best["maximum_entropy"]
    differences = (short["weight_search"] - short["maximum_entropy"]).round(2)  # as printed
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    as_good, small = (Rule.of_claim(expected, claim) for claim in ("maximum-entropy-as-good", "small-queries"))
    return {
        "maximum-entropy-as-good": as_good.finding(Interval.of_mean(gains), "topics"),
        "small-queries": small.finding(
            Interval.of_mean(differences), "topics", f"better on {wins} of them and worse on {losses}"
        ),
    }


def _figure_1(values: Values, expected: Mapping[str, Any]) -> Report:
    falls = {name: np.flatnonzero(np.diff(growth["maximum_entropy"]) < 0) + 2 for name, growth in values.items()}
    dipping = [name for name, sizes in falls.items() if sizes.size]
    rows = [[name, ", ".join(map(str, sizes.tolist())) or "none"] for name, sizes in falls.items()]
    evidence = f"AP fell with a term more on {len(dipping)} of {len(falls)} topics"
    return Report(
        (Table("Numbers of terms with which maximum entropy fell", ["topic", "terms"], rows),),
        {"maximum-entropy-dips": Finding(Verdict.HOLDS if dipping else Verdict.INCONCLUSIVE, evidence)},
    )


def _figure_2(values: Values, expected: Mapping[str, Any]) -> Report:
    return Report()


def _figure_3(values: Values, expected: Mapping[str, Any]) -> Report:
    falls = [name for name, growth in values.items() if (np.diff(growth["weight_search"]) < 0).any()]
    evidence = f"weight search fell on {len(falls)} of {len(values)} topics"
    return Report((), {"weight-search-never-falls": Finding(Verdict.FAILS if falls else Verdict.HOLDS, evidence)})


def _draw_figure_1(values: Values, path: Path) -> None:
    """Draw the topic whose average precision fell most often."""
    name, growth = max(values.items(), key=lambda item: int((np.diff(item[1]["maximum_entropy"]) < 0).sum()))
    curve = np.array(growth["maximum_entropy"])
    falls = np.flatnonzero(np.diff(curve) < 0) + 2
    with figure_file(path, "drawing how a query grows") as figure:
        axes = figure.add_subplot()
        axes.plot(np.arange(1, curve.size + 1), curve, "--.", color=ORANGE, label=f"maximum entropy, {name}")
        axes.plot(falls, curve[falls - 1], "o", markersize=11, fillstyle="none", color="black", label="fell")
        _label(axes, "terms", "AP")


def _draw_figure_2(values: Values, path: Path) -> None:
    name, growth = max(values.items(), key=lambda item: sum(slope != 0 for _, slope, _ in item[1]["lines"]))
    mu = np.array([-2.0, 2.0])
    with figure_file(path, "drawing documents' lines") as figure:
        axes = figure.add_subplot()
        for relevant, color, label in ((0, "0.7", "other documents"), (1, BLUE, "relevant documents")):
            lines = [line for line in growth["lines"] if line[2] == relevant]
            for place, (score, slope, _) in enumerate(lines):
                axes.plot(mu, score + slope * mu, color=color, linewidth=1, label=None if place else label)
        _label(axes, f"weight of a term ({name})", "score")


def _draw_figure_3(values: Values, path: Path) -> None:
    with figure_file(path, "drawing how queries grow") as figure:
        axes = figure.add_subplot()
        for name, growth in values.items():
            curve = growth["weight_search"]
            axes.plot(np.arange(1, len(curve) + 1), curve, linewidth=1, label=name)
        _label(axes, "terms", "AP")


def _label(axes: Any, x: str, y: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.locator_params(axis="x", integer=True)
    axes.legend(frameon=False, fontsize=7, loc="lower right")


TABLE_1 = Exhibit("table-1", "Average precision by weight search and by maximum entropy", GROWTH, _table_1)
FIGURE_1 = Exhibit("figure-1", "Average precision by query size, maximum entropy", GROWTH, _figure_1, _draw_figure_1)
FIGURE_2 = Exhibit("figure-2", "Documents' scores along one weight", GROWTH, _figure_2, _draw_figure_2)
FIGURE_3 = Exhibit("figure-3", "Average precision by query size, weight search", GROWTH, _figure_3, _draw_figure_3)
