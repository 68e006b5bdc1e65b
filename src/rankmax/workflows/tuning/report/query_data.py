"""Single queries on a tuning's page: held-out values of pick and current fusion, and both rankings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.fusion.candidates import WeightedFusion
from rankmax.workflows.tuning.tuning_result import SystemTuning

_MOST_RANKINGS = 200  # queries with rankings: those that gain most, and those that lose most
_TOP = 10


def query_data(tuning: SystemTuning) -> list[dict[str, Any]]:
    """Return every query, from the largest gain to the largest loss, with the rankings of those at both ends.

    Parameters
    ----------
    tuning : SystemTuning

    Returns
    -------
    list of dict
        For each query its `id`, the held-out values `pick` and `current`, their difference `gain`, and `rankings`: the
        top documents of the current fusion and of the pick, or None. The values are averages over folds that did not
        see the query; the rankings are those of the final pick, which was fitted to all queries.
    """
    picked, current = tuning.pick.values[0], tuning.current_row.values[0]
    gains = held_out_gains(tuning)
    order = np.argsort(-gains, kind="stable")
    shown = set(order[: _MOST_RANKINGS // 2].tolist()) | set(order[-_MOST_RANKINGS // 2 :].tolist())
    same = tuning.verdict.pick == tuning.verdict.current
    return [
        {
            "id": tuning.signals.data.query_ids[q],
            "pick": float(picked[q]),
            "current": float(current[q]),
            "gain": float(gains[q]),
            "rankings": None if same or q not in shown else _rankings(tuning, q),
        }
        for q in order.tolist()
    ]


def held_out_gains(tuning: SystemTuning) -> F64:
    """Return each query's held-out value of the pick minus that of the current fusion; 0 where they are equal.

    Parameters
    ----------
    tuning : SystemTuning
    """
    gains: F64 = tuning.pick.values[0] - tuning.current_row.values[0]
    return np.where(np.abs(gains) <= SAME_VALUE, 0.0, gains)


def _rankings(tuning: SystemTuning, query: int) -> dict[str, list[dict[str, Any]]]:
    one = np.array([query])
    current, picked = (_ranking(tuning, row.fusion, one) for row in (tuning.current_row, tuning.pick))
    return {"current": _top(tuning, one, current, picked), "pick": _top(tuning, one, picked, current)}


def _ranking(tuning: SystemTuning, fusion: WeightedFusion, query: I64) -> I64:
    """Return the documents of a query by a fusion's scores, best first; ties stay in the data's order."""
    data = tuning.signals.data.select(query)
    normalized = fusion.normalization.with_weights(fusion.weights).apply(data)
    return np.argsort(-normalized.scores(fusion.weights), kind="stable")


def _top(tuning: SystemTuning, query: I64, order: I64, other: I64) -> list[dict[str, Any]]:
    data = tuning.signals.data.select(query)
    ids, grades = data.document_ids, data.grades
    rank_in_other = np.empty(other.size, np.int64)
    rank_in_other[other] = np.arange(1, other.size + 1)
    return [
        {
            "id": f"document {document + 1}" if ids is None else ids[document],
            "grade": None if math.isnan(grades[document]) else float(grades[document]),
            "other": int(rank_in_other[document]),
        }
        for document in order[:_TOP].tolist()
    ]
