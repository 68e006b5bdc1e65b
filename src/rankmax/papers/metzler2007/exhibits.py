"""Tables 3, 6 and 7, and Figure 1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankmax._io.figures import figure_file
from rankmax.papers.metzler2007.bag_of_words import (
    BAG_OF_WORDS,
    BALANCED,
    DIRECT,
    LANGUAGE_MODEL,
    MODELS,
    PARTS,
    UNBALANCED,
)
from rankmax.papers.metzler2007.hills import hills, n_steps_of
from rankmax.papers.metzler2007.learning_collection import LEVEL
from rankmax.papers.metzler2007.proximity_study import PROXIMITY, smoothing, surveying, testing, training
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Finding, Report, Table
from rankmax.spaces.lattice import simplex_lattice
from rankmax.workflows.surface.surface_plots import to_plane

_TRANSFER = 0.03  # mean loss of weights from another collection that still counts as transfer; the paper's is 0.013
_NEAR = 0.01
_MOSTLY = 0.9
_FEATURES = ("terms", "phrases", "windows")


def _table_3(values: Values, expected: Mapping[str, Any]) -> Report:
    runs = {(name, part): result[part] for name, result in values.items() for part in PARTS}
    header = ["", *(f"{name} {part}" for name, part in runs)]
    rows = [[model, *(_marked(run, model) for run in runs.values())] for model in MODELS]
    paper = expected["table-3"]
    tables = (
        Table("Mean average precision (‡ better than the balanced SVM, † than language modeling)", header, rows),
        Table("The paper's, on TREC collections", ["", *paper["columns"]], paper["rows"]),
    )
    return Report(
        tables,
        {
            "direct-beats-svm": _beats(runs, DIRECT, BALANCED),
            "direct-beats-language-model": _beats(runs, DIRECT, LANGUAGE_MODEL),
            "balance-helps": _beats(runs, BALANCED, UNBALANCED),
            "language-model-beats-svm": _beats(runs, LANGUAGE_MODEL, BALANCED),
        },
    )


def _marked(run: Mapping[str, Any], model: str) -> str:
    p_values = run["p_values"][model]
    markers = "".join(m for m, other in (("†", LANGUAGE_MODEL), ("‡", BALANCED)) if p_values.get(other, 1.0) < LEVEL)
    return f"{run['means'][model]:.4f}{markers}"


def _beats(runs: Mapping[Any, Mapping[str, Any]], model: str, other: str) -> Finding:
    """Return whether a model is significantly better on at least half of the runs, and worse on none."""
    better = sum(run["p_values"][model][other] < LEVEL for run in runs.values())
    worse = sum(run["p_values"][other][model] < LEVEL for run in runs.values())
    evidence = f"of {len(runs)} runs, {model} is significantly better than {other} on {better} and worse on {worse}"
    return Finding(2 * better >= len(runs) and worse == 0, evidence)


def _names(values: Values) -> list[str]:
    return [name.removesuffix(training("")) for name in values if name.endswith(training(""))]


def _table_6(values: Values, expected: Mapping[str, Any]) -> Report:
    found = {name: values[training(name)] for name in _names(values)}
    alike = {name: values[smoothing(name)] for name in found}
    rows = [
        [
            name,
            f"{one['language_model']:.4f}",
            *_beside_language_model(one, one),
            f"{one['ours']:.4f}",
        ]
        for name, one in found.items()
    ]
    smoothed = [
        [
            name,
            f"{found[name]['language_model']:.4f}",
            f"{one['terms_alone']:.4f}",
            *_beside_language_model(one, found[name]),
        ]
        for name, one in alike.items()
    ]
    better, better_alike = (sum(one["p_value"] < LEVEL for one in by_name.values()) for by_name in (found, alike))
    paper = expected["table-6"]
    evidence = (
        f"significantly better than the language model on {better} of {len(found)}, smoothed alike on {better_alike}"
    )
    return Report(
        (
            Table(
                "Mean average precision with the best parameters († significantly better)",
                ["", "language modeling", "feature-based", "change", "ours: rankmax's default"],
                rows,
            ),
            Table(
                "What smoothing does: terms smoothed as the features, and features smoothed as the language model",
                ["", "language modeling", "terms alone", "feature-based", "change"],
                smoothed,
            ),
            Table("The paper's, on TREC collections", ["", *paper["columns"]], paper["rows"]),
        ),
        {"proximity-helps": Finding(better == len(found), evidence)},
    )


def _beside_language_model(found: Mapping[str, float], trained: Mapping[str, float]) -> list[str]:
    marker = "†" if found["p_value"] < LEVEL else ""
    return [f"{found['feature_based']:.4f}{marker}", f"{found['feature_based'] / trained['language_model'] - 1:+.1%}"]


def _table_7(values: Values, expected: Mapping[str, Any]) -> Report:
    names = _names(values)
    value = {
        (trained, tested): values[training(tested)]["feature_based"]
        if trained == tested
        else values[testing(trained, tested)]
        for trained in names
        for tested in names
    }
    rows = [[trained, *(f"{value[trained, tested]:.4f}" for tested in names)] for trained in names]
    losses = [1 - value[a, b] / value[b, b] for a in names for b in names if a != b]
    paper = expected["table-7"]
    finding = Finding(None, "needs at least two collections")
    if losses:
        evidence = (
            f"weights from another collection lose {np.mean(losses):.1%} on average, {max(losses):.1%} at most "
            f"(transfer: {_TRANSFER:.0%} on average)"
        )
        finding = Finding(float(np.mean(losses)) <= _TRANSFER, evidence)
    return Report(
        (
            Table("Mean average precision, trained on the row, tested on the column", ["train / test", *names], rows),
            Table("The paper's, on TREC collections", ["train / test", *paper["columns"]], paper["rows"]),
        ),
        {"weights-transfer": finding},
    )


def _surfaces(values: Values) -> dict[str, Any]:
    return {name: np.array(values[surveying(name)]) for name in _names(values)}


def _figure_1(values: Values, expected: Mapping[str, Any]) -> Report:
    found = {name: hills(surface, near=_NEAR) for name, surface in _surfaces(values).items()}
    rows = [[name, f"{one.best:.4f}", str(one.n_maxima), f"{one.share_near_best:.0%}"] for name, one in found.items()]
    header = ["", "highest AP", "local maxima", f"points that lead to within {_NEAR:.0%} of it"]
    worst = min(one.share_near_best for one in found.values())
    evidence = (
        f"{', '.join(str(one.n_maxima) for one in found.values())} local maxima; climbing from point to point ends "
        f"within {_NEAR:.0%} of the highest from at least {worst:.0%} of all points (nearly concave: {_MOSTLY:.0%})"
    )
    return Report(
        (Table("Surfaces on a lattice of the simplex", header, rows),),
        {"nearly-concave": Finding(worst >= _MOSTLY, evidence)},
    )


def _draw_figure_1(values: Values, path: Path) -> None:
    surfaces = _surfaces(values)
    with figure_file(path, "drawing surfaces", size=(3.2 * len(surfaces), 3.2)) as figure:
        panels = figure.subplots(1, len(surfaces), squeeze=False)[0]
        for axes, (name, surface) in zip(panels, surfaces.items(), strict=True):
            n_steps = n_steps_of(surface.size)
            places = to_plane(simplex_lattice(3, n_steps) / n_steps)
            heat = axes.tripcolor(*places.T, surface, shading="gouraud", rasterized=True)
            axes.plot(*places[np.argmax(surface)], "o", markersize=7, fillstyle="none", color="black")
            for feature, (x, y) in zip(_FEATURES, to_plane(np.eye(3)), strict=True):
                axes.annotate(
                    feature, (x, y), (0, 4 if y else -10), textcoords="offset points", ha="center", fontsize=7
                )
            figure.colorbar(heat, ax=axes, shrink=0.6)
            axes.set_title(name, pad=14)
            axes.set_aspect("equal")
            axes.set_axis_off()


TABLE_3 = Exhibit("table-3", "Training and test values of four ways to weigh six features", BAG_OF_WORDS, _table_3)
TABLE_6 = Exhibit("table-6", "Terms, phrases and windows beside a language model", PROXIMITY, _table_6)
TABLE_7 = Exhibit("table-7", "Weights trained on one collection, tested on another", PROXIMITY, _table_7)
FIGURE_1 = Exhibit("figure-1", "Average precision over the simplex of weights", PROXIMITY, _figure_1, _draw_figure_1)
