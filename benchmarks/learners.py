"""The learners that benchmarks compare, ours and others, and what each found: one row of a CSV file each.

Protocol  Every learner gets training and validation queries. Other programs stop by the validation queries, or choose
          among settings (peers.py); ours, FastRank, CMA-ES, Optuna and EBM do not look at them. Processor time
          is that of learning, all settings included, without loading and compiling. The size is that of the model's
          file: JSON for linear models, curves and EBM, the library's own format for trees.
Targets   AP, and nDCG@10 with gains 2^grade - 1, all values by our evaluator. EBM is a regression on the grades, and
          StochasticRank has no AP: it learns for nDCG@10.

A row is written as soon as it is measured, so that an interrupted run resumes; rows of ours are measured again when the
source changes. OMP_NUM_THREADS=1 keeps threads of others from waiting busily.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import peers
from black_box_searches import cma_es, optuna_search
from harness import edition
from peers import Target

from rankmax import AdditiveRanker, LinearRanker, RankingDataset
from rankmax._arrays import F64
from rankmax.data.splits import LetorFold
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.models.linear_model import LinearModel
from rankmax.optimizers.coordinate_ascent import CoordinateAscent

_EVALUATIONS, _OPTUNA_SECONDS = 2000, 20.0


@dataclass(frozen=True)
class Fitted:
    """What scores documents, and the bytes of its file."""

    scores: Callable[[RankingDataset], F64]
    size: int


Fit = Callable[[RankingDataset, RankingDataset, Target], Fitted]
"""Learns from training and validation queries for a target."""


def ours(make: Callable[[str], LinearRanker | AdditiveRanker]) -> Fit:
    def fit(train: RankingDataset, validation: RankingDataset, target: Target) -> Fitted:
        model = make(target.metric).fit_dataset(train).model_
        return Fitted(model.scores, len(model.to_json()))

    return fit


def linear(weights: Callable[[RankingDataset, RankingDataset, Target], F64]) -> Fit:
    def fit(train: RankingDataset, validation: RankingDataset, target: Target) -> Fitted:
        model = LinearModel(weights(train, validation, target), train.feature_names)
        return Fitted(model.scores, len(model.to_json()))

    return fit


def surrogate(train: RankingDataset, validation: RankingDataset, target: Target) -> F64:
    fits = [fit_linear(loss, train).weights for loss in (CrossEntropy(), ProportionalCrossEntropy())]
    return max(fits, key=lambda w: target.value(train.scores(w), train))


def fastrank(train: RankingDataset, validation: RankingDataset, target: Target) -> F64:
    return np.array(peers.fastrank(train, target, seed=0)["weights"])


def gblinear(train: RankingDataset, validation: RankingDataset, target: Target) -> F64:
    fits = [fit() for _, fit in peers.gblinear(train, target)]
    return max(fits, key=lambda w: target.value(validation.scores(w), validation))


def cma(train: RankingDataset, validation: RankingDataset, target: Target) -> F64:
    objective = LinearObjective(train, parse_metric(target.metric))
    return cma_es(objective, evaluations=_EVALUATIONS, seed=0)


def optuna(sampler: str) -> Callable[[RankingDataset, RankingDataset, Target], F64]:
    def weights(train: RankingDataset, validation: RankingDataset, target: Target) -> F64:
        objective = LinearObjective(train, parse_metric(target.metric))
        return optuna_search(sampler, objective, evaluations=_EVALUATIONS, time_limit=_OPTUNA_SECONDS, seed=0)

    return weights


def trees(fit: Callable[[RankingDataset, RankingDataset, Target], peers.Trees]) -> Fit:
    def fitted(train: RankingDataset, validation: RankingDataset, target: Target) -> Fitted:
        found = fit(train, validation, target)
        return Fitted(found.scores, len(found.file()))

    return fitted


@dataclass(frozen=True)
class Learner:
    """A learner, the package whose version its results depend on, and whether it learns for the target."""

    fit: Fit
    package: str = "rankmax"
    targeted: bool = True


ADDITIVE, LINEAR, STEPS = "additive", "linear", "additive, steps"
LEARNERS = {
    LINEAR: Learner(ours(LinearRanker)),
    ADDITIVE: Learner(ours(AdditiveRanker)),
    STEPS: Learner(ours(lambda metric: AdditiveRanker(metric, curves="steps"))),
    "additive, without sweeps": Learner(ours(lambda metric: AdditiveRanker(metric, smoothing=0.0))),
    "surrogate": Learner(linear(surrogate)),
    "coordinate ascent": Learner(
        ours(lambda metric: LinearRanker(metric, n_restarts=1, shrinkage=0.0, optimizer=CoordinateAscent()))
    ),
    "exact, 1 start": Learner(ours(lambda metric: LinearRanker(metric, n_restarts=1, shrinkage=0.0, smoothing=0.0))),
    "exact, 10 starts": Learner(ours(lambda metric: LinearRanker(metric, n_restarts=10, shrinkage=0.0, smoothing=0.0))),
    "LightGBM LambdaMART": Learner(trees(peers.lambdamart), "lightgbm"),
    "LightGBM, best of six": Learner(trees(peers.best_lambdamart), "lightgbm"),
    "LightGBM, stumps": Learner(trees(peers.lambdamart_stumps), "lightgbm"),
    "XGBoost LambdaMART": Learner(trees(peers.xgboost), "xgboost"),
    "CatBoost YetiRank": Learner(trees(peers.yetirank), "catboost"),
    "CatBoost StochasticRank": Learner(trees(peers.stochasticrank), "catboost", targeted=False),
    "interpret EBM": Learner(trees(peers.boosting_machine), "interpret-core", targeted=False),
    "FastRank": Learner(linear(fastrank), "fastrank"),
    "CMA-ES": Learner(linear(cma), "cma"),
    "XGBoost gblinear": Learner(linear(gblinear), "xgboost"),
    "Optuna TPE": Learner(linear(optuna("TPESampler")), "optuna"),
    "Optuna CMA-ES": Learner(linear(optuna("CmaEsSampler")), "optuna"),
}


@dataclass(frozen=True)
class Row:
    """What one learner found on one fold: values per test query, and the mean of the training's."""

    train: float
    test: F64
    seconds: float
    size: int

    @property
    def mean(self) -> float:
        """Mean over the test queries."""
        return float(self.test.mean())


