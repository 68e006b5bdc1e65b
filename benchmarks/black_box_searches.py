"""Searches that know a metric only by its values: what a user without an exact line search would reach for.

All search weights of features divided by their standard deviation within queries, which is how they do best, and may
evaluate as often as they are told.

CMA-ES    The package cma, from zero weights with step 1, population by its rule (15 for 46 features), which is
          evaluated at once.
Optuna    TPE with its defaults, and its CMA-ES sampler; weights from -1 to 1.
"""

from __future__ import annotations

import warnings
from typing import Any

import cma
import numpy as np
import optuna

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective


def cma_es(objective: LinearObjective, *, evaluations: int, seed: int) -> F64:
    """Return the best weights found."""
    scale = _scale(objective.data)
    options = {"seed": seed + 1, "verbose": -9}  # seed 0 is the clock's
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = cma.CMAEvolutionStrategy(np.zeros(objective.n_features), 1.0, options)
    best, weights, n_evaluated = -np.inf, np.zeros(objective.n_features), 0
    while n_evaluated < evaluations:
        points = np.array(search.ask())
        values = objective.values(points * scale)
        search.tell(points, list(-values))
        n_evaluated += len(points)
        if values.max() > best:
            best, weights = values.max(), points[values.argmax()] * scale
    return weights


def optuna_search(sampler: str, objective: LinearObjective, *, evaluations: int, time_limit: float, seed: int) -> F64:
    """Return the best weights of a study, which ends after so many evaluations or seconds."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    scale = _scale(objective.data)
    names = [f"w{j}" for j in range(objective.n_features)]

    def value(trial: Any) -> float:
        return objective.at(scale * [trial.suggest_float(name, -1.0, 1.0) for name in names]).value

    study = optuna.create_study(direction="maximize", sampler=getattr(optuna.samplers, sampler)(seed=seed))
    study.optimize(value, n_trials=evaluations, timeout=time_limit)
    return scale * [study.best_params[name] for name in names]


def _scale(data: RankingDataset) -> F64:
    """Return one over each feature's standard deviation within queries, 0 where it is constant in each."""
    query = data.judgments.query_of_document
    spread = np.empty(data.n_features)
    for j in range(data.n_features):
        column = data.column(j)
        mean = np.bincount(query, column) / np.diff(data.query_offsets)
        spread[j] = np.sqrt(np.mean((column - mean[query]) ** 2))
    return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-12)
