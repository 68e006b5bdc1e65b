"""A tuning as plain data, for machines and for the web page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from rankmax.arrays import F64
from rankmax.fusion.constraint import trade_off
from rankmax.fusion.search import LatticeSearch
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.systems import MethodResult, SystemTuning
from rankmax.workflows.tuning.verdict import Verdict


def summarise(tuning: SystemTuning, confidence: WeightConfidence) -> dict[str, Any]:
    """Return all that a tuning found, as numbers, strings, lists and dictionaries.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Of its weights.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.tuning.systems import tune_systems
    >>> from rankmax.workflows.tuning.confidence import weight_confidence
    >>> tuning = tune_systems(signals_of_features(planted_linear(20, 5, 2, seed=1).data), [AP()], n_repeats=1)
    >>> summary = summarise(tuning, weight_confidence(tuning.search, tuning.fusion.weights))
    >>> summary["metrics"], summary["queries"], list(summary["weights"])
    (['AP'], 20, ['f1', 'f2'])
    """
    names, best = tuning.signals.names, confidence.optimum
    ranges = confidence.plateau_ranges
    summary: dict[str, Any] = {
        "metrics": [metric.name for metric in tuning.metrics],
        "queries": tuning.signals.data.n_queries,
        "documents": tuning.signals.data.n_documents,
        "missing_shares": tuning.signals.missing_shares,
        "folds": tuning.n_folds,
        "repeats": tuning.n_repeats,
        "seed": tuning.seed,
        "methods": [_method(tuning, result) for result in tuning.methods],
        "normalisation": tuning.fusion.normalisation.to_dict(),
        "normalisations_chosen": tuning.choices,
        "weights": _named(names, tuning.fusion.weights),
        "rounded_weights": _named(names, confidence.rounded),
        "weight_intervals": _named(names, confidence.intervals),
        "spread": confidence.spread,
        "best": {
            "weights": _named(names, best.weights),
            "value": best.value,
            "standard_error": best.standard_error,
            "bound": confidence.bound,
        },
        "plateau_share": confidence.plateau_share,
        "plateau_ranges": None if ranges is None else _named(names, ranges),
        "advice": _advice(tuning.verdict),
    }
    if tuning.constraint is not None and isinstance(tuning.search, LatticeSearch):
        i = tuning.metrics.index(tuning.constraint.metric)
        summary["constraint"] = {
            "text": str(tuning.constraint),
            "value": float(tuning.search.values(tuning.fusion.weights[None])[0, i].mean()),
            "held_out": float(tuning.methods[0].values[i].mean()),
        }
    if len(tuning.metrics) > 1 and isinstance(tuning.search, LatticeSearch):
        summary["trade_off"] = [
            {"values": row[:2].tolist(), "weights": row[2:].tolist()} for row in trade_off(tuning.search, 1)
        ]
    if tuning.varying is not None and tuning.varying_verdict is not None:
        by_label = tuning.varying.weights_by_label
        summary["varying"] = {
            "name": tuning.methods[-1].name,
            "weights": {label: _named(names, weights / weights.sum()) for label, weights in by_label.items()},
            "advice": _advice(tuning.varying_verdict),
        }
    return summary


def _method(tuning: SystemTuning, result: MethodResult) -> dict[str, Any]:
    means = result.values.mean(axis=1).tolist()
    return {
        "name": result.name,
        "mean": result.mean,
        "interval": list(result.interval),
        "means": dict(zip((metric.name for metric in tuning.metrics), means, strict=True)),
        "learned_minus_it": result.gain,
        "learned_minus_it_interval": list(result.gain_interval),
        "p_value": None if result is tuning.methods[0] else result.p_value,
        "marker": result.marker,
    }


def _advice(verdict: Verdict) -> dict[str, Any]:
    return {**asdict(verdict), "take_it": verdict.take_it, "text": str(verdict)}


def _named(names: tuple[str, ...], values: F64) -> dict[str, Any]:
    return dict(zip(names, np.asarray(values).tolist(), strict=True))
