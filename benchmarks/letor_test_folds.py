"""How well do the learned weights rank new queries?

Data      LETOR's five folds of MQ2007, MQ2008 and OHSUMED: learned on the training queries, settings and stopping
          chosen on the validation queries, measured on the test queries.
Baseline  Least squares on the grades; FastRank, gblinear and LambdaMART (settings in peers.py); and the test results
          that were published with the collections, where the data's folder has them (published-baselines.md).
Ours      LinearRanker for the metric, otherwise with defaults; with 20 bags; with the validation queries; and both.
          "selected" is the one of these four that is best on the validation queries of each fold.
Prints    For each collection a table of the means over folds of AP and nDCG (gains 2^grade - 1) at 1, 5 and 10, every
          program trained once for AP and once for nDCG@10, with the median seconds; and a table by LETOR's own metrics
          beside the published results. In bold what of ours is at or above every other linear program of the table.

Results are kept in benchmarks/results, so that an interrupted run resumes; those of ours are dropped when the source
changes.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import Results, edition, format_seconds, machine, markdown_table
from letor_collections import DATA, parser, read_folds
from peers import TARGETS, Target, best_lambdamart, gblinear, stored_fastrank

from rankmax import LeastSquaresRanker, LinearRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.evaluation.run_evaluation import evaluate_scores

OURS = {
    "ours": {},
    "ours, 20 bags": {"n_bags": 20},
    "ours, validation": {"validation": True},
    "ours, 20 bags, validation": {"n_bags": 20, "validation": True},
}
LEAST_SQUARES, SELECTED, FASTRANK, GBLINEAR, LAMBDAMART = (
    "least squares",
    "ours, selected",
    "FastRank",
    "gblinear",
    "LambdaMART",
)
METHODS = [*OURS, SELECTED, LEAST_SQUARES, FASTRANK, GBLINEAR, LAMBDAMART]
METRICS = {"AP": "AP", **{f"nDCG@{k}": f"nDCG(gain='exp2')@{k}" for k in (1, 5, 10)}}
LETOR_METRICS = {"MAP": "LetorAP", **{f"NDCG@{k}": f"LetorNDCG@{k}" for k in (1, 5, 10)}}
NOT_LINEAR = {LAMBDAMART, "RankBoost", "FRank"}

Row = dict[str, float]
"""A value by metric, and the seconds."""


def measured(scores: Callable[[RankingDataset], F64], fold: LetorFold, target: Target) -> dict[str, Any]:
    """Return all metrics on the test queries, and the target on the validation queries."""
    names = {**METRICS, **LETOR_METRICS}
    means = evaluate_scores(scores(fold.test), fold.test, list(names.values())).means
    validated = target.value(scores(fold.validation), fold.validation)
    return {"test": dict(zip(names, map(float, means), strict=True)), "validation": validated}


def by_weights(weights: Any) -> Callable[[RankingDataset], F64]:
    return lambda data: data.scores(np.array(weights))


def programs(
    results: Results, peers: Results, name: str, fold: LetorFold, target: Target
) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return what gives each program's measures on one fold, and its time."""

    def linear(fit: dict[str, Any]) -> dict[str, Any]:
        return {**fit, **measured(by_weights(fit["weights"]), fold, target)}

    def by_us(method: str) -> dict[str, Any]:
        key = f"{name}, {method}, {edition('rankmax')}"
        return linear(results.get(key, lambda: ours(fold, target, **OURS[method])))

    def selected() -> dict[str, Any]:
        fits = [by_us(method) for method in OURS]
        return {**max(fits, key=lambda fit: fit["validation"]), "seconds": sum(fit["seconds"] for fit in fits)}

    def least_squares() -> dict[str, Any]:
        key = f"{name}, {LEAST_SQUARES}, {edition('rankmax')}"
        return linear(
            results.get(key, lambda: {"weights": LeastSquaresRanker().fit_dataset(fold.train).coef_.tolist()})
        )

    def best_gblinear() -> dict[str, Any]:
        key = f"{name}, {GBLINEAR}, {{}}, {edition('xgboost')}"
        fits = [
            peers.get(key.format(setting), lambda fit=fit: {"weights": fit().tolist()})
            for setting, fit in gblinear(fold.train, target)
        ]
        best = max(map(linear, fits), key=lambda fit: fit["validation"])
        return {**best, "seconds": sum(fit["seconds"] for fit in fits)}

    return {
        **{method: lambda method=method: by_us(method) for method in OURS},
        SELECTED: selected,
        LEAST_SQUARES: least_squares,
        FASTRANK: lambda: linear(stored_fastrank(peers, name, fold.train, target, seed=0)),
        GBLINEAR: best_gblinear,
        LAMBDAMART: lambda: results.get(
            f"{name}, {LAMBDAMART}, {edition('lightgbm')}",
            lambda: measured(best_lambdamart(fold.train, fold.validation, target).scores, fold, target),
        ),
    }


