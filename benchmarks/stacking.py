"""Is a stack of trees and curves better than each of them?

Data      LETOR's folds of MQ2007, MQ2008 and OHSUMED: models learn from the training queries, by the protocol of
          learners.py; weights of a stack are tuned on the validation queries, which trees have seen when they stopped.
Baseline  The additive model alone; LightGBM's LambdaMART and CatBoost's YetiRank alone.
Ours      Sums of their scores, standardized within queries, with equal weights; and the weights and normalization that
          `rankmax tune` learns.
Prints    For each collection and metric the mean over all test queries, and the difference to the additive model with
          its 95% interval (paired over queries).

Results are kept in benchmarks/results, so that an interrupted run resumes; they are dropped when the source changes.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from harness import Results, edition, machine, markdown_table
from letor_collections import parser, read_folds
from peers import TARGETS, Target

import rankmax as rm
from learners import ADDITIVE, LEARNERS, interval
from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing.feature_normalization import ZScore

MEMBERS = {"trees": "LightGBM LambdaMART", "YetiRank": "CatBoost YetiRank", "curves": ADDITIVE}


def test_values(fold: LetorFold, target: Target) -> dict[str, Any]:
    """Return the values of the test queries for each member and stack."""
    fitted = {name: LEARNERS[long].fit(fold.train, fold.validation, target) for name, long in MEMBERS.items()}

    def scored(data: rm.RankingDataset) -> rm.RankingDataset:
        """Return the data with the members' scores as features."""
        columns = np.column_stack([model.scores(data) for model in fitted.values()])
        return rm.RankingDataset.from_arrays(
            columns, data.grades, qid=data.judgments.query_of_document, feature_names=list(fitted)
        )

    test, validation = scored(fold.test), scored(fold.validation)
    standard = ZScore().apply(test)
    scores: dict[str, F64] = {name: test.column(j) for j, name in enumerate(fitted)}
    for n in (2, 3):
        for names in combinations(fitted, n):
            chosen = [standard.column(test.feature_names.index(name)) for name in names]
            scores[f"{' + '.join(names)}, equal weights"] = np.sum(chosen, axis=0)
    tuned = rm.tune(validation, metric=target.metric, repeats=1)
    scores["all three, tuned weights"] = tuned.written_model("learned").scores(test)
    metric = parse_metric(target.metric)
    return {name: evaluate_metrics([metric], own, fold.test.judgments)[0].tolist() for name, own in scores.items()}


def main() -> None:
    arguments = parser(__doc__, folds="12345").parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    results = Results("stacking", fresh=arguments.fresh)
    packages = ", ".join(map(edition, ("rankmax", "lightgbm", "catboost")))
    columns: dict[str, dict[str, F64]] = {}
    for collection in arguments.collections:
        for number, fold in read_folds(arguments.folder, collection, arguments.folds).items():
            for metric in arguments.metrics:
                found = results.get(
                    f"{collection}, {number}, {metric}, {packages}",
                    lambda fold=fold, metric=metric: {"test": test_values(fold, TARGETS[metric])},
                )
                own = columns.setdefault(f"{collection} {metric}", {})
                for name, values in found["test"].items():
                    own[name] = np.concatenate([own.get(name, []), values])
    for column, own in columns.items():
        rows = [
            [name, f"{values.mean():.4f}", "" if name == "curves" else interval(values - own["curves"])]
            for name, values in own.items()
        ]
        print(f"\n{column}\n\n{markdown_table(['', 'test', 'above curves'], rows)}", flush=True)


if __name__ == "__main__":
    main()
