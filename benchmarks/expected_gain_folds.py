"""Which surrogate loss and which scoring function rank best on new queries, beside what was published?

Data      LETOR's five folds of OHSUMED, MQ2008 and MQ2007: learned on the training queries, everything chosen by
          NDCG@10 on the validation queries, measured on the test queries.
Baseline  The results that were published with the collections, where the data's folder has them
          (published-baselines.md); and for each loss with expected gain, the same loss with linear scores.
Ours      Cosine, cross entropy (alpha as in the paper) and squared loss with linear scores and with expected gain
          (epsilon as in the paper), by L-BFGS without a penalty; with the default penalty the Plackett-Luce
          likelihood, SmoothRank, and polished gains; the plug-in estimator (Algorithm 1 of Yang, Ravikumar & Lease
          2010) by logistic regression and by LightGBM. The paper's own comparison, by gradient descent and with the
          default penalty, is that of `rankmax reproduce yang2010`: its rows come from the results that are part of
          rankmax.
Prints    For each collection the means over the folds' test means, ▲ where expected gain is better than linear scores
          and ▼ where worse (randomization test over all test queries at level 0.05).

Results are kept in benchmarks/results, so that an interrupted run resumes; start again with --fresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import Results, format_seconds, machine, markdown_table
from letor_collections import DATA, parser, read_folds
from letor_test_folds import published
from threadpoolctl import threadpool_limits

from rankmax import RankingDataset, randomization_test
from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.learners.pointwise.plug_in import PlugInRanker
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.metrics import parse_metric
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.papers.registry import paper_named
from rankmax.papers.running import shipped_results

METRICS = {**{f"NDCG@{k}": f"LetorNDCG@{k}" for k in (1, 5, 10)}, "MAP": "LetorAP"}
CHOSEN_BY = "LetorNDCG@10"
LOSSES = {"cosine": "cosine", "cross entropy": "cross-entropy", "squared": "squared"}
SCORINGS = {"linear": "linear", "expected gain": "expected-gain"}
LEVEL = 0.05

Method = Callable[[LetorFold], dict[str, Any]]
Row = dict[str, list[F64]]
"""By metric, the values of the test queries of each fold."""


def measured(scores: Callable[[RankingDataset], F64], fold: LetorFold) -> dict[str, Any]:
    """Return each metric of each test query."""
    metrics = [parse_metric(name) for name in METRICS.values()]
    values = evaluate_metrics(metrics, scores(fold.test), fold.test.judgments)
    return {"test": dict(zip(METRICS, values.round(6).tolist(), strict=True))}


def surrogate(loss: str, scoring: str, fold: LetorFold, **parameters: Any) -> dict[str, Any]:
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
    metric = parse_metric(CHOSEN_BY)
    best = max(
        fitted,
        key=lambda ranker: metric.per_query(ranker.model_.scores(fold.validation), fold.validation.judgments).mean(),
    )
    return {**measured(best.model_.scores, fold), "chosen": {"classifier": repr(best.classifier)}}


def methods() -> dict[str, Method]:
    """Return all that is learned here."""
    from lightgbm import LGBMClassifier
    from sklearn.linear_model import LogisticRegression

    logistic = [LogisticRegression(C=C, max_iter=2000) for C in (0.01, 0.1, 1.0, 10.0)]
    trees = [
        LGBMClassifier(n_estimators=n, num_leaves=7, learning_rate=0.05, verbose=-1, n_jobs=1) for n in (50, 100, 200)
    ]
    unpenalized: dict[str, Method] = {
        f"unpenalized, {loss}, {scoring}": partial(surrogate, LOSSES[loss], SCORINGS[scoring], ridge=0.0)
        for loss in LOSSES
        for scoring in SCORINGS
    }
    return {
        **unpenalized,
        "Plackett-Luce, linear": partial(surrogate, "plackett-luce", "linear"),
        "Plackett-Luce, expected gain": partial(surrogate, "plackett-luce", "expected-gain"),
        "SmoothRank, linear": partial(surrogate, "smooth-ndcg", "linear"),
        "SmoothRank, expected gain": partial(surrogate, "smooth-ndcg", "expected-gain"),
        "cosine, expected gain, polished": partial(surrogate, "cosine", "expected-gain", polish=True),
        "plug-in, logistic regression": partial(plug_in, logistic),
        "plug-in, LightGBM": partial(plug_in, trees),
    }


def fold_mean(values: list[F64]) -> float:
    return float(np.mean([fold.mean() for fold in values]))


def marker(name: str, metric: str, rows: dict[str, Row]) -> str:
    """Return whether expected gain is better or worse than linear scores of the same loss, by more than chance."""
    linear = rows.get(name.replace("expected gain", "linear"))
    if "expected gain" not in name or linear is None:
        return ""
    ours, theirs = np.concatenate(rows[name][metric]), np.concatenate(linear[metric])
    if randomization_test(ours, theirs).p_value >= LEVEL:
        return ""
    return " ▲" if ours.mean() > theirs.mean() else " ▼"


def reproduced(collection: str) -> Iterator[list[str]]:
    """Yield the rows that `rankmax reproduce yang2010` found on a collection."""
    paper = paper_named("yang2010")
    exhibit = paper.exhibit("figure-1")
    if (stored := shipped_results(paper, exhibit.study)) is not None:
        (table,) = paper.report(exhibit, stored.values).tables
        for its_collection, *names_and_values in table.rows:
            if its_collection == collection:
                yield [", ".join(names_and_values[:3]), *names_and_values[3:], ""]


def folds_of(folder: Path, collection: str) -> Callable[[int], LetorFold]:
    """Return a function from a fold's number to the fold; the files are read when one is asked for."""

    @cache
    def read() -> dict[int, LetorFold]:
        if not folder.is_dir():
            raise SystemExit(f"skipped: no folder {folder}, and not all results are stored")
        return read_folds(folder, collection, [1, 2, 3, 4, 5])

    return lambda number: read()[number]


def on_fold(fit: Method, fold: Callable[[int], LetorFold], number: int) -> dict[str, Any]:
    return fit(fold(number))


def main() -> None:
    every = methods()
    options = parser(__doc__, folds="12345")
    options.set_defaults(collections=("OHSUMED", "MQ2008", "MQ2007"))
    options.add_argument("--methods", nargs="+", default=list(every), choices=list(every))
    arguments = options.parse_args()
    print(machine())
    for collection in arguments.collections:
        results = Results(f"expected_gain_{collection.lower()}", fresh=arguments.fresh)
        fold = folds_of(arguments.folder, collection)
        fits = {
            name: [
                results.get(f"fold {number}, {name}", partial(on_fold, every[name], fold, number))
                for number in arguments.folds
            ]
            for name in arguments.methods
        }
        rows: dict[str, Row] = {
            name: {metric: [np.array(part["test"][metric]) for part in found] for metric in METRICS}
            for name, found in fits.items()
        }
        table = list(reproduced(collection))
        for name, row in rows.items():
            means = [f"{fold_mean(row[metric]):.4f}{marker(name, metric, rows)}" for metric in METRICS]
            table.append([name, *means, format_seconds(sum(part["cpu_seconds"] for part in fits[name]))])
        for name, theirs in published(DATA / "published-baselines.md", collection):
            table.append([f"{name} (published)", *(f"{theirs[metric]:.4f}" for metric in METRICS), ""])
        print(f"\n{collection}, test queries of folds {', '.join(map(str, arguments.folds))}\n")
        print(markdown_table(["method", *METRICS, "processor time"], table), flush=True)


if __name__ == "__main__":
    main()
