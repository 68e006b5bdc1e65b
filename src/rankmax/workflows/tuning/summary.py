"""A tuning as plain data: what the terminal, the web page and --json all show."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from rankmax.arrays import F64
from rankmax.fusion.constraint import trade_off
from rankmax.fusion.decision import Verdict
from rankmax.fusion.normalisations import spoken
from rankmax.fusion.search import LatticeSearch
from rankmax.fusion.selection import PICK
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.result import Row, SystemTuning


def summarise(tuning: SystemTuning, confidence: WeightConfidence) -> dict[str, Any]:
    """Return all that a tuning found, as numbers, strings, lists and dictionaries.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Of its learned weights.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.tuning.systems import tune_systems
    >>> from rankmax.workflows.tuning.confidence import weight_confidence
    >>> tuning = tune_systems(signals_of_features(planted_linear(20, 5, 2, seed=1).data), [AP()], n_repeats=1)
    >>> summary = summarise(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
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
        "verdict": _verdict(tuning.verdict),
        "current": {
            "label": tuning.current.label,
            "assumed": tuning.current.assumed,
            "tuned_here": tuning.current.tuned_here,
            **_fusion(tuning.current_row, names),
        },
        "pick": {
            "label": tuning.pick.label,
            "selected": tuning.selected[PICK],
            **_fusion(tuning.pick, names),
        },
        "as_good_alone": _as_good_alone(tuning),
        "recommended": tuning.recommended_row.label,
        "normalisation": tuning.recommended.normalisation.to_dict(),
        "weights": _named(names, tuning.recommended.weights),
        "rows": [_row(tuning, row) for row in tuning.rows],
        "learned": {
            "label": tuning.learned.label,
            "normalisation": spoken(tuning.learned.normalisation),
            "weights": _named(names, tuning.learned_fusion.weights),
            "rounded_weights": _named(names, confidence.rounded),
            "intervals": _named(names, confidence.intervals),
            "spread": confidence.spread,
        },
        "best": {
            "weights": _named(names, best.weights),
            "value": best.value,
            "standard_error": best.standard_error,
            "bound": confidence.bound,
            "proven": confidence.proven,
        },
        "plateau_share": confidence.plateau_share,
        "plateau_ranges": None if ranges is None else _named(names, ranges),
    }
    if tuning.constraint is not None:
        i = tuning.metrics.index(tuning.constraint.metric)
        summary["constraint"] = {
            "text": str(tuning.constraint),
            "met": tuning.keeps(tuning.recommended.values),
            "value": float(tuning.recommended.values[i].mean()),
            "held_out": float(tuning.pick.values[i].mean()),
            "highest": max(float(row.fusion.values[i].mean()) for row in tuning.rows),
        }
    if len(tuning.metrics) > 1 and isinstance(tuning.search, LatticeSearch):
        summary["trade_off"] = [
            {"values": row[:2].tolist(), "weights": row[2:].tolist()} for row in trade_off(tuning.search, 1)
        ]
    if tuning.varying is not None and tuning.varying_verdict is not None and tuning.varying_values is not None:
        by_label = tuning.varying.weights_by_label
        summary["varying"] = {
            "name": tuning.varying_verdict.pick,
            "means": _named(tuple(metric.name for metric in tuning.metrics), tuning.varying_values.mean(axis=1)),
            "weights": {label: _named(names, weights / weights.sum()) for label, weights in by_label.items()},
            "verdict": _verdict(tuning.varying_verdict),
        }
    return summary


def _as_good_alone(tuning: SystemTuning) -> str | None:
    """Return the best system alone, where it does no worse than a pick of several and is not what runs today."""
    if np.count_nonzero(tuning.pick.fusion.weights) == 1:
        return None
    alone = [row for row in tuning.rows if np.count_nonzero(row.fusion.weights) == 1]
    best = max(alone, key=lambda row: row.mean)
    return best.label if best.mean >= tuning.pick.mean and not best.is_current else None


def _row(tuning: SystemTuning, row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "label": row.label,
        "is_current": row.is_current,
        "mean": row.mean,
        "interval": list(row.interval),
        "means": _named(tuple(metric.name for metric in tuning.metrics), row.values.mean(axis=1)),
        "gain": row.gain,
        "gain_interval": list(row.gain_interval),
        "marker": row.marker,
    }


def _fusion(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {"normalisation": spoken(row.fusion.normalisation), "weights": _named(names, row.fusion.weights)}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "word": verdict.word,
        "text": str(verdict),
        "pick": verdict.pick,
        "current": verdict.current,
        "change": verdict.change,
        **asdict(verdict.gain),
    }


def _named(names: tuple[str, ...], values: F64) -> dict[str, Any]:
    return dict(zip(names, np.asarray(values).tolist(), strict=True))
