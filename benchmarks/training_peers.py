"""Who reaches the highest training metric, how fast, and what is left of it on test queries?

Data      The training queries of LETOR's folds of MQ2007, MQ2008 and OHSUMED; AP, and nDCG@10 with gains 2^grade - 1.
Baseline  FastRank's coordinate ascent and XGBoost's gblinear (settings in peers.py; of gblinear the one best on the
          training queries, and its time alone), CMA-ES and Optuna (black_box_searches.py) with 2,000 evaluations
          by our compiled evaluator, Optuna's until a time limit. "CMA-ES, numpy" is the same search at the cost of an
          evaluator in numpy. LightGBM's LambdaMART and CatBoost's YetiRank and StochasticRank, which are trees and not
          linear, stop by the validation queries.
Ours      The surrogate's weights alone; coordinate ascent from there; the exact ascent from there; ten starts of it:
          all without smoothing and shrinkage. LinearRanker with its defaults, which is for other queries than those
          learned from. Compiled beforehand; every time is that of all that follows loading.
Prints    For each collection the mean over folds of each program's value on training and on test queries, all by our
          evaluator, and its median processor time (OMP_NUM_THREADS=1 keeps threads of others from waiting busily); then
          each claim about training values with what was found.

Programs take turns fold by fold. Results are kept in benchmarks/results, so that an interrupted run resumes; those of
ours are dropped when the source changes.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from black_box_searches import cma_es, optuna_search
from harness import Results, edition, format_seconds, machine, markdown_table
from letor_collections import parser, read_folds
from peers import CATBOOST, TARGETS, Target, catboost, gblinear, lambdamart, lambdamart_once, stored_fastrank

from rankmax import LinearRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent

SURROGATE, COORDINATES, ONE_START, TEN_STARTS, DEFAULT = (
    "ours: surrogate",
    "ours: coordinate ascent",
    "ours: 1 start",
    "ours: 10 starts",
    "ours: default",
)
CMA, CMA_NUMPY, GBLINEAR, FASTRANK = "CMA-ES", "CMA-ES, numpy", "gblinear", "FastRank"
OPTUNA = {"Optuna TPE": "TPESampler", "Optuna CMA-ES": "CmaEsSampler"}
LAMBDAMART, LAMBDAMART_ONCE = "LightGBM LambdaMART", "LightGBM LambdaMART, one setting"
LINEAR = [SURROGATE, COORDINATES, ONE_START, TEN_STARTS, DEFAULT, CMA, CMA_NUMPY, GBLINEAR, FASTRANK, *OPTUNA]
METHODS = [*LINEAR, LAMBDAMART, LAMBDAMART_ONCE, *CATBOOST.values()]

Fits = dict[str, list[dict[str, Any]]]
"""What each method found on each fold."""


def ours(data: RankingDataset, target: Target) -> dict[str, Callable[[], dict[str, Any]]]:
    def surrogate() -> dict[str, Any]:
        fits = [fit_linear(loss, data).weights for loss in (CrossEntropy(), ProportionalCrossEntropy())]
        return {"weights": max(fits, key=lambda w: target.value(data.scores(w), data)).tolist()}

    def ranker(**parameters: Any) -> Callable[[], dict[str, Any]]:
        def fit() -> dict[str, Any]:
            began, history = time.perf_counter(), []
            fitted = LinearRanker(target.metric, **parameters).fit_dataset(
                data, callback=lambda progress: history.append((time.perf_counter() - began, progress.value))
            )
            return {"weights": fitted.coef_.tolist(), "history": history}

        return fit

    return {
        SURROGATE: surrogate,
        COORDINATES: ranker(n_restarts=1, shrinkage=0.0, optimizer=CoordinateAscent()),
        ONE_START: ranker(n_restarts=1, shrinkage=0.0, smoothing=0.0),
        TEN_STARTS: ranker(n_restarts=10, shrinkage=0.0, smoothing=0.0),
        DEFAULT: ranker(),
    }


def fold_results(
    results: Results,
    name: str,
    fold: LetorFold,
    target: Target,
    methods: list[str],
    *,
    evaluations: int,
    optuna_seconds: float,
) -> dict[str, dict[str, Any]]:
    """Return what each method found on one fold, its values and the time."""
    data = fold.train
    objective = LinearObjective(data, parse_metric(target.metric))

    def value(fit: dict[str, Any]) -> float:
        return target.value(data.scores(np.array(fit["weights"])), data)

    def cma_es_compiled() -> dict[str, Any]:
        return results.get(
            f"{name}, {CMA}, {evaluations} evaluations, {edition('cma')}, {edition('rankmax')}",
            lambda: cma_es(objective, target, evaluations=evaluations, seed=0),
        )

    def cma_es_in_numpy() -> dict[str, Any]:
        fit = cma_es_compiled()
        return {**fit, "seconds": fit["numpy_seconds"], "cpu_seconds": fit["numpy_seconds"]}

    def best_gblinear() -> dict[str, Any]:
        fits = [
            results.get(
                f"{name}, {GBLINEAR}, {setting}, {edition('xgboost')}", lambda fit=fit: {"weights": fit().tolist()}
            )
            for setting, fit in gblinear(data, target)
        ]
        return max(fits, key=value)

    def optuna_study(method: str) -> dict[str, Any]:
        return results.get(
            f"{name}, {method}, {evaluations} evaluations, {optuna_seconds:g} s, {edition('optuna')}",
            lambda: optuna_search(
                OPTUNA[method], objective, evaluations=evaluations, time_limit=optuna_seconds, seed=0
            ),
        )

    fitted: dict[str, Callable[[], dict[str, Any]]] = {
        **{
            method: lambda method=method, fit=fit: results.get(f"{name}, {method}, {edition('rankmax')}", fit)
            for method, fit in ours(data, target).items()
        },
        CMA: cma_es_compiled,
        CMA_NUMPY: cma_es_in_numpy,
        GBLINEAR: best_gblinear,
        FASTRANK: lambda: stored_fastrank(results, name, data, target, seed=0),
        **{method: lambda method=method: optuna_study(method) for method in OPTUNA},
    }
    found = {method: fit() for method, fit in fitted.items() if method in methods}
    linear = {
        method: {
            **fit,
            "value": value(fit),
            "test": target.value(fold.test.scores(np.array(fit["weights"])), fold.test),
        }
        for method, fit in found.items()
    }
    return {**linear, **tree_results(results, name, fold, target, methods)}


def tree_results(
    results: Results, name: str, fold: LetorFold, target: Target, methods: list[str]
) -> dict[str, dict[str, Any]]:
    """Return the values of learners of trees, and the time."""

    def values(fit: Callable[[], Callable[[RankingDataset], F64]]) -> dict[str, Any]:
        scores = fit()
        return {part: target.value(scores(data), data) for part, data in (("value", fold.train), ("test", fold.test))}

    parts = fold.train, fold.validation
    fitted: dict[str, tuple[str, Callable[[], Callable[[RankingDataset], F64]]]] = {
        LAMBDAMART: ("lightgbm", lambda: lambdamart(*parts, target)),
        LAMBDAMART_ONCE: ("lightgbm", lambda: lambdamart_once(*parts, target)),
        **{method: ("catboost", lambda loss=loss: catboost(loss, *parts, target)) for loss, method in CATBOOST.items()},
    }
    return {
        method: results.get(f"{name}, {method}, {edition(package)}", lambda fit=fit: values(fit))
        for method, (package, fit) in fitted.items()
        if method in methods
    }


def print_claims(name: str, fits: Fits) -> None:
    means = {method: mean_value(found) for method, found in fits.items()}
    for method in (m for m in (ONE_START, TEN_STARTS) if m in means):
        for peer in (m for m in (CMA, CMA_NUMPY) if m in means):
            shares = [
                seconds_to(theirs["value"], ours) / theirs["seconds"]
                for ours, theirs in zip(fits[method], fits[peer], strict=True)
            ]
            share, gain = statistics.median(shares), means[method] - means[peer]
            found = f"{gain:+.4f}; reaches its value in {share:.2f} of its time, on {np.isfinite(shares).sum()} folds"
            claim = f"{method} at least {peer} in a fifth of its time"
            print(f"{verdict(gain >= 0 and share <= 0.2)} {name}, {claim}: {found}")
        for peer in (m for m in (GBLINEAR, FASTRANK, *OPTUNA) if m in means):
            gain = means[method] - means[peer]
            print(f"{verdict(gain > 0)} {name}, {method} above {peer}: {gain:+.4f}")


def seconds_to(goal: float, fit: dict[str, Any]) -> float:
    """Return when an ascent was first as high as the goal; never is infinite."""
    return min((seconds for seconds, value in fit["history"] if value >= goal), default=math.inf)


def mean_value(fits: list[dict[str, Any]]) -> float:
    return statistics.mean(fit["value"] for fit in fits)


def verdict(kept: bool) -> str:
    return "yes" if kept else "NO "


def cells(fits: list[dict[str, Any]]) -> list[str]:
    test = statistics.mean(fit["test"] for fit in fits)
    took = statistics.median(fit["cpu_seconds"] for fit in fits)
    return [f"{mean_value(fits):.4f}", f"{test:.4f}", format_seconds(took)]


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--evaluations", type=int, default=2000, help="of CMA-ES and Optuna")
    options.add_argument("--optuna-seconds", type=float, default=120.0, help="most of one study")
    options.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("peers", fresh=arguments.fresh)
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        table: dict[str, Fits] = {}
        for metric in arguments.metrics:
            target = TARGETS[metric]
            few = next(iter(folds.values())).train.select(np.arange(10))
            for method, compile_it in ours(few, target).items():
                if method in arguments.methods:
                    compile_it()
            table[metric] = {method: [] for method in METHODS if method in arguments.methods}
            for number, fold in folds.items():
                name = f"{collection}, fold {number}, {metric}"
                budget = {"evaluations": arguments.evaluations, "optuna_seconds": arguments.optuna_seconds}
                for method, fit in fold_results(results, name, fold, target, arguments.methods, **budget).items():
                    table[metric][method].append(fit)
        print(f"\n{collection}, folds {', '.join(map(str, folds))}: mean training and test value, median CPU time\n")
        header = ["method", *(cell for metric in table for cell in (metric, "test", "time"))]
        rows = [
            [method, *(cell for fits in table.values() for cell in cells(fits[method]))]
            for method in METHODS
            if method in arguments.methods
        ]
        print(markdown_table(header, rows), end="\n\n", flush=True)
        for metric, fits in table.items():
            print_claims(f"{collection}, {metric}", fits)


if __name__ == "__main__":
    main()