def ours(fold: LetorFold, target: Target, *, validation: bool = False, **parameters: Any) -> dict[str, Any]:
    ranker = LinearRanker(target.metric, **parameters)
    ranker.fit_dataset(fold.train, validation=fold.validation if validation else None)
    return {"weights": ranker.coef_.tolist()}


def mean_rows(fits: dict[str, list[dict[str, Any]]]) -> dict[str, Row]:
    """Return the means over folds, and the median seconds."""
    return {
        method: {
            **{metric: statistics.mean(fit["test"][metric] for fit in found) for metric in found[0]["test"]},
            "seconds": statistics.median(fit["seconds"] for fit in found),
        }
        for method, found in fits.items()
    }


def published(path: Path, collection: str) -> Iterator[tuple[str, Row]]:
    """Yield the published methods and their results from the tables of a markdown file."""
    if not path.exists():
        return
    header: list[str] = []
    heading = ""
    for line in filter(str.strip, path.read_text().splitlines()):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            heading = line
        elif cells[0] == "method":
            header = cells
        elif not re.fullmatch(r"-+", cells[0]):
            row = dict(zip(header, cells, strict=True))
            if collection == row.get("set", heading.split(",")[0]):
                yield cells[0], {metric: float(row[metric]) for metric in LETOR_METRICS}


def table(rows: dict[str, Row], metrics: dict[str, str], *, times: bool) -> str:
    """Lay out rows, ours in bold where at or above every other linear program, to the four digits shown."""
    linear = [row for method, row in rows.items() if not is_ours(method) and method.split(" for ")[0] not in NOT_LINEAR]
    best = {metric: max((round(row[metric], 4) for row in linear), default=0.0) for metric in metrics}

    def cell(method: str, metric: str) -> str:
        value = round(rows[method][metric], 4)
        return f"**{value:.4f}**" if is_ours(method) and value >= best[metric] else f"{value:.4f}"

    body = [
        [method, *(cell(method, metric) for metric in metrics), *([format_seconds(row["seconds"])] if times else [])]
        for method, row in rows.items()
    ]
    return markdown_table(["method", *metrics, *(["time"] if times else [])], body)


def is_ours(method: str) -> bool:
    return method.startswith("ours")


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results, peers = Results("letor_test_folds", fresh=arguments.fresh), Results("peers")
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        rows: dict[str, Row] = {}
        for metric in arguments.metrics:
            target = TARGETS[metric]
            few = next(iter(folds.values())).train.select(np.arange(10))
            LinearRanker(target.metric, n_restarts=1).fit_dataset(few)  # compiles
            fits: dict[str, list[dict[str, Any]]] = {}
            for number, fold in folds.items():
                name = f"{collection}, fold {number}, {metric}"
                for method, fit in programs(results, peers, name, fold, target).items():
                    if method in arguments.methods:
                        fits.setdefault(method, []).append(fit())
            for method, row in mean_rows(fits).items():
                rows[method if method == LEAST_SQUARES else f"{method} for {metric}"] = row
        print(f"\n{collection}, test queries of folds {', '.join(map(str, folds))}\n")
        print(table(rows, METRICS, times=True), end="\n\n")
        if len(folds) < 5:
            continue  # the published results are means over all folds
        theirs = dict(published(DATA / "published-baselines.md", collection))
        shown = {method: row for method, row in rows.items() if is_ours(method) or method == LEAST_SQUARES}
        print("By LETOR's metrics, beside the published results\n")
        print(table({**shown, **theirs}, LETOR_METRICS, times=False), flush=True)


if __name__ == "__main__":
    main()
