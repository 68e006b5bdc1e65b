"""A tuning as plain data, shared by the terminal, the web page and --json."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.evaluation.unjudged_bounds import unjudged_documents
from rankmax.fusion.constraint import trade_off
from rankmax.fusion.decision import Verdict
from rankmax.fusion.engine_normalizations import spoken
from rankmax.fusion.linear_query_weights import AUTO
from rankmax.fusion.nested_cross_validation import PICK
from rankmax.fusion.varying_weights import VaryingFusion
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.query_weights_summary import moved_weights, query_weights_summary
from rankmax.workflows.tuning.tuning_result import Row, SystemTuning


def summarize(tuning: SystemTuning, confidence: WeightConfidence) -> dict[str, Any]:
    """Return the result of a tuning as numbers, strings, lists and dictionaries.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Confidence in its learned weights.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.tuning.tuning import tune_systems
    >>> from rankmax.workflows.tuning.confidence import weight_confidence
    >>> tuning = tune_systems(signals_of_features(planted_linear(20, 5, 2, seed=1).data), [AP()], n_repeats=1)
    >>> summary = summarize(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
    >>> summary["metrics"], summary["queries"], list(summary["weights"])
    (['AP'], 20, ['f1', 'f2'])
    """
    names, best = tuning.signals.names, confidence.optimum
    ranges = confidence.plateau_ranges
    summary = summarize_held_out(tuning)
    varying = summary.pop("varying", None)
    summary |= {
        "learned": {
            "label": tuning.learned.label,
            "normalization": spoken(tuning.learned.normalization),
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
        other = tuning.second_metric
        summary["trade_off_metrics"] = [tuning.metric.name, tuning.metrics[other].name]
        summary["trade_off"] = [
            {"values": row[:2].tolist(), "weights": row[2:].tolist()}
            for row in trade_off(tuning.search, other, best.weights)
        ]
    if varying is not None:
        summary["varying"] = varying
    return summary


def summarize_held_out(tuning: SystemTuning) -> dict[str, Any]:
    """Return the part of the summary that takes no confidence: held-out values, pick and verdict.

    Parameters
    ----------
    tuning : SystemTuning
    """
    names = tuning.signals.names
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
            "agreement": _agreement(tuning),
            "folds_agree": _times_selected(tuning) * 2 >= sum(tuning.selected[PICK].values()),
            **_fusion(tuning.pick, names),
        },
        "as_good_alone": _as_good_alone(tuning),
        "recommended": tuning.recommended_row.label,
        "normalization": tuning.recommended.normalization.to_dict(),
        "weights": _named(names, tuning.recommended.weights),
        "rows": [_row(tuning, row) for row in tuning.rows],
    }
    if tuning.signals.from_runs and tuning.signals.machine is None and not tuning.signals.clicked:
        summary["unjudged"] = {"pick": _unjudged(tuning, tuning.pick), "current": _unjudged(tuning, tuning.current_row)}
    if (machine := tuning.signals.machine) is not None:
        summary["machine"] = {
            "human_queries": machine.n_human,
            "machine_queries": machine.n_human + machine.n_machine,
            "machine_weight": machine.weight,
            "worth": machine.n_effective - machine.n_human,
        }
    if tuning.varying is not None and tuning.varying_verdict is not None and tuning.varying_values is not None:
        by_label = (
            tuning.varying.weights_by_label if isinstance(tuning.varying, VaryingFusion) else moved_weights(tuning)
        )
        summary["varying"] = {
            "name": f"weights by {AUTO if tuning.by is None else tuning.by.name.removeprefix('by ')}",
            "means": _named(tuple(metric.name for metric in tuning.metrics), tuning.varying_values.mean(axis=1)),
            "weights": {label: _named(names, weights / weights.sum()) for label, weights in by_label.items()},
            "verdict": _verdict(tuning.varying_verdict),
            **({} if isinstance(tuning.varying, VaryingFusion) else query_weights_summary(tuning)),
        }
    return summary


def _unjudged(tuning: SystemTuning, row: Row) -> dict[str, Any]:
    """Return the unjudged documents of a fusion on all queries, and what they leave open."""
    data, fusion = tuning.signals.data, row.fusion
    scores = fusion.normalization.with_weights(fusion.weights).apply(data).scores(fusion.weights)
    values = evaluate_metrics([tuning.metric], scores, data.judgments)
    (found,) = unjudged_documents(scores, data.judgments, [tuning.metric], values)
    return asdict(found)


def _times_selected(tuning: SystemTuning) -> int:
    return tuning.selected[PICK].get(tuning.pick.label, 0)


def _agreement(tuning: SystemTuning) -> str:
    """Return how often the folds selected the pick, and the candidate that they selected more often, if any."""
    selected, times = tuning.selected[PICK], _times_selected(tuning)
    often = max(selected, key=lambda label: selected[label])
    rather = f"; {often} in {selected[often]}" if selected[often] > times else ""
    return f"selected in {times} of {sum(selected.values())} folds{rather}"


def _as_good_alone(tuning: SystemTuning) -> str | None:
    """Return the best single system, where it does no worse than a pick of several and is not the current fusion."""
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
    return {"normalization": spoken(row.fusion.normalization), "weights": _named(names, row.fusion.weights)}


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
