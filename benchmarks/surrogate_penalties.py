"""Which penalty should a surrogate have by default?

Data      The training queries of the first folds of LETOR's OHSUMED, MQ2008 and MQ2007; the folds' validation and test
          queries have no part. Every fifth of them is held out in turn.
Compared  Four losses with linear scores and with expected gain, and SmoothRank with linear scores, all other
          parameters at their defaults, for penalties of 0 and powers of ten.
Prints    NDCG@10 on the queries held out, by loss, scores and penalty, for each collection; the mean over these,
          relative to the best penalty of each; and the penalty that would be chosen without one of the collections.
          Training queries of the first fold are test queries of others: where the choice is the same without a
          collection, none of its queries had a say in it.

Results are kept in benchmarks/results, so that an interrupted run resumes; start again with --fresh.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from harness import Results, machine, markdown_table
from letor_collections import parser, read_folds

from rankmax import RankingDataset
from rankmax._arrays import F64
from rankmax.data.splits import k_folds
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.metrics import parse_metric

PAIRS = (
    *product(("cosine", "cross-entropy", "squared", "plackett-luce"), ("linear", "expected-gain")),
    ("smooth-ndcg", "linear"),
)
PENALTIES = (0.0, 1e-3, 1e-2, 1e-1, 1.0)
METRIC = parse_metric("LetorNDCG@10")


def held_out(data: RankingDataset, loss: str, scoring: str, ridge: float) -> dict[str, Any]:
    """Return the mean over all queries, each ranked by the model that did not see it."""
    values = []
    for fold in k_folds(data, 5, seed=0, stratified=True):
        test = data.select(fold.test)
        model = SurrogateRanker(loss, scoring, ridge=ridge).fit_dataset(data.select(fold.train)).model_
        values.append(METRIC.per_query(model.scores(test), test.judgments))
    return {"held_out": float(np.concatenate(values).mean())}


def shares_of_the_best(values: F64) -> F64:
    """Return, for each penalty, the mean over all rows of the value relative to the row's highest."""
    rows = values.reshape(-1, len(PENALTIES))
    shares: F64 = (rows / rows.max(axis=1, keepdims=True)).mean(axis=0)
    return shares


def main() -> None:
    options = parser(__doc__, folds="1")
    options.set_defaults(collections=("OHSUMED", "MQ2008", "MQ2007"))
    arguments = options.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    print(machine())
    found = {}
    for collection in arguments.collections:
        results = Results(f"surrogate_penalties_{collection.lower()}", fresh=arguments.fresh)
        data = read_folds(arguments.folder, collection, [1])[1].train
        rows = [
            [
                results.get(
                    f"{loss}, {scoring}, {ridge:g}",
                    partial(held_out, data, loss, scoring, ridge),
                )["held_out"]
                for ridge in PENALTIES
            ]
            for loss, scoring in PAIRS
        ]
        found[collection] = np.array(rows)
    header = [f"{ridge:g}" for ridge in PENALTIES]
    for collection, values in found.items():
        print(f"\n{collection}: NDCG@10 on queries held out, by penalty\n")
        table = [
            [loss, scoring, *(f"{value:.4f}" for value in row)]
            for (loss, scoring), row in zip(PAIRS, values, strict=True)
        ]
        print(markdown_table(["loss", "scores", *header], table))
    print("\nShare of the best penalty's NDCG@10, mean over losses and scores\n")
    every = np.array(list(found.values()))
    table = [[collection, *(f"{s:.4f}" for s in shares_of_the_best(v))] for collection, v in found.items()]
    for name in dict.fromkeys(part for pair in PAIRS for part in pair):
        rows = every[:, [name in pair for pair in PAIRS]]
        table.append([f"all, {name}", *(f"{s:.4f}" for s in shares_of_the_best(rows))])
    table.append(["all", *(f"{s:.4f}" for s in shares_of_the_best(every))])
    print(markdown_table(["", *header], table))
    for left_out in found:
        others = np.array([values for name, values in found.items() if name != left_out])
        if others.size:
            print(f"without {left_out}: {PENALTIES[int(shares_of_the_best(others).argmax())]:g}")


if __name__ == "__main__":
    main()
