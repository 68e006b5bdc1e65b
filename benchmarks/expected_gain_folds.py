"""Does the expected gain rank better than a linear score, whatever the surrogate loss?

Data      LETOR's five folds of OHSUMED (of the paper's seven sets the one at hand), MQ2007 and MQ2008: learned on the
          training queries, everything chosen by NDCG@10 on the validation queries, measured on the test queries.
Baseline  For each loss the linear score, learned and chosen the same way, as in Table 1 of Yang, Ravikumar & Lease
          2010; further rows: the plug-in estimator (Algorithm 1) by logistic regression and by LightGBM, and the
          results that were published with the collections, where the data's folder has them (published-baselines.md).
Ours      Cosine, cross entropy (alpha as in the paper) and squared loss, each with linear scores and with expected gain
          (epsilon as in the paper). Three ways: "paper", 200 steps of plain gradient descent without
          intercepts; "unpenalised", L-BFGS; and "penalised", L-BFGS with the default penalty (see
          surrogate_penalties.py). Further rows: the Plackett-Luce likelihood, SmoothRank, and polished gains.
Prints    For each collection and way: means over the folds' test means, the relative change, the p-value of the
          randomisation test over all test queries; at the end, for each way, Table 1: how often expected gain is
          better, the same or worse at p < 0.05, and the average change. With --figure, draws Figure 1: bars.

Results are kept in benchmarks/results, so that an interrupted run resumes; begin anew with --fresh.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from expected_gain_bars import draw_bars
from harness import Results, format_seconds, machine, markdown_table
from letor_collections import DATA, parser, read_folds
from letor_test_folds import published
from threadpoolctl import threadpool_limits

from rankmax import RankingDataset, randomization_test
from rankmax.arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.learners.plug_in import PlugInRanker
from rankmax.learners.scoring.expected_gain import EPSILONS, ExpectedGain
from rankmax.learners.scoring.linear import LinearScore
from rankmax.learners.surrogate_ranker import SurrogateRanker
from rankmax.metrics import parse
from rankmax.metrics.evaluate import evaluate_metrics

METRICS = {**{f"NDCG@{k}": f"LetorNDCG@{k}" for k in (1, 5, 10)}, "MAP": "LetorAP"}
TABLE_1 = ("NDCG@1", "NDCG@5", "NDCG@10")
CHOSEN_BY = "LetorNDCG@10"
LOSSES = {"cosine": "cosine", "cross entropy": "cross-entropy", "squared": "squared"}
SCORINGS = {"linear": "linear", "expected gain": "expected-gain"}
WITHOUT_INTERCEPT: dict[str, Any] = {
    "linear": LinearScore(intercept=False),
    "expected gain": [ExpectedGain(epsilon=epsilon, intercept=False) for epsilon in EPSILONS],
}
WAYS: dict[str, dict[str, Any]] = {
    "paper": {"ridge": 0.0, "optimizer": "gradient-descent"},
    "unpenalised": {"ridge": 0.0},
    "penalised": {},
}
LEVEL = 0.05
VERDICTS = ("better", "same", "worse")

Method = Callable[[LetorFold], dict[str, Any]]
Rows = dict[str, dict[str, list[F64]]]
"""By method and metric, the values of the test queries of each fold."""


def measured(scores: Callable[[RankingDataset], F64], fold: LetorFold) -> dict[str, Any]:
    """Return each metric of each test query."""
    metrics = [parse(name) for name in METRICS.values()]
    values = evaluate_metrics(metrics, scores(fold.test), fold.test.judgments)
    return {"test": dict(zip(METRICS, values.round(6).tolist(), strict=True))}


def surrogate(loss: str, scoring: Any, fold: LetorFold, **parameters: Any) -> dict[str, Any]:
    ranker = SurrogateRanker(loss, scoring, CHOSEN_BY, **parameters)
    ranker.fit_dataset(fold.train, validation=fold.validation)
    chosen = {"loss": repr(ranker.loss_), "scoring": repr(ranker.scoring_), "ridge": ranker.ridge_}
    return {
        **measured(ranker.model_.scores, fold),
        "chosen": chosen,
        "training": ranker.value_,
        "validation": ranker.validation_value_,
        "converged": ranker.converged_,
    }


def plug_in(classifiers: list[Any], fold: LetorFold) -> dict[str, Any]:
    """Return the measures of the classifier that is best on the validation queries."""
    with threadpool_limits(1, "blas"):  # on a busy machine waking threads takes many times the fit
        fitted = [PlugInRanker(classifier).fit_dataset(fold.train) for classifier in classifiers]
    metric = parse(CHOSEN_BY)
    best = max(
        fitted,
        key=lambda ranker: metric.per_query(ranker.model_.scores(fold.validation), fold.validation.judgments).mean(),
    )
    return {**measured(best.model_.scores, fold), "chosen": {"classifier": repr(best.classifier)}}


def compared(ways: list[str]) -> dict[str, Method]:
    """Return the two sides of Table 1, for each way and loss."""
    return {
        f"{way}, {loss}, {scoring}": partial(
            surrogate, LOSSES[loss], (WITHOUT_INTERCEPT if way == "paper" else SCORINGS)[scoring], **WAYS[way]
        )
        for way in ways
        for loss in LOSSES
        for scoring in SCORINGS
    }


def further() -> dict[str, Method]:
    """Return what else is worth a row."""
    from lightgbm import LGBMClassifier
    from sklearn.linear_model import LogisticRegression

    logistic = [LogisticRegression(C=C, max_iter=2000) for C in (0.01, 0.1, 1.0, 10.0)]
    trees = [
        LGBMClassifier(n_estimators=n, num_leaves=7, learning_rate=0.05, verbose=-1, n_jobs=1) for n in (50, 100, 200)
    ]
    return {
        "Plackett-Luce, linear": lambda fold: surrogate("plackett-luce", "linear", fold),
        "Plackett-Luce, expected gain": lambda fold: surrogate("plackett-luce", "expected-gain", fold),
        "SmoothRank, linear": lambda fold: surrogate("smooth-ndcg", "linear", fold),
        "SmoothRank, expected gain": lambda fold: surrogate("smooth-ndcg", "expected-gain", fold),
        "cosine, expected gain, polished": lambda fold: surrogate("cosine", "expected-gain", fold, polish=True),
        "plug-in, logistic regression": lambda fold: plug_in(logistic, fold),
        "plug-in, LightGBM": lambda fold: plug_in(trees, fold),
    }


def on_fold(fit: Method, fold: Callable[[int], LetorFold], number: int) -> dict[str, Any]:
    return fit(fold(number))


def measure_all(
    methods: dict[str, Method], results: Results, numbers: list[int], fold: Callable[[int], LetorFold]
) -> tuple[Rows, dict[str, float]]:
    """Return the values of the test queries by method, metric and fold, and the processor seconds by method."""
    rows: Rows = {}
    seconds: dict[str, float] = {}
    for name, fit in methods.items():
        found = [results.get(f"fold {number}, {name}", partial(on_fold, fit, fold, number)) for number in numbers]
        rows[name] = {metric: [np.array(part["test"][metric]) for part in found] for metric in METRICS}
        seconds[name] = sum(part["cpu_seconds"] for part in found)
    return rows, seconds


def fold_mean(values: list[F64]) -> float:
    return float(np.mean([fold.mean() for fold in values]))


def side_by_side(way: str, rows: Rows) -> tuple[list[list[str]], list[str]]:
    """Return the rows of a table, and what Table 1 says of the collection: counts of verdicts, and the mean change."""
    cells, changes, verdicts = [], [], []
    for loss in LOSSES:
        for metric in TABLE_1:
            linear, expected = (rows[f"{way}, {loss}, {scoring}"][metric] for scoring in SCORINGS)
            change = fold_mean(expected) / fold_mean(linear) - 1
            p = randomization_test(np.concatenate(expected), np.concatenate(linear)).p_value
            verdict = "same" if p >= LEVEL else "better" if change > 0 else "worse"
            sides = f"{fold_mean(linear):.4f}", f"{fold_mean(expected):.4f}"
            cells.append([loss, metric, *sides, f"{change:+.1%}", f"{p:.3f}", verdict])
            changes.append(change)
            verdicts.append(verdict)
    counts = [str(verdicts.count(verdict)) for verdict in VERDICTS]
    return cells, [*counts, str(len(verdicts)), f"{np.mean(changes):+.1%}"]


def folds_of(folder: Path, collection: str) -> Callable[[int], LetorFold]:
    """Return a function from a fold's number to the fold; the files are read when one is asked for."""

    @cache
    def read() -> dict[int, LetorFold]:
        if not folder.is_dir():
            raise SystemExit(f"skipped: no folder {folder}, and not all results are stored")
        return read_folds(folder, collection, [1, 2, 3, 4, 5])

    return lambda number: read()[number]


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.set_defaults(collections=("OHSUMED", "MQ2008", "MQ2007"))
    options.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    options.add_argument("--without-further", action="store_true", help="only the two sides of Table 1")
    options.add_argument("--figure", type=Path, help="draw Figure 1 of the last way here (.png or .svg)")
    arguments = options.parse_args()
    print(machine())
    table_1: dict[str, dict[str, list[str]]] = {way: {} for way in arguments.ways}
    means: dict[str, dict[str, dict[str, float]]] = {}
    for collection in arguments.collections:
        results = Results(f"expected_gain_{collection.lower()}", fresh=arguments.fresh)
        methods = compared(arguments.ways) | ({} if arguments.without_further else further())
        rows, seconds = measure_all(methods, results, arguments.folds, folds_of(arguments.folder, collection))
        for way in arguments.ways:
            cells, table_1[way][collection] = side_by_side(way, rows)
            print(f"\n{collection}, {way}: linear and expected gain, test queries of {len(arguments.folds)} folds\n")
            print(markdown_table(["loss", "metric", "linear", "expected gain", "change", "p", "verdict"], cells))
        means[collection] = {name: {metric: fold_mean(row[metric]) for metric in METRICS} for name, row in rows.items()}
        print(f"\n{collection}, all methods\n")
        table = [
            [name, *(f"{row[metric]:.4f}" for metric in METRICS), format_seconds(seconds[name])]
            for name, row in means[collection].items()
        ]
        for name, row in published(DATA / "published-baselines.md", collection):
            table.append([f"{name} (published)", *(f"{row[metric]:.4f}" for metric in METRICS), ""])
        print(markdown_table(["method", *METRICS, "processor time"], table), flush=True)
    for way, by_collection in table_1.items():
        print(f"\nTable 1, {way}\n")
        names = [verdict.capitalize() for verdict in VERDICTS] + ["Total", "Avg. change"]
        table = [[name, *(column[i] for column in by_collection.values())] for i, name in enumerate(names)]
        print(markdown_table(["Dataset", *by_collection], table))
    if arguments.figure is not None:
        draw_bars(arguments.figure, means, arguments.ways[-1], list(LOSSES), list(SCORINGS), list(TABLE_1))


if __name__ == "__main__":
    main()
