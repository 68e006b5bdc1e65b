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
from rankmax.papers.metzler2007.learning_collection import LEVEL
from rankmax.papers.metzler2007.local_maxima import local_maxima, n_steps_of
from rankmax.papers.metzler2007.proximity_study import PROXIMITY, smoothing, surveying, testing, training
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Finding, Report, Table, Verdict
from rankmax.papers.verdicts import Interval, Rule
from rankmax.spaces.lattice import simplex_lattice
from rankmax.workflows.surface.surface_plots import to_plane

_NEAR = 0.01
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
            claim: _beats(Rule.of_claim(expected, claim), runs, model, other)
            for claim, model, other in (
                ("direct-beats-svm", DIRECT, BALANCED),
                ("direct-beats-language-model", DIRECT, LANGUAGE_MODEL),
                ("balance-helps", BALANCED, UNBALANCED),
                ("language-model-beats-svm", LANGUAGE_MODEL, BALANCED),
            )
        },
    )


def _marked(run: Mapping[str, Any], model: str) -> str:
    p_values = run["p_values"][model]
    markers = "".join(m for m, other in (("†", LANGUAGE_MODEL), ("‡", BALANCED)) if p_values.get(other, 1.0) < LEVEL)
    return f"{run['means'][model]:.4f}{markers}"


def _beats(rule: Rule, runs: Mapping[Any, Mapping[str, Any]], model: str, other: str) -> Finding:
    """Decide by the gains over the runs, which are the training and test topics of each collection."""
    gains = [run["means"][model] - run["means"][other] for run in runs.values()]
    better = sum(run["p_values"][model][other] < LEVEL for run in runs.values())
    worse = sum(run["p_values"][other][model] < LEVEL for run in runs.values())
    return rule.finding(Interval.of_mean(gains), "runs", f"significantly better on {better} and worse on {worse}")


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
    note = f"significantly better than the language model on {better} of {len(found)}, smoothed alike on {better_alike}"
    changes = [one["feature_based"] / one["language_model"] - 1 for one in found.values()]
    rule = Rule.of_claim(expected, "proximity-helps")
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
        {"proximity-helps": rule.finding(Interval.of_mean(changes), "collections", note)},
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
    losses = [[1 - value[a, b] / value[b, b] for a in names if a != b] for b in names]  # by tested collection
    paper = expected["table-7"]
    finding = Finding(Verdict.NOT_TESTED, "needs at least two collections")
    if len(names) > 1:
        rule = Rule.of_claim(expected, "weights-transfer")
        interval = Interval.of_mean([np.mean(own) for own in losses])
        finding = rule.finding(interval, "collections", f"at most {max(map(max, losses)):.1%}")
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
    found = {name: local_maxima(surface, near=_NEAR) for name, surface in _surfaces(values).items()}
    rows = [[name, f"{one.best:.4f}", str(one.n_maxima), f"{one.share_near_best:.0%}"] for name, one in found.items()]
    header = ["", "highest AP", "local maxima", f"points that lead to within {_NEAR:.0%} of it"]
    shares = [one.share_near_best for one in found.values()]
    note = f"{', '.join(str(one.n_maxima) for one in found.values())} local maxima; at least {min(shares):.0%}"
    rule = Rule.of_claim(expected, "nearly-concave")
    return Report(
        (Table("Surfaces on a lattice of the simplex", header, rows),),
        {"nearly-concave": rule.finding(Interval.of_mean(shares), "collections", note)},
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
