"""Does a curve per feature rank new queries better than a weight, and as well as trees?

Data      LETOR's folds of MQ2007, MQ2008 and OHSUMED: trained on three fifths, measured on one, for AP, and for nDCG@10
          with gains 2^grade - 1. With --sizes, random samples of so many queries of each fold's training part.
Baseline  LinearRanker with its defaults; LightGBM's LambdaMART (10 leaves, rate 0.1), XGBoost's, CatBoost's YetiRank
          and StochasticRank (settings in peers.py and here), stopped by the validation queries, which ours do not see;
          interpret's explainable boosting machine, a regression on the grades.
Ours      AdditiveRanker with its defaults, and without the sweeps for the metric itself (smoothing 0).
Prints    For each collection and metric the mean over all test queries, the difference to the linear model with its 95%
          interval (paired over queries), the mean processor time and the size of the model's file in bytes; then means
          over collections. With --sizes, the means by number of training queries instead.

Results are kept in benchmarks/results, so that an interrupted run resumes; those of ours are dropped when the source
changes. OMP_NUM_THREADS=1 keeps threads of others from waiting busily.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Results, edition, format_seconds, machine, markdown_table
from letor_collections import parser, read_folds
from peers import TARGETS, Target, catboost_ranker, lambdamart_ranker

from rankmax import AdditiveRanker, LinearRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric

LINEAR, ADDITIVE, CONVEX = "linear", "additive", "additive, without sweeps"
LAMBDAMART, XGBOOST, EBM = "LightGBM LambdaMART", "XGBoost LambdaMART", "interpret EBM"
YETI, STOCHASTIC = "CatBoost YetiRank", "CatBoost StochasticRank"
METHODS = [LINEAR, ADDITIVE, CONVEX, LAMBDAMART, XGBOOST, YETI, STOCHASTIC, EBM]
PACKAGES = {LAMBDAMART: "lightgbm", XGBOOST: "xgboost", YETI: "catboost", STOCHASTIC: "catboost", EBM: "interpret-core"}

Fitted = tuple[Callable[[RankingDataset], F64], int]
"""What scores documents, and the bytes of its file."""


def fit(method: str, train: RankingDataset, validation: RankingDataset, target: Target) -> Fitted:
    """Train one method."""
    if method in (LINEAR, ADDITIVE, CONVEX):
        learner = {
            LINEAR: LinearRanker(target.metric),
            ADDITIVE: AdditiveRanker(target.metric),
            CONVEX: AdditiveRanker(target.metric, smoothing=0.0),
        }[method]
        model = learner.fit_dataset(train).model_
        return model.scores, len(model.to_json())
    if method == LAMBDAMART:
        ranker = lambdamart_ranker(train, validation, target, 10, 0.1)
        return lambda data: np.asarray(ranker.predict(data.features), np.float64), len(
            ranker.booster_.model_to_string()
        )
    if method == XGBOOST:
        return _xgboost(train, validation, target)
    if method == EBM:
        return _ebm(train)
    ranker = catboost_ranker("YetiRank" if method == YETI else "StochasticRank", train, validation, target)
    with tempfile.TemporaryDirectory() as folder:
        ranker.save_model(f"{folder}/model.cbm")
        size = Path(folder, "model.cbm").stat().st_size
    return lambda data: np.asarray(ranker.predict(data.features), np.float64), size


def _xgboost(train: RankingDataset, validation: RankingDataset, target: Target) -> Fitted:
    from xgboost import XGBRanker

    is_ap = target.metric == "AP"

    def grades(data: RankingDataset) -> Any:
        return (data.grades >= 1 if is_ap else data.grades).astype(np.int64)

    ranker = XGBRanker(
        objective=target.xgboost,
        eval_metric="map" if is_ap else "ndcg@10",
        n_estimators=1000,
        learning_rate=0.1,
        max_depth=4,
        early_stopping_rounds=50,
        random_state=0,
        n_jobs=1,
    )
    ranker.fit(
        train.features,
        grades(train),
        qid=train.judgments.query_of_document,
        eval_set=[(validation.features, grades(validation))],
        eval_qid=[validation.judgments.query_of_document],
        verbose=False,
    )
    size = len(ranker.get_booster().save_raw("json"))
    return lambda data: np.asarray(ranker.predict(data.features), np.float64), size


def _ebm(train: RankingDataset) -> Fitted:
    from interpret.glassbox import ExplainableBoostingRegressor

    regressor = ExplainableBoostingRegressor(interactions=0, random_state=0, n_jobs=1)
    regressor.fit(np.asarray(train.features), np.asarray(train.grades))
    size = 8 * sum(scores.size for scores in regressor.term_scores_)
    return lambda data: np.asarray(regressor.predict(np.asarray(data.features)), np.float64), size


def measured(
    method: str, train: RankingDataset, validation: RankingDataset, test: RankingDataset, target: Target
) -> Any:
    """Return the values of the test queries, the processor time and the size."""
    began = time.process_time()
    scores, size = fit(method, train, validation, target)
    spent = time.process_time() - began
    values = evaluate_metrics([parse_metric(target.metric)], scores(test), test.judgments)[0]
    return {"values": [None if np.isnan(v) else float(v) for v in values], "cpu": spent, "size": size}


def differences(found: list[dict[str, Any]], base: list[dict[str, Any]]) -> F64:
    """Return the paired differences of all test queries."""
    ours, theirs = (np.array([v for one in part for v in one["values"]], np.float64) for part in (found, base))
    gains = ours - theirs
    return gains[~np.isnan(gains)]


def interval(gains: F64) -> str:
    """Return the mean with the half width of its 95% interval."""
    return f"{gains.mean():+.4f} ± {1.96 * gains.std(ddof=1) / np.sqrt(gains.size):.4f}"


def mean(found: list[dict[str, Any]]) -> float:
    return float(np.nanmean(np.array([v for one in found for v in one["values"]], np.float64)))


def print_folds(results: Results, arguments: argparse.Namespace) -> None:
    totals: dict[str, dict[str, list[float]]] = {metric: {} for metric in arguments.metrics}
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        for metric in arguments.metrics:
            target = TARGETS[metric]
            found: dict[str, list[dict[str, Any]]] = {}
            for method in arguments.methods:
                for number, fold in folds.items():
                    parts = fold.train, fold.validation, fold.test
                    one = results.get(
                        f"{collection}, {number}, {metric}, {method}, {edition(PACKAGES.get(method, 'rankmax'))}",
                        lambda method=method, parts=parts, target=target: measured(method, *parts, target),
                    )
                    found.setdefault(method, []).append(one)
            rows = []
            for method, parts in found.items():
                totals[metric].setdefault(method, []).append(mean(parts))
                gain = "" if method == LINEAR or LINEAR not in found else interval(differences(parts, found[LINEAR]))
                cpu, size = (float(np.mean([one[key] for one in parts])) for key in ("cpu", "size"))
                rows.append([method, f"{mean(parts):.4f}", gain, format_seconds(cpu), f"{size:,.0f}"])
            print(f"\n{collection}, {metric}, folds {', '.join(map(str, folds))}\n")
            print(markdown_table(["method", "test", "beside linear", "CPU time", "bytes"], rows), flush=True)
    print("\nMeans over the collections\n")
    rows = [
        [method, *(f"{np.mean(totals[metric][method]):.4f}" for metric in arguments.metrics)]
        for method in arguments.methods
    ]
    print(markdown_table(["method", *arguments.metrics], rows))


def print_sizes(results: Results, arguments: argparse.Namespace) -> None:
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        for metric in arguments.metrics:
            target, rows = TARGETS[metric], []
            for method in arguments.methods:
                row = [method]
                for size in arguments.sizes:
                    parts = []
                    for number, fold in folds.items():
                        if size > fold.train.n_queries:
                            continue
                        rng = np.random.default_rng([size, number])
                        train = fold.train.select(np.sort(rng.permutation(fold.train.n_queries)[:size]))
                        few = np.sort(rng.permutation(fold.validation.n_queries)[: max(size // 3, 5)])
                        validation = fold.validation.select(few)
                        name = f"{collection}, {number}, {metric}, {method}, {size}"
                        parts.append(
                            results.get(
                                f"{name}, {edition(PACKAGES.get(method, 'rankmax'))}",
                                lambda method=method, a=train, b=validation, c=fold.test, target=target: measured(
                                    method, a, b, c, target
                                ),
                            )
                        )
                    row.append(f"{mean(parts):.4f}" if parts else "")
                rows.append(row)
            print(f"\n{collection}, {metric}, test mean by number of training queries\n")
            print(markdown_table(["method", *map(str, arguments.sizes)], rows), flush=True)


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    options.add_argument("--sizes", nargs="+", type=int, help="numbers of training queries, such as 25 50 100 200 1000")
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("additive_peers", fresh=arguments.fresh)
    (print_sizes if arguments.sizes else print_folds)(results, arguments)


if __name__ == "__main__":
    main()
