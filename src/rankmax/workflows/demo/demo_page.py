"""The demonstration as a self-contained web page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rankmax._arrays import readonly
from rankmax._io.files import atomic_writer
from rankmax._pages.self_contained import self_contained_page
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.evaluation.comparison import BaselineComparison
from rankmax.line_search.step_function import StepFunction
from rankmax.line_search.step_plots import close_up_window, overview_window
from rankmax.metrics.metric import Metric
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.workflows.demo.demo_models import Learned
from rankmax.workflows.demo.demonstration import BASELINE, DEPTH, METRICS, RUN_DEPTH, Demo, file_name
from rankmax.workflows.demo.hybrid import hybrid_commands
from rankmax.workflows.searching.function_parameters import Tuning
from rankmax.workflows.surface.metric_surface import metric_surface
from rankmax.workflows.surface.surface_page import surface_data
from rankmax.workflows.weight_profile import profile_weight

TEST = "Fisher's paired randomization test, two-sided, Holm-corrected, p < 0.05"
_FOLDER = Path(__file__).parent
_COLUMNS = 360  # in the overview of a step function
_RESOLUTION = 40
_EXAMPLE = "numpy.linalg.det"
_FILES = {
    "index": "the index of all docstrings",
    "train.topics.tsv, train.qrels": "training queries, and their judgments",
    "test.topics.tsv, test.qrels": "held-out queries, and their judgments",
    "excluded.tsv": "the document excluded from a query's candidates: the one that the query was taken from",
    "train.npz": "all features of the training queries' candidates",
    "*.json": "one model per family of features and metric",
    "*.run": f"the top {RUN_DEPTH} documents of every system for the held-out queries",
}


def write_report(demo: Demo, folder: Path) -> None:
    """Write the page ``report.html``.

    Parameters
    ----------
    demo : Demo
    folder : Path
        Folder with the files of the demonstration.
    """
    content = {
        "collection": {
            "packages": f"numpy {version('numpy')} and scipy {version('scipy')}",
            "documents": len(demo.collection.documents),
        },
        "split": {"train": len(demo.train), "test": len(demo.test)},
        "example": _example(demo),
        "finding": " ".join(finding(metric, comparison) for metric, comparison in demo.comparisons.items()),
        "depth": DEPTH,
        "test": TEST,
        "comparisons": [_comparison(metric, comparison) for metric, comparison in demo.comparisons.items()],
        "tuning": [
            *(curve for tuning in demo.language_models.values() for curve in _curves(BASELINE, tuning)),
            *(curve for tuning in demo.bm25s.values() for curve in _curves("BM25", tuning)),
        ],
        "models": [_model(learned) for learned in demo.learned],
        "surface": _surface(demo),
        "profile": _profile(demo),
        "gains": _gains(demo),
        "files": _FILES,
        "commands": next_commands(demo, folder),
    }
    with atomic_writer(folder / "report.html") as file:
        file.write(self_contained_page(_FOLDER / "report.html", _FOLDER / "report.js", content))


def finding(metric: Metric, comparison: BaselineComparison) -> str:
    """Return a sentence on which systems are significantly better or worse than the baseline, and which are neither.

    Parameters
    ----------
    metric : Metric
    comparison : BaselineComparison
    """
    better = [row.system for row in comparison.rows if row.marker and row.difference > 0]
    worse = [row.system for row in comparison.rows if row.marker and row.difference <= 0]
    neither = [row.system for row in comparison.rows if not row.marker]
    parts = []
    if better:
        parts.append(f"{_ranking(better)} held-out queries better than the tuned {comparison.baseline}")
    if worse:
        parts.append(f"{_ranking(worse)} them worse")
    if neither:
        parts.append(f"for {_listed(neither)}, the difference is not significant")
    return f"By {metric}, {'; '.join(parts)}."


def _ranking(names: Sequence[str]) -> str:
    return f"{_listed(names)} {'ranks' if len(names) == 1 else 'rank'}"


def next_commands(demo: Demo, folder: Path) -> list[str]:
    """Return commands that continue with the written files; those that plot are left out where matplotlib is missing.

    Parameters
    ----------
    demo : Demo
    folder : Path
        Folder with the files of the demonstration.
    """
    metric = METRICS[1]  # its cutoff is within the depth of the run files
    best = max(
        (one for one in demo.learned if one.metric == metric),
        key=lambda one: demo.values[metric][one.family.name].mean(),
    )
    feature = best.model.feature_names[int(np.argmax(np.abs(best.shares)))]
    ours, theirs = f"{folder}/{file_name(best.family.name, metric)}", f"{folder}/{file_name(BASELINE, metric)}"
    training = f"--topics {folder}/train.topics.tsv --qrels {folder}/train.qrels --exclude {folder}/excluded.tsv"
    held_out = f"--topics {folder}/test.topics.tsv --exclude {folder}/excluded.tsv"
    plots = find_spec("matplotlib") is not None
    return [
        f'rankmax search {folder}/index "eigenvalues of a sparse matrix" --model {ours}.json',
        f"rankmax compare {folder}/test.qrels {theirs}.run {ours}.run -m {metric}"
        + (f" --plot {folder}/gains.svg" if plots else ""),
        f"rankmax inspect {ours}.json",
        f"rankmax profile {folder}/train.npz {ours}.json --feature '{feature}' -m {metric}"
        + (f" -o {folder}/profile.svg" if plots else ""),
        *hybrid_commands(folder, metric.name),
        f"rankmax fit-function {folder}/index jelinek-mercer {training} -m {metric}",
        f"rankmax features {folder}/index {training} --set gey --candidates judged --candidates top:50 "
        f"-o {folder}/gey.npz",
        f"rankmax train {folder}/gey.npz -m {metric} -o {folder}/gey.json",
        f"rankmax search {folder}/index {held_out} --model {folder}/gey.json -o {folder}/gey.run",
        f"rankmax compare {folder}/test.qrels {theirs}.run {folder}/gey.run -m {metric}",
    ]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _example(demo: Demo) -> dict[str, Any]:
    topics, answers = demo.collection.topics, demo.collection.qrels.to_dict()
    shown = _EXAMPLE if _EXAMPLE in topics else next(iter(topics))
    return {"text": topics[shown], "relevant": list(answers[shown])}


def _comparison(metric: Metric, comparison: BaselineComparison) -> dict[str, Any]:
    return {
        "metric": metric.name,
        "baseline": comparison.baseline,
        "baselineMean": comparison.baseline_mean,
        "rows": [
            {
                "system": row.system,
                "mean": row.mean,
                "difference": row.difference,
                "low": row.interval[0],
                "high": row.interval[1],
                "change": row.relative_change,
                "p": row.corrected_p_value,
                "wins": row.wins.wins,
                "losses": row.wins.losses,
                "ties": row.wins.ties,
                "marker": row.marker,
            }
            for row in comparison.rows
        ],
    }


def _curves(name: str, tuning: Tuning[Dirichlet] | Tuning[BM25]) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{name}: {parameter}, for {tuning.metric}",
            "parameter": parameter,
            "log": tuning.ranges[parameter].is_ratio,
            "metric": tuning.metric.name,
            "points": curve.round(5).tolist(),
            "chosen": getattr(tuning.best.function, parameter),
            "value": tuning.best.value,
            "standardError": tuning.standard_error,
        }
        for parameter, curve in tuning.curves.items()
    ]


def _model(learned: Learned) -> dict[str, Any]:
    model = learned.model
    return {
        "name": learned.family.name,
        "metric": learned.metric.name,
        "features": [
            {"name": name, "weight": weight, "share": share}
            for name, weight, share in zip(
                model.feature_names, model.weights.tolist(), learned.shares.tolist(), strict=True
            )
        ],
    }


def _proximity(demo: Demo) -> Learned:
    return next(one for one in demo.learned if one.family.name == "proximity" and one.metric == METRICS[0])


def _surface(demo: Demo) -> dict[str, Any]:
    learned = _proximity(demo)
    own = demo.data.select_features(learned.model.feature_names)
    spreads = spread_within_queries(own)
    scaled = RankingDataset(readonly(np.asarray(own.features) / spreads), own.feature_names, own.judgments)
    surface = metric_surface(scaled, own.feature_names, learned.metric, resolution=_RESOLUTION)
    kept = ", ".join(
        f"{name} {share:.2f}" for name, share in zip(own.feature_names, learned.shares.tolist(), strict=True)
    )
    return {
        "note": f"{learned.metric} on the training queries' candidates, each feature divided by its spread within "
        f"queries, so that equal weights have equal influence. The selected model has {kept}.",
        "data": surface_data(surface),
    }


def _profile(demo: Demo) -> dict[str, Any]:
    learned = _proximity(demo)
    feature = learned.model.feature_names[1]
    profile = profile_weight(learned.model, demo.data, feature, learned.metric)
    function, best = profile.function, profile.best
    low, high = overview_window(function, profile.weight)
    edges = np.linspace(low, high, _COLUMNS + 1)
    first, last = (np.searchsorted(function.breakpoints, side) for side in (edges[:-1], edges[1:]))
    columns = [function.values[a : b + 1] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    return {
        "note": f"{learned.metric} of the proximity model as a function of the weight of {feature}, the others fixed: "
        f"{function.breakpoints.size:,} steps, computed exactly. Shaded: the best interval, with "
        f"{best.value:.4f}; dashed: the model's weight, {profile.weight:.3g}, with {profile.value:.4f}.",
        "feature": feature,
        "metric": learned.metric.name,
        "weight": profile.weight,
        "best": {"low": max(best.low, -1e300), "high": min(best.high, 1e300)},
        "overview": {
            "edges": edges.tolist(),
            "lowest": [round(float(values.min()), 5) for values in columns],
            "highest": [round(float(values.max()), 5) for values in columns],
        },
        "close": _close_up(function),
    }


def _close_up(function: StepFunction) -> dict[str, Any]:
    low, high = close_up_window(function)
    first, last = np.searchsorted(function.breakpoints, [low, high])
    return {
        "edges": [low, *function.breakpoints[first:last].tolist(), high],
        "values": function.values[first : last + 1].tolist(),
    }


def _gains(demo: Demo) -> dict[str, Any]:
    first = demo.comparisons[METRICS[0]]
    return {
        "systems": [row.system for row in first.rows],
        "shown": max(first.rows, key=lambda row: row.mean).system,
        "queries": [{"id": query_id, "text": text} for query_id, text in demo.test.items()],
        "values": {
            metric.name: {
                name: (values - by_system[BASELINE]).round(4).tolist()
                for name, values in by_system.items()
                if name != BASELINE
            }
            for metric, by_system in demo.values.items()
        },
    }
