"""Searches that know a metric only by its values: what a user without an exact line search would reach for.

All search weights of features divided by their standard deviation within queries, which is how they do best, and may
evaluate as often as they are told.

CMA-ES    The package cma, from zero weights with step 1, population by its rule (15 for 46 features), which is
          evaluated at once.
Optuna    TPE with its defaults, and its CMA-ES sampler; weights from -1 to 1.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import cma
import numpy as np
import optuna
from harness import seconds
from peers import Target

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective


def cma_es(objective: LinearObjective, target: Target, *, evaluations: int, seed: int) -> dict[str, Any]:
    """Return the best weights, and the seconds had the metric been evaluated in numpy instead of compiled code."""
    scale = _scale(objective.data)
    options = {"seed": seed + 1, "verbose": -9}  # seed 0 is the clock's
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = cma.CMAEvolutionStrategy(np.zeros(objective.n_features), 1.0, options)
    best, weights, n_evaluated = -np.inf, np.zeros(objective.n_features), 0
    began, evaluating = time.perf_counter(), 0.0
    while n_evaluated < evaluations:
        points = np.array(search.ask())
        before = time.perf_counter()
        values = objective.values(points * scale)
        evaluating += time.perf_counter() - before
        search.tell(points, list(-values))
        n_evaluated += len(points)
        if values.max() > best:
            best, weights = values.max(), points[values.argmax()] * scale
    total = time.perf_counter() - began
    one_in_numpy = _seconds_in_numpy(objective, target, weights)
    return {
        "weights": weights.tolist(),
        "seconds": total,
        "numpy_seconds": total - evaluating + n_evaluated * one_in_numpy,
        "evaluations": n_evaluated,
    }


def optuna_search(
    sampler: str, objective: LinearObjective, *, evaluations: int, time_limit: float, seed: int
) -> dict[str, Any]:
    """Return the best weights of a study, which ends after so many evaluations or seconds."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    scale = _scale(objective.data)
    names = [f"w{j}" for j in range(objective.n_features)]

    def value(trial: Any) -> float:
        return objective.at(scale * [trial.suggest_float(name, -1.0, 1.0) for name in names]).value

    study = optuna.create_study(direction="maximize", sampler=getattr(optuna.samplers, sampler)(seed=seed))
    study.optimize(value, n_trials=evaluations, timeout=time_limit)
    weights = scale * [study.best_params[name] for name in names]
    return {"weights": weights.tolist(), "evaluations": len(study.trials)}


def _scale(data: RankingDataset) -> F64:
    """Return one over each feature's standard deviation within queries, 0 where it is constant in each."""
    query = data.judgments.query_of_document
    spread = np.empty(data.n_features)
    for j in range(data.n_features):
        column = data.column(j)
        mean = np.bincount(query, column) / np.diff(data.query_offsets)
        spread[j] = np.sqrt(np.mean((column - mean[query]) ** 2))
    return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-12)


def _seconds_in_numpy(objective: LinearObjective, target: Target, weights: F64) -> float:
    evaluate = in_numpy(objective.data, target)
    expected = target.value(objective.data.scores(weights), objective.data)
    assert abs(evaluate(weights) - expected) < 1e-9, (evaluate(weights), expected)
    return statistics.median(seconds(lambda: evaluate(weights)) for _ in range(15))


def in_numpy(data: RankingDataset, target: Target) -> Callable[[F64], float]:
    """Return the metric as a function of weights, in numpy without a loop: what a careful user would write."""
    X, query, starts = data.features, data.judgments.query_of_document, data.query_offsets[:-1]
    grades, n_queries = data.grades, data.n_queries
    position = np.arange(data.n_documents) - starts[query]

    def average_precision(order: Any) -> F64:
        relevant = grades[order] >= 1
        running = np.cumsum(relevant)
        found = running - (running[starts] - relevant[starts])[query]
        n_relevant = np.bincount(query, relevant, n_queries)
        return np.bincount(query, relevant * found / (position + 1), n_queries) / np.maximum(n_relevant, 1)

    discount = np.where(position < 10, 1 / np.log2(position + 2), 0.0)

    def dcg(order: Any) -> F64:
        return np.bincount(query, (2 ** grades[order] - 1) * discount, n_queries)

    ideal = dcg(np.lexsort((-grades, query)))
    norm = np.divide(1.0, ideal, out=np.zeros(n_queries), where=ideal > 0)

    def value(weights: F64) -> float:
        order = np.lexsort((-(X @ weights), query))
        by_query = average_precision(order) if target.metric == "AP" else norm * dcg(order)
        return float(by_query.mean())

    return value
