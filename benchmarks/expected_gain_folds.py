"""Does the expected gain rank better than a linear score, whatever the surrogate loss?

Data      LETOR's five folds of OHSUMED (of the paper's seven sets the one at hand), MQ2007 and MQ2008: learned on the
          training queries, everything chosen by NDCG@10 on the validation queries, measured on the test queries.
Baseline  For each loss the linear score, learned and chosen the same way, as in Table 1 of Yang, Ravikumar & Lease
          2010; further rows: the plug-in estimator (Algorithm 1) by logistic regression and by LightGBM, and the
          results that were published with the collections, where the data's folder has them (published-baselines.md).
Ours      Cosine, cross entropy (alpha as in the paper) and squared loss, each with linear scores and with expected gain
          (epsilon as in the paper). Three ways: "paper", 200 steps of plain gradient descent; "unpenalised", L-BFGS;
          and "penalised", L-BFGS with a penalty of which validation queries choose the size. Further rows: the
          Plackett-Luce likelihood, SmoothRank, and polished gains.
Prints    For each collection and way: means over the test queries of all folds, the relative change, the p-value of the
          randomisation test over queries; and how often expected gain is better, the same or worse at p < 0.05.

Results are kept in benchmarks/results, so that an interrupted run resumes; begin anew with --fresh.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Results, format_seconds, machine, markdown_table
from letor_collections import DATA, parser, read_folds
from letor_test_folds import published
from threadpoolctl import threadpool_limits

from rankmax import RankingDataset, randomization_test
from rankmax.arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.learners.plug_in import PlugInRanker
from rankmax.learners.scoring.expected_gain import ExpectedGain
from rankmax.learners.surrogate_ranker import ALPHAS, EPSILONS, SurrogateRanker
from rankmax.losses.cross_entropy import CrossEntropy
from rankmax.metrics import parse
from rankmax.metrics.evaluate import evaluate_metrics

METRICS = {**{f"NDCG@{k}": f"LetorNDCG@{k}" for k in (1, 5, 10)}, "MAP": "LetorAP"}
TABLE_1 = ("NDCG@1", "NDCG@5", "NDCG@10")
CHOSEN_BY = "LetorNDCG@10"
LOSSES: dict[str, Any] = {
    "cosine": "cosine",
    "cross entropy": [CrossEntropy(alpha=alpha) for alpha in ALPHAS],
    "squared": "squared",
}
WAYS: dict[str, dict[str, Any]] = {
    "paper": {"ridge": 0.0, "optimizer": "gradient-descent"},
    "unpenalised": {"ridge": 0.0},
    "penalised": {"ridge": (0.01, 0.1)},
}
SCORINGS: dict[str, Any] = {"linear": "linear", "expected gain": [ExpectedGain(epsilon=e) for e in EPSILONS]}
LEVEL = 0.05
BAR = 30  # characters of a metric of 0.6


def measured(scores: Callable[[RankingDataset], F64], fold: LetorFold) -> dict[str, Any]:
    """Return each metric of each test query."""
    metrics = [parse(name) for name in METRICS.values()]
    values = evaluate_metrics(metrics, scores(fold.test), fold.test.judgments)
    return {"test": dict(zip(METRICS, values.tolist(), strict=True))}


def surrogate(loss: Any, scoring: Any, fold: LetorFold, **parameters: Any) -> dict[str, Any]:
    ranker = SurrogateRanker(loss, scoring, CHOSEN_BY, **parameters)
    ranker.fit_dataset(fold.train, validation=fold.validation)
    chosen = {"loss": repr(ranker.loss_), "scoring": repr(ranker.scoring_), "ridge": ranker.ridge_}
    return {**measured(ranker.model_.scores, fold), "chosen": chosen, "converged": ranker.converged_}


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


def compared() -> dict[str, Callable[[LetorFold], dict[str, Any]]]:
    """Return the two sides of Table 1, for each way and loss."""
    return {
        f"{way}, {loss}, {scoring}": lambda fold, way=way, loss=loss, scoring=scoring: surrogate(
            LOSSES[loss], SCORINGS[scoring], fold, **WAYS[way]
        )
        for way in WAYS
        for loss in LOSSES
        for scoring in SCORINGS
    }


def further() -> dict[str, Callable[[LetorFold], dict[str, Any]]]:
    """Return what else is worth a row."""
    from lightgbm import LGBMClassifier
    from sklearn.linear_model import LogisticRegression

    penalties, grid = WAYS["penalised"]["ridge"], SCORINGS["expected gain"]
    logistic = [LogisticRegression(C=C, max_iter=2000) for C in (0.01, 0.1, 1.0, 10.0)]
    trees = [
        LGBMClassifier(n_estimators=n, num_leaves=7, learning_rate=0.05, verbose=-1, n_jobs=1) for n in (50, 100, 200)
    ]
    return {
        "Plackett-Luce, linear": lambda fold: surrogate("plackett-luce", "linear", fold, ridge=penalties),
        "Plackett-Luce, expected gain": lambda fold: surrogate("plackett-luce", grid, fold, ridge=penalties),
        "SmoothRank, linear": lambda fold: surrogate("smooth-ndcg", "linear", fold, ridge=0.0),
        "SmoothRank, expected gain": lambda fold: surrogate("smooth-ndcg", "expected-gain", fold, ridge=penalties),
        "cosine, expected gain, polished": lambda fold: surrogate("cosine", grid, fold, ridge=penalties, polish=True),
        "plug-in, logistic regression": lambda fold: plug_in(logistic, fold),
        "plug-in, LightGBM": lambda fold: plug_in(trees, fold),
    }


def side_by_side(way: str, rows: dict[str, dict[str, F64]]) -> tuple[list[list[str]], list[float], list[str]]:
    """Return the rows of a table, the relative changes, and the verdicts."""
    cells, changes, verdicts = [], [], []
    for loss in LOSSES:
        for metric in TABLE_1:
            linear, expected = (rows[f"{way}, {loss}, {scoring}"][metric] for scoring in SCORINGS)
            change = float((expected.mean() - linear.mean()) / linear.mean())
            p = randomization_test(expected, linear).p_value
            verdict = "same" if p >= LEVEL else "better" if change > 0 else "worse"
            bars = " ".join("█" * round(BAR * side.mean() / 0.6) for side in (linear, expected))
            cells.append(
                [loss, metric, f"{linear.mean():.4f}", f"{expected.mean():.4f}", f"{change:+.1%}", f"{p:.3f}", verdict]
            )
            cells[-1].append(bars)
            changes.append(change)
            verdicts.append(verdict)
    return cells, changes, verdicts


def main() -> None:
    options = parser(__doc__, folds="12345")
    options.set_defaults(collections=("OHSUMED", "MQ2008", "MQ2007"))
    options.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    options.add_argument("--without-further", action="store_true", help="only the two sides of Table 1")
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("expected_gain_folds", fresh=arguments.fresh)
    for collection in arguments.collections:
        folds = read_folds(arguments.folder, collection, arguments.folds)
        methods = {name: fit for name, fit in compared().items() if name.split(", ")[0] in arguments.ways}
        extra = {} if arguments.without_further else further()
        rows: dict[str, dict[str, F64]] = {}
        seconds = {}
        for name, fit in (methods | extra).items():
            found = [
                results.get(f"{collection}, fold {number}, {name}", lambda fit=fit, fold=fold: fit(fold))
                for number, fold in folds.items()
            ]
            rows[name] = {metric: np.concatenate([fold["test"][metric] for fold in found]) for metric in METRICS}
            seconds[name] = sum(fold["cpu_seconds"] for fold in found)
        for way in arguments.ways:
            cells, changes, verdicts = side_by_side(way, rows)
            print(f"\n{collection}, {way}: linear and expected gain, test queries of {len(folds)} folds\n")
            header = ["loss", "metric", "linear", "expected gain", "change", "p", "verdict", "linear, expected gain"]
            print(markdown_table(header, cells))
            counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("better", "same", "worse"))
            print(f"\n{counts}; average change {np.mean(changes):+.1%}")
        print(f"\n{collection}, all methods\n")
        table = [
            [name, *(f"{row[metric].mean():.4f}" for metric in METRICS), format_seconds(seconds[name])]
            for name, row in rows.items()
        ]
        for name, row in published(DATA / "published-baselines.md", collection):
            table.append([f"{name} (published)", *(f"{row[metric]:.4f}" for metric in METRICS), ""])
        print(markdown_table(["method", *METRICS, "processor time"], table), flush=True)


if __name__ == "__main__":
    main()
