"""`rankmax inspect`: the weights of a model, or the content of an index."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankmax._result_views import sparkline
from rankmax.cli.index import show_index
from rankmax.cli.output import note, print_blocks, print_facts, print_json, print_table
from rankmax.cli.shared_options import FIGURE, INPUT, IndexPath

if TYPE_CHECKING:
    from rankmax.data.dataset import RankingDataset
    from rankmax.models import LinearModel, MarginRecord, TrainingRecord
    from rankmax.models.additive_model import AdditiveModel
    from rankmax.models.expected_gain_model import ExpectedGainModel
    from rankmax.models.query_weights_model import QueryWeightsModel
    from rankmax.models.tree_ensemble_model import TreeEnsembleModel
    from rankmax.models.varying_model import VaryingModel

_TOP = 20
_BAR = 24  # characters of the longest bar
_CURVE = 40  # characters of the longest curve
_TOLD = ("metric", "normalization", "seed")  # parameters of a learner that are facts of the model, too


@click.command()
@click.argument("model", metavar="MODEL|INDEX", type=IndexPath(exists=True, readable=True))
@click.option("--all", "show_all", is_flag=True, help=f"Show every weight, not only the {_TOP} largest.")
@click.option(
    "--data", type=INPUT, help="Data file: show the mean probabilities of grades by a model of expected gain."
)
@click.option(
    "--plot", type=FIGURE, help="Draw curves, of an additive model or of binned features, to a .png or .svg file."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every weight, instead of a table.")
def inspect(model: str, show_all: bool, data: str | None, plot: str | None, as_json: bool) -> None:
    """Show a model's weights as bars, largest magnitude first, and its other properties.

    The canonical form is the multiple of the weights whose magnitudes sum to 1: it gives the same ranking, and models
    of the same ranking share it. Bars of negative weights point to the left.

    A model of expected gain has a weight for each grade: shown is the contribution of a feature to the log-odds of each
    grade against the lowest. With --data, also the mean probability of each grade, for the documents of each grade in
    that file: where the model distinguishes grades, they are highest along the diagonal.

    A model of binned features (`rankmax train --bins`) is a piecewise constant function of each: --plot draws those
    with the largest range. Of a model of LightGBM, XGBoost or CatBoost, the splits by each feature are counted. For
    an index, all files are read and compared with their checksums.

    \b
    Examples:
      rankmax inspect model.json
      rankmax inspect model.json --all
      rankmax inspect binned.json --plot functions.svg
      rankmax inspect curves.json --plot curves.svg
      rankmax inspect model.json --json
      rankmax inspect gain.json --data test.txt
      rankmax inspect lightgbm.txt
      rankmax inspect docs.index
    """
    if os.path.isdir(model):
        _refuse_data(data, "an index")
        from rankmax.retrieval.index.inverted_index import Index

        if plot is not None:
            raise click.UsageError(f"--plot draws a model, and {model} is a folder")
        show_index(Index.open(model, verify=True), as_json=as_json)
        return
    from rankmax.models.additive_model import AdditiveModel
    from rankmax.models.expected_gain_model import ExpectedGainModel
    from rankmax.models.model_files import load_any_model
    from rankmax.models.query_weights_model import QueryWeightsModel
    from rankmax.models.stacked_model import StackedModel
    from rankmax.models.tree_ensemble_model import TreeEnsembleModel
    from rankmax.models.varying_model import VaryingModel

    loaded = load_any_model(model)
    if isinstance(loaded, TreeEnsembleModel):
        _refuse_data(data, "a sum of trees")
        if plot is not None:
            raise click.UsageError(f"--plot draws curves and weights, and {model} is a sum of trees")
        _show_trees(model, loaded, show_all=show_all, as_json=as_json)
        return
    if isinstance(loaded, StackedModel):
        _refuse_data(data, "a stack of models")
        if plot is not None:
            raise click.UsageError(f"--plot draws the model of features, and {model} is a stack of models")
        _show_linear(model, loaded.fusion, show_all=show_all, as_json=as_json)
        return
    if isinstance(loaded, QueryWeightsModel):
        _refuse_data(data, "a linear model")
        if plot is not None:
            raise click.UsageError(f"--plot draws one set of weights, and those of {model} depend on the query")
        _show_query_weights(model, loaded, as_json=as_json)
        return
    if isinstance(loaded, ExpectedGainModel):
        if plot is not None:
            raise click.UsageError(f"--plot draws linear models, and {model} has weights for each grade")
        from rankmax.formats.registry import read_dataset

        held = None if data is None else read_dataset(data)
        _show_expected_gain(model, loaded, held, show_all=show_all, as_json=as_json)
        return
    _refuse_data(data, "a linear model")
    if isinstance(loaded, VaryingModel):
        if plot is not None:
            raise click.UsageError(f"--plot draws one set of weights, and those of {model} depend on the query")
        _show_varying(model, loaded, as_json=as_json)
        return
    if isinstance(loaded, AdditiveModel):
        if plot is not None:
            from rankmax.workflows.score_functions import curve_plot

            curve_plot(loaded, plot)
            note(f"wrote {plot}")
        _show_additive(model, loaded, show_all=show_all, as_json=as_json)
        return
    if plot is not None:
        from rankmax.workflows.score_functions import score_function_plot

        score_function_plot(loaded, plot)
        note(f"wrote {plot}")
    _show_linear(model, loaded, show_all=show_all, as_json=as_json)


def _refuse_data(data: str | None, given: str) -> None:
    if data is not None:
        raise click.UsageError(f"--data is for a model of expected gain, which has probabilities; this is {given}")


def _show_linear(path: str, loaded: LinearModel, *, show_all: bool, as_json: bool) -> None:
    import numpy as np

    from rankmax.spaces.equivalence import canonical

    weights = loaded.weights
    unit = canonical(weights) if weights.any() else weights
    order = np.argsort(-np.abs(weights), kind="stable").tolist()
    rows = [(loaded.feature_names[j], float(weights[j]), float(unit[j])) for j in order]
    if as_json:
        found = [{"feature": name, "weight": weight, "canonical": share} for name, weight, share in rows]
        print_json({"model": path, **_described(loaded), "weights": found})
        return
    _print_origin(loaded)
    shown = rows if show_all else rows[:_TOP]
    if shown:
        bars = draw_bars([share for _, _, share in shown])
        cells = [[name, f"{w:.6g}", f"{share:+.4f}", bar] for (name, w, share), bar in zip(shown, bars, strict=True)]
        print_table(["feature", "weight", "canonical", ""], cells)
    click.echo(_count(loaded, len(rows) - len(shown)))


def _show_varying(path: str, loaded: VaryingModel, *, as_json: bool) -> None:
    labels = loaded.labels
    by_feature = dict(zip(loaded.feature_names, loaded.weights.T.tolist(), strict=True))
    otherwise = dict(zip(loaded.feature_names, loaded.otherwise.tolist(), strict=True))
    fixed = loaded.at(labels[0])  # metric, normalization and provenance are those of any
    if as_json:
        weights = [
            {"feature": name, "weights": dict(zip(labels, row, strict=True)), "otherwise": otherwise[name]}
            for name, row in by_feature.items()
        ]
        print_json({"model": path, **_described(fixed), "column": loaded.column, "weights": weights})
        return
    _print_origin(fixed)
    others = ["otherwise"] if loaded.groups else []
    cells = [
        [name, *(f"{weight:.4g}" for weight in [*row, *([otherwise[name]] if others else [])])]
        for name, row in by_feature.items()
    ]
    print_table([f"weights by {loaded.column}", *labels, *others], cells)


def _show_additive(path: str, loaded: AdditiveModel, *, show_all: bool, as_json: bool) -> None:
    if as_json:
        import msgspec

        print_json({"model": path, **msgspec.json.decode(loaded.to_json())})
        return
    _print_origin(loaded)
    print_blocks(loaded.curve_blocks(None if show_all else _TOP))


def _show_trees(path: str, loaded: TreeEnsembleModel, *, show_all: bool, as_json: bool) -> None:
    import numpy as np

    splits = loaded.weight_columns()["splits"].astype(np.int64)
    order = np.argsort(-splits, kind="stable").tolist()
    rows = [(loaded.feature_names[j], int(splits[j])) for j in order]
    if as_json:
        import msgspec

        counts = {"trees": len(loaded.trees), "leaves": loaded.n_leaves, "columns": loaded.n_columns}
        found = [{"feature": name, "splits": n} for name, n in rows]
        origin = {"metric": loaded.metric, "provenance": msgspec.to_builtins(loaded.provenance)}
        print_json({"model": path, **counts, **origin, "features": found})
        return
    print_facts(loaded.size_facts())
    shown = rows if show_all else rows[:_TOP]
    bars = draw_bars([n for _, n in shown]) if shown else []
    cells = [[name, f"{n:,}", bar] for (name, n), bar in zip(shown, bars, strict=True)]
    print_table(["feature", "splits", ""], cells)
    if len(rows) > len(shown):
        click.echo(f"{len(rows) - len(shown)} features with fewer splits not shown (--all)")


def _show_query_weights(path: str, loaded: QueryWeightsModel, *, as_json: bool) -> None:
    if as_json:
        import msgspec

        print_json({"model": path, **msgspec.json.decode(loaded.to_json())})
        return
    print_blocks(loaded.blocks)


def _show_expected_gain(
    path: str, loaded: ExpectedGainModel, data: RankingDataset | None, *, show_all: bool, as_json: bool
) -> None:
    import numpy as np

    odds, base = loaded.weights - loaded.weights[0], loaded.intercepts - loaded.intercepts[0]
    order = np.argsort(-np.abs(odds).max(axis=0), kind="stable").tolist()
    grades = [f"{grade:g}" for grade in loaded.grades]
    if as_json:
        weights = [
            {"feature": loaded.feature_names[j], "log_odds": dict(zip(grades, odds[:, j].tolist(), strict=True))}
            for j in order
        ]
        gains = dict(zip(grades, loaded.gains.tolist(), strict=True))
        told = {
            "gains": gains,
            "intercepts": dict(zip(grades, base.tolist(), strict=True)),
            "weights": weights,
            **({} if data is None else {"probabilities": _mean_probabilities(loaded, data)}),
        }
        print_json({"model": path, **_described(loaded), **told})
        return
    _print_origin(loaded)
    shown = order if show_all else order[:_TOP]
    header = [f"grade {grade} (gain {gain:g})" for grade, gain in zip(grades, loaded.gains, strict=True)]
    cells = [["(intercept)", *(f"{value:+.4g}" for value in base[1:])]]
    cells += [[loaded.feature_names[j], *(f"{value:+.4g}" for value in odds[1:, j])] for j in shown]
    print_table(["feature", *header[1:]], cells)
    n_hidden = len(order) - len(shown)
    click.echo(
        f"{len(order)} features: log-odds against grade {grades[0]} (gain {loaded.gains[0]:g})"
        + (f"; {n_hidden} smaller not shown (--all)" if n_hidden else "")
    )
    if data is not None:
        rows = []
        for row in _mean_probabilities(loaded, data):
            means = [*row["probabilities"].values(), row["expected_gain"]]
            rows.append([row["grade"], f"{row['documents']:,}", *(f"{mean:.4f}" for mean in means)])
        columns = ["grade", "documents", *(f"P({grade})" for grade in grades), "expected gain"]
        print_table(columns, rows, title="mean probabilities, by the documents' grades")


def _mean_probabilities(model: ExpectedGainModel, data: RankingDataset) -> list[dict[str, Any]]:
    """Return the mean probabilities for the documents of each grade; unjudged documents come last."""
    import numpy as np

    probabilities = model.probabilities(data)
    names = np.array(["not judged" if np.isnan(grade) else f"{grade:g}" for grade in data.grades])
    known = [f"{grade:g}" for grade in np.unique(data.grades[~np.isnan(data.grades)])]
    return [
        {
            "grade": name,
            "documents": int((names == name).sum()),
            "probabilities": {
                f"{grade:g}": float(share)
                for grade, share in zip(model.grades, probabilities[names == name].mean(axis=0), strict=True)
            },
            "expected_gain": float(model.expected_gains(probabilities[names == name]).mean()),
        }
        for name in [*known, "not judged"]
        if (names == name).any()
    ]


def _described(model: LinearModel | ExpectedGainModel) -> dict[str, Any]:
    import msgspec

    return {
        "metric": model.metric,
        "normalization": model.normalization.to_dict(),
        "provenance": msgspec.to_builtins(model.provenance),
        "training": msgspec.to_builtins(model.training),
    }


def draw_bars(values: Sequence[float]) -> list[str]:
    """Return one bar per value around an axis: to its left for negative values, to its right for positive ones."""
    largest = max(map(abs, values)) or 1.0
    left, right = (_BAR if any(sign * value > 0 for value in values) else 0 for sign in (-1, 1))
    bars = []
    for value in values:
        bar = "█" * round(_BAR * abs(value) / largest) or ("·" if value else "")
        bars.append(f"{(bar if value < 0 else '').rjust(left)}│{(bar if value > 0 else '').ljust(right)}")
    return bars


def _print_origin(model: LinearModel | ExpectedGainModel | AdditiveModel) -> None:
    origin = model.provenance
    facts: dict[str, Any] = {
        "metric": model.metric,
        "normalization": ", ".join(f"{value}" for value in model.normalization.to_dict().values()),
        "learner": origin.learner,
        **{f"  {name}": value for name, value in origin.parameters.items() if name not in _TOLD},
        "seed": origin.seed,
        **({} if model.training is None else _training_facts(model.training)),
        "data": origin.data_hash,
        "created": origin.created,
        "rankmax": origin.rankmax_version,
    }
    print_facts({name: value for name, value in facts.items() if value is not None})


def _training_facts(training: TrainingRecord) -> dict[str, Any]:
    curve = [value for _, value in training.curve]
    return {
        "training": f"{training.value:.4f}"
        + (f", {training.n_lines:,} lines searched, ascents: {training.n_ascents}" if training.n_lines else "")
        + ("" if training.stopped_by == "converged" else f", stopped by {training.stopped_by}"),
        "cross-validated": None if training.cross_validated_value is None else f"{training.cross_validated_value:.4f}",
        "margin": None if training.margin is None else _margin(training.margin),
        "validation": None if training.validation_value is None else f"{training.validation_value:.4f}",
        "curve": f"{curve[0]:.4f} {sparkline(curve, _CURVE)} {curve[-1]:.4f}" if curve else None,
        "bags": f"{min(training.bag_values):.4f} to {max(training.bag_values):.4f}" if training.bag_values else None,
    }


def _margin(margin: MarginRecord) -> str:
    skipped = f", {margin.n_skipped_queries} queries skipped" if margin.n_skipped_queries else ""
    return (
        f"C {margin.C:g}, objective {margin.objective:.6g}, at most {margin.gap:.2g} above the best, "
        f"{margin.n_constraints} constraints{skipped}"
    )


def _count(model: LinearModel, n_hidden: int) -> str:
    used = int((model.weights != 0).sum())
    if used == 0:
        return "every weight is 0: the model ranks nothing"
    negative = int((model.weights < 0).sum())
    hidden = f"; {n_hidden} smaller not shown (--all)" if n_hidden else ""
    return f"{model.weights.size} features: {used} used, {negative} with a negative weight{hidden}"
