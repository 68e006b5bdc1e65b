"""Ask which surrogate gives the best weights to start direct maximization from, and what it costs.

Data: the training parts of LETOR's five folds of MQ2008, MQ2007 and OHSUMED, in the folder that RANKMAX_DATA names
(letor/MQ2008/S1.txt.gz, ...); for growth, the first fold of MQ2008 repeated.
Baseline: least squares on the grades; for speed, the same fit with the losses' gradients summed by numpy and BLAS.
Answers: the two ways of fitting must reach the same value before anything is timed.
"""

from __future__ import annotations

import itertools
import os
import statistics
import time
from pathlib import Path

import numpy as np
from harness import compare, format_seconds, machine, median_seconds, report
from scipy.optimize import minimize
from scipy.special import log_softmax

from rankmax import LeastSquaresRanker, read_letor
from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import letor_folds
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.losses.pairwise_logistic import PairwiseLogistic

METRICS = ["AP", "nDCG@10"]
LOSSES = [
    *(CrossEntropy(alpha=alpha) for alpha in (0.5, 1.0, 2.0, 3.0, 5.0)),
    *(CrossEntropy(alpha=alpha, gain="exp2") for alpha in (0.5, 1.0, 2.0, 5.0)),
    ProportionalCrossEntropy(gain=(0, 1, 1)),
    ProportionalCrossEntropy(),
    ProportionalCrossEntropy(gain="exp2"),
    PairwiseLogistic(),
    PairwiseLogistic(weighted=True),
    PairwiseLogistic(weighted=True, gain="exp2"),
]


def training_folds(collection):
    folder = (
        Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data") / "letor" / collection
    )
    return [fold.train for fold in letor_folds([read_letor(folder / f"S{i}.txt.gz") for i in range(1, 6)])]


def quality(collection, folds, name, fit):
    times, means = [], []
    for data in folds:
        begin = time.perf_counter()
        weights = fit(data)
        times.append(time.perf_counter() - begin)
        means.append(evaluate_scores(data.scores(weights), data, METRICS).means)
    figures = dict(zip(METRICS, (f"{value:.4f}" for value in np.mean(means, axis=0)), strict=True))
    report(f"{collection}, {name}", **figures, time=format_seconds(statistics.median(times)))


def fit_in_numpy(data, ridge=1e-3, tolerance=1e-3):
    """Minimize the default cross entropy, one query after the other in numpy."""
    queries = [slice(a, b) for a, b in itertools.pairwise(data.query_offsets)]
    X = np.concatenate([data.features[q] - data.features[q].mean(axis=0) for q in queries])
    deviation = X.std(axis=0)
    X = np.asfortranarray(X / np.where(deviation > 0, deviation, 1))
    counted = [q for q in queries if np.ptp(data.grades[q]) > 0]

    def objective(v):
        scores = X @ v
        value, gradient = 0.0, np.zeros_like(scores)
        for q in counted:
            log_p, log_q = log_softmax(2.0 * data.grades[q]), log_softmax(scores[q])
            value += np.exp(log_p) @ (log_p - log_q)
            gradient[q] = np.exp(log_q) - np.exp(log_p)
        return value / len(counted) + ridge / 2 * v @ v, X.T @ gradient / len(counted) + ridge * v

    start = np.zeros(data.n_features)
    return minimize(objective, start, jac=True, method="L-BFGS-B", options={"gtol": tolerance, "ftol": 0}).fun


def repeated(data, times):
    qid = np.concatenate([data.judgments.query_of_document + copy * data.n_queries for copy in range(times)])
    return RankingDataset.from_arrays(np.tile(data.features, (times, 1)), np.tile(data.grades, times), qid=qid)


def main():
    print(machine())
    for collection in ("MQ2008", "MQ2007", "OHSUMED"):
        folds = training_folds(collection)
        quality(collection, folds, "least squares", lambda data: LeastSquaresRanker().fit_dataset(data).coef_)
        for loss in LOSSES:
            fit_linear(loss, folds[0], max_iterations=1)  # compiles
            quality(collection, folds, loss, lambda data, loss=loss: fit_linear(loss, data).weights)

    data = training_folds("MQ2008")[0]
    ours, theirs = fit_linear(CrossEntropy(), data).value, fit_in_numpy(data)
    assert abs(ours - theirs) < 1e-4, (ours, theirs)
    ratio = compare(lambda: fit_linear(CrossEntropy(), data), lambda: fit_in_numpy(data), repeats=3)
    report("cross entropy, MQ2008 fold 1", value=f"{ours:.5f} and {theirs:.5f}", speed=ratio)

    for factor in (1, 4, 16):
        larger = repeated(data, factor)
        report(
            f"growth, {larger.n_queries} queries",
            cross_entropy=format_seconds(median_seconds(lambda d=larger: fit_linear(CrossEntropy(), d), repeats=3)),
            pairs=format_seconds(median_seconds(lambda d=larger: fit_linear(PairwiseLogistic(), d), repeats=3)),
        )


if __name__ == "__main__":
    main()
