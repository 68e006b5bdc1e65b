"""A tuning as plain data for web pages: its report, and the studio."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmax.models import LinearModel
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.report.export_data import export_data, provenance_data
from rankmax.workflows.tuning.report.landscape_data import landscape_data
from rankmax.workflows.tuning.report.query_data import query_data
from rankmax.workflows.tuning.tuning_result import Row, SystemTuning
from rankmax.workflows.tuning.tuning_summary import summarize

_BINS = 40  # of the histogram of a weight


def tuning_page_data(
    tuning: SystemTuning,
    confidence: WeightConfidence,
    *,
    command: str | None = None,
    files: Sequence[str | os.PathLike[str]] = (),
    target: str = "python",
    model: LinearModel | None = None,
    model_path: str | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return all that a page shows, with the numbers of :func:`~rankmax.workflows.tuning.tuning_summary.summarize`.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Confidence in its learned weights.
    command, files, target, model, model_path
        As in :func:`~rankmax.workflows.tuning.report.tuning_page.write_report`.
    notes : sequence of str
        Remarks on the judgments, the systems and the pick.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.tuning.tuning import tune_systems
    >>> from rankmax.workflows.tuning.confidence import weight_confidence
    >>> tuning = tune_systems(signals_of_features(planted_linear(20, 5, 2, seed=1).data), [AP()], n_repeats=1)
    >>> data = tuning_page_data(tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights))
    >>> len(data["queries"]), [len(counts) for counts in data["resampled"].values()]
    (20, [40, 40])
    """
    summary = summarize(tuning, confidence)
    return {
        "summary": summary,
        "notes": list(notes),
        "queries": query_data(tuning),
        "resampled": {
            name: np.histogram(confidence.resampled[:, j], bins=_BINS, range=(0.0, 1.0))[0].tolist()
            for j, name in enumerate(tuning.signals.names)
        },
        "landscape": landscape_data(tuning, confidence),
        "trade_off": _both(tuning) if "trade_off" in summary else None,
        "export": export_data(model or tuning.model(), summary, target, model_path),
        "provenance": provenance_data(tuning, command, files),
    }


def _both(tuning: SystemTuning) -> dict[str, list[float]]:
    """Return pick and current fusion in both metrics of a trade-off, on all queries."""

    def values(row: Row) -> list[float]:
        both: list[float] = row.fusion.values[[0, tuning.second_metric]].mean(axis=1).tolist()
        return both

    return {"current": values(tuning.current_row), "pick": values(tuning.pick)}
