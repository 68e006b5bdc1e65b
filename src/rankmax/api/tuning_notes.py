"""Notes on the data of a tuning: queries that are left out or missing from runs, and too few judgments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankmax.errors import some_of
from rankmax.fusion.signals import Signals
from rankmax.metrics.metric import Metric
from rankmax.workflows.tuning.tuning_result import SystemTuning
from rankmax.workflows.tuning.tuning_warnings import warnings_on_fusion, warnings_on_signals

Note = Callable[[str], None]


def note_queries_left_out(signals: Signals, counted: Signals, note: Note) -> None:
    """Note which queries do not count, and which are missing from runs.

    Parameters
    ----------
    signals, counted : Signals
        All, and those of the queries that the metrics count.
    note : callable
        Receives each note.
    """
    for queries, why in (
        (signals.left_out, "no run has anything for"),
        (signals.not_judged, "without judgments"),
        (tuple(sorted(set(signals.data.query_ids) - set(counted.data.query_ids))), "not counted by the metric"),
    ):
        if queries:
            counted_as = "query" if len(queries) == 1 else "queries"
            note(f"left out {len(queries)} {counted_as} ({some_of(queries)}): {why}")
    for name, n in counted.queries_lacking.items():
        note(f"{name} has nothing for {n} of the {counted.data.n_queries} queries")


def note_warnings(signals: Signals, metrics: Sequence[Metric], folds: int, note: Note) -> None:
    """Note problems of the systems and judgments.

    Parameters
    ----------
    signals : Signals
    metrics : sequence of Metric
    folds : int
    note : callable
    """
    if folds > (n_queries := signals.data.n_queries) > 1:  # one cannot be tuned with, and an error says so
        note(f"--folds {folds} is more than the {n_queries} queries; using {n_queries}")
    for warning in warnings_on_signals(signals, metrics):
        note(warning)


def note_unjudged(tuning: SystemTuning, note: Note) -> None:
    """Note unjudged documents at the top of the recommended fusion.

    Parameters
    ----------
    tuning : SystemTuning
    note : callable
    """
    fusion = tuning.recommended
    scores = fusion.normalization.with_weights(fusion.weights).apply(tuning.signals.data).scores(fusion.weights)
    for warning in warnings_on_fusion(tuning.signals, scores, fusion.normalization, tuning.recommended_row.label):
        note(warning)
