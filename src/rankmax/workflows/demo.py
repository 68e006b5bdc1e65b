"""The demonstration: learn, evaluate and compare on a problem that needs no data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.letor import write_letor
from rankmax.data.scores import write_scores
from rankmax.data.splits import split_queries
from rankmax.data.synthetic import planted_linear
from rankmax.evaluation.compare import Comparison, compare_systems
from rankmax.evaluation.evaluate import evaluate
from rankmax.learners.least_squares import LeastSquaresRanker
from rankmax.learners.linear_ranker import LinearRanker

_METRIC = "nDCG@10"
_DOCUMENTS = 40
_FEATURES = 12


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration found.

    Attributes
    ----------
    n_train, n_test, n_documents, n_features : int
        Size of the problem; `n_documents` is for each query.
    metric : str
    comparison : Comparison
        Systems against the best single feature, on held-out queries.
    next_commands : tuple of str
        Commands, without the leading `rankmax`, that go on from the files written.
    """

    n_train: int
    n_test: int
    n_documents: int
    n_features: int
    metric: str
    comparison: Comparison
    next_commands: tuple[str, ...]


def run_demo(folder: Path, *, seed: int = 7) -> DemoResult:
    """Learn weights on a synthetic problem and compare them on held-out queries.

    Parameters
    ----------
    folder : Path
        Existing folder that the data, the scores and the model are written to.
    seed : int
    """
    problem = planted_linear(300, _DOCUMENTS, _FEATURES, noise=1.0, seed=seed)
    train, test = (problem.data.select(part) for part in split_queries(problem.data, [0.5, 0.5], seed=seed))
    model = LinearRanker(_METRIC, n_restarts=3, seed=seed).fit_dataset(train).model_
    baseline = LeastSquaresRanker().fit_dataset(train).model_
    systems = {
        "best-feature": test.scores(_best_single_feature(train)),
        "equal-weights": test.scores(np.ones(test.n_features)),
        "least-squares": baseline.scores(test),
        "rankmax": model.scores(test),
        "planted-weights": test.scores(problem.weights),
    }
    write_letor(train, folder / "train.txt")
    write_letor(test, folder / "test.txt")
    model.save(folder / "model.json")
    for name, scores in systems.items():
        write_scores(scores, folder / f"{name}.scores")
    values = {name: evaluate(scores, test, [_METRIC])[_METRIC] for name, scores in systems.items()}
    return DemoResult(
        n_train=train.n_queries,
        n_test=test.n_queries,
        n_documents=_DOCUMENTS,
        n_features=_FEATURES,
        metric=_METRIC,
        comparison=compare_systems(values, "best-feature", seed=seed),
        next_commands=(
            f"data info {folder}/train.txt",
            f"evaluate {folder}/test.txt --model {folder}/model.json -m nDCG@10 -m AP",
            f"compare {folder}/test.txt --scores {folder}/best-feature.scores --model {folder}/model.json -m AP",
            f"rank {folder}/model.json {folder}/test.txt -o {folder}/rankmax.run",
        ),
    )


def _best_single_feature(train: RankingDataset) -> F64:
    """Return the weights of the one feature, up or down, that ranks the training queries best."""
    candidates = [sign * row for row in np.eye(train.n_features) for sign in (1.0, -1.0)]
    means = [evaluate(train.scores(w), train, [_METRIC]).means[0] for w in candidates]
    return candidates[int(np.argmax(means))]
