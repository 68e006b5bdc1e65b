"""Do fewer trees, or a linear model beside them, rank new queries better than all trees of LambdaMART?

Data      LETOR's folds: models learn from three fifths; trees are pruned and weights tuned on one, and measured on one.
Baseline  LightGBM's LambdaMART: 300 trees of 15 leaves, rate 0.05, without early stopping.
Ours      Its first trees with the highest value on the validation queries, and those that `rankmax prune` keeps; its
          scores with those of a linear model (`train --learner surrogate`), weighted by `tune --model`.
Prints    For each collection and metric the mean over all test queries, the difference to all trees with its 95%
          interval (paired over queries), and the mean number of trees.

It first asserts that scores read from the model's text have the bits of the library's own predictions.
"""

from __future__ import annotations

import numpy as np
from harness import machine, markdown_table
from letor_collections import parser, read_folds

import rankmax as rm
from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.models.tree_ensemble_model import TreeEnsembleModel, tree_model

ALL = "all trees"
SETTINGS = {
    "objective": "lambdarank",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_data_in_leaf": 20,
    "num_threads": 1,
    "seed": 0,
    "verbosity": -1,
}


def lambdamart(train: rm.RankingDataset, test: rm.RankingDataset) -> TreeEnsembleModel:
    """Train 300 trees, and read them from the text of their model."""
    import lightgbm

    data = lightgbm.Dataset(
        np.asarray(train.features), train.grades.astype(np.int64), group=train.judgments.documents_by_query
    )
    booster = lightgbm.train(SETTINGS, data, 300)
    model = tree_model(booster.model_to_string().encode(), "LightGBM")
    assert (model.scores(test) == booster.predict(np.asarray(test.features))).all()
    return model


def values(fold: LetorFold, metric: str) -> dict[str, tuple[F64, int]]:
    """Return the test values per query of every way, with the number of trees."""
    train, validation, test = fold.train, fold.validation, fold.test
    trees = lambdamart(train, test)
    linear = rm.train(train, metric, learner="surrogate")
    pruned = rm.prune(trees, validation, metric)
    ways = {
        ALL: (trees, len(trees.trees)),
        "best prefix": (trees.named_by(validation).first(pruned.best), pruned.best),
        "pruned": (pruned.model, pruned.n_kept),
        "linear": (linear, 0),
    }
    for name, own in (("all trees + linear", trees), ("pruned + linear", pruned.model)):
        tuned = rm.tune(validation, metric=metric, models={"trees": own, "linear": linear}, repeats=1)
        ways[name] = (tuned.written_model("learned"), len(own.trees))
    chosen = parse_metric(metric)
    return {
        name: (evaluate_metrics([chosen], model.scores(test), test.judgments)[0], n)
        for name, (model, n) in ways.items()
    }


def main() -> None:
    """Print a table for each collection and metric."""
    options = parser(__doc__, folds="12345").parse_args()
    print(machine())
    for collection in options.collections:
        folds = read_folds(options.folder, collection, options.folds)
        for metric in options.metrics:
            found = [values(fold, metric) for fold in folds.values()]
            base = np.concatenate([one[ALL][0] for one in found])
            rows = []
            for name in found[0]:
                own = np.concatenate([one[name][0] for one in found])
                d = (own - base)[~np.isnan(own)]
                error = 1.96 * d.std(ddof=1) / d.size**0.5
                n_trees = np.mean([one[name][1] for one in found])
                rows.append([name, f"{np.nanmean(own):.4f}", f"{d.mean():+.4f} ± {error:.4f}", f"{n_trees:.0f}"])
            print(f"\n{collection}, {metric}\n")
            print(markdown_table(["way", metric, "difference to all trees", "trees"], rows))


if __name__ == "__main__":
    main()
