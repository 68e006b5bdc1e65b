"""Weights that fit the query as plain data: which query features move them, and for which queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.fusion.linear_query_weights import QueryWeights
from rankmax.models.query_weights_model import FARTHEST, QueryWeightsModel
from rankmax.workflows.tuning.tuning_result import SystemTuning

_MOST_FEATURES = 4  # columns beside that of the average query
_MOST_QUERIES = 10
_MOST_CONTRIBUTIONS = 3


def moved_weights(tuning: SystemTuning) -> dict[str, F64]:
    """Return the weights of an average query, and a standard deviation away along what moves them most.

    Parameters
    ----------
    tuning : SystemTuning
        Of weights by auto.
    """
    model, _ = _parts(tuning)
    found = {"average query": model.weights}
    for k in model.moving[:_MOST_FEATURES]:
        there = model.means.copy()
        there[k] += model.deviations[k]
        found[f"+1 s.d. of {model.query_features[k].name}"] = model.weights_at(there)
    return found


def query_weights_summary(tuning: SystemTuning) -> dict[str, Any]:
    """Return what moves the weights, and the queries whose weights move most, with the feature that moves them most.

    Parameters
    ----------
    tuning : SystemTuning
        Of weights by auto.
    """
    model, learner = _parts(tuning)
    names = model.feature_names
    changes = [
        {
            "feature": model.query_features[k].name,
            "mean": float(model.means[k]),
            "deviation": float(model.deviations[k]),
            "change": dict(zip(names, model.variation[k].tolist(), strict=True)),
        }
        for k in model.moving
    ]
    weights = model.weights_at(learner.known)
    shares = weights / weights.sum(axis=1, keepdims=True)
    moved = np.abs(shares - model.weights / model.weights.sum()).sum(axis=1) / 2
    z = np.clip((learner.known - model.means) / model.deviations, -FARTHEST, FARTHEST)
    queries = []
    for q in np.argsort(-moved, kind="stable")[:_MOST_QUERIES].tolist():
        k = int(np.argmax(np.abs(z[q]) * np.abs(model.variation).sum(axis=1)))
        if moved[q] > 0:
            queries.append(
                {
                    "query": tuning.signals.data.query_ids[q],
                    "moved": float(moved[q]),
                    "weights": dict(zip(names, shares[q].tolist(), strict=True)),
                    "because": model.query_features[k].name,
                    "value": float(learner.known[q, k]),
                    "deviations": float(z[q, k]),
                    "contributions": _contributions(model, learner.known[q], z[q]),
                }
            )
    return {"query_features": changes, "moved_queries": queries, "mean_moved": float(moved.mean())}


def _contributions(model: QueryWeightsModel, values: F64, z: F64) -> list[dict[str, Any]]:
    """Return the query features that move a query's weights most, each with the system whose weight it moves most.

    The share is the change of that system's weight, by the sum of the fixed ones, before weights below 0 become 0.
    """
    changes = z[:, None] * model.variation
    found = []
    for k in np.argsort(-np.abs(changes).sum(axis=1), kind="stable")[:_MOST_CONTRIBUTIONS].tolist():
        j = int(np.argmax(np.abs(changes[k])))
        if changes[k, j]:
            found.append(
                {
                    "feature": model.query_features[k].name,
                    "value": float(values[k]),
                    "deviations": float(z[k]),
                    "system": model.feature_names[j],
                    "share": float(changes[k, j] / model.weights.sum()),
                }
            )
    return found


def _parts(tuning: SystemTuning) -> tuple[QueryWeightsModel, QueryWeights]:
    model = tuning.varying_model()
    assert isinstance(model, QueryWeightsModel)
    assert isinstance(tuning.by, QueryWeights)
    return model, tuning.by