Key = tuple[str, ...]
"""Collection, fold, metric, learner, number of training queries, sample of them, and the package's version."""


class Measurements:
    """Rows of a CSV file in benchmarks/results, measured where they are missing."""

    _KEY = ("collection", "fold", "metric", "learner", "n_queries", "sample", "edition")
    _FOUND = ("train", "mean", "cpu_seconds", "bytes", "test")

    def __init__(self, name: str, *, fresh: bool = False) -> None:
        self._path = Path(__file__).parent / "results" / f"{name}.csv"
        self._path.parent.mkdir(exist_ok=True)
        if fresh or not self._path.exists():
            self._append([*self._KEY, *self._FOUND], mode="w")
        with self._path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self._rows = {tuple(row[column] for column in self._KEY): _row(row) for row in rows}
        self._warm: set[tuple[str, str]] = set()

    def __contains__(self, key: Key) -> bool:
        return key in self._rows

    def key(self, collection: str, number: int, fold: LetorFold, metric: str, learner: str, sample: int = 0) -> Key:
        """Return the key of what a learner finds on a fold.

        Parameters
        ----------
        collection : str
        number : int
            The fold's.
        fold : LetorFold
        metric : str
        learner : str
        sample : int
            Number of the random sample that the fold's training queries are.
        """
        version = edition(LEARNERS[learner].package)
        return collection, str(number), metric, learner, str(fold.train.n_queries), str(sample), version

    def measure(self, key: Key, fold: LetorFold) -> Row:
        """Return what a learner found on a fold, from the file or measured now.

        Parameters
        ----------
        key : Key
        fold : LetorFold
        """
        if key not in self._rows:
            collection, number, metric, name, *rest = key
            learner, target = LEARNERS[name], peers.TARGETS[metric]
            if learner.package == "rankmax" and (name, metric) not in self._warm:  # so that nothing is compiled later
                few = fold.train.select(np.arange(10))
                learner.fit(few, few, target)
                self._warm.add((name, metric))
            began = time.process_time()
            fitted = learner.fit(fold.train, fold.validation, target)
            spent = time.process_time() - began
            for measured in [metric] if learner.targeted else peers.TARGETS:
                row = _measured(fitted, fold, peers.TARGETS[measured], spent)
                own = collection, number, measured, name, *rest
                values = " ".join(f"{value:.6g}" for value in row.test)
                self._append([*own, f"{row.train:.6f}", f"{row.mean:.6f}", f"{spent:.3f}", str(row.size), values])
                self._rows[own] = row
            print(f"  {', '.join(key[:-1])}: {self._rows[key].mean:.4f} in {spent:.1f} s", flush=True)
        return self._rows[key]

    def _append(self, cells: list[str], *, mode: str = "a") -> None:
        with self._path.open(mode, newline="") as file:
            csv.writer(file).writerow(cells)


def _measured(fitted: Fitted, fold: LetorFold, target: Target, seconds: float) -> Row:
    test = evaluate_metrics([parse_metric(target.metric)], fitted.scores(fold.test), fold.test.judgments)[0]
    return Row(target.value(fitted.scores(fold.train), fold.train), test, seconds, fitted.size)


def _row(row: dict[str, str]) -> Row:
    test = np.array(row["test"].split(), np.float64)
    return Row(float(row["train"]), test, float(row["cpu_seconds"]), int(row["bytes"]))


def gains(ours: list[Row], theirs: list[Row]) -> F64:
    """Return the differences of all test queries of the same folds."""
    return np.concatenate([a.test - b.test for a, b in zip(ours, theirs, strict=True)])


def mean_and_half(*groups: F64) -> tuple[float, float]:
    """Return the mean of the groups' mean gains, and half the width of its 95% interval over queries."""
    errors = [group.std(ddof=1) / np.sqrt(group.size) for group in groups]
    return float(np.mean([group.mean() for group in groups])), float(1.96 * np.linalg.norm(errors) / len(groups))


def interval(*groups: F64) -> str:
    """Return the mean of the groups' mean gains, with the half width of its 95% interval over queries."""
    mean, half = mean_and_half(*groups)
    return f"{mean:+.4f} ± {half:.4f}"
