"""The signals of a tuning, from any form that a user may give: runs, a log of features, models of a log."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from rankmax.api.inputs import MetricLike, as_dataset, as_metrics, as_model, as_systems
from rankmax.api.progress import Progress
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import grade_features
from rankmax.errors import IncompatibleError
from rankmax.formats.interchange import as_qrels
from rankmax.fusion.signals import Signals, signals_of_features
from rankmax.workflows.tuning.model_signals import signals_of_models
from rankmax.workflows.tuning.tuning_inputs import read_signals, read_signals_with_machine


def tuning_signals(
    systems: Any,
    qrels: Any = None,
    machine_qrels: Any = None,
    metric: MetricLike = "nDCG@10",
    *,
    models: Any = None,
    progress: Progress | None = None,
) -> Signals:
    """Return the signals to tune, from any form that a user may give.

    Parameters
    ----------
    systems, qrels, machine_qrels
        As in :func:`rankmax.tune <rankmax.api.tune.tune>`.
    metric : str or Metric, default "nDCG@10"
        Metric to weigh machine judgments by.
    models
        As in :func:`rankmax.tune <rankmax.api.tune.tune>`.
    progress : Progress, optional
    """
    if isinstance(systems, Signals):
        return systems
    if models is not None:
        return _model_signals(systems, qrels, machine_qrels, models, progress or Progress())
    if isinstance(systems, RankingDataset):
        if machine_qrels is not None:
            raise IncompatibleError("machine judgments are for runs, not for features")
        return signals_of_features(systems if qrels is None else grade_features(systems, as_qrels(qrels)))
    named = as_systems(systems)
    told = progress or Progress()
    with told.stage("Reading", total=len(named)) as stage:
        if machine_qrels is None:
            return read_signals(named, qrels, tick=stage.advance)
        signals, warnings = read_signals_with_machine(
            named, qrels, machine_qrels, as_metrics(metric)[0], tick=stage.advance
        )
    return replace(signals, warnings=tuple(warnings))


def _model_signals(systems: Any, qrels: Any, machine_qrels: Any, models: Any, told: Progress) -> Signals:
    """Return the scores of models of one log of features."""
    if machine_qrels is not None:
        raise IncompatibleError("machine judgments are for runs, not for models")
    logs = [systems] if isinstance(systems, RankingDataset) else list(as_systems(systems).values())
    if len(logs) != 1 or not isinstance(logs[0], RankingDataset | str | os.PathLike):
        raise IncompatibleError("models score one log of features: give one data file; runs need no models")
    named = as_systems(models)
    with told.stage("Scoring", total=2) as stage:
        data = as_dataset(logs[0])
        stage.advance()
        known = {name: as_model(model) for name, model in named.items()}
        source = "the data" if isinstance(logs[0], RankingDataset) else os.fspath(logs[0])
        signals = signals_of_models(data, known, source=source)
        stage.advance()
    if qrels is None:
        return signals
    return replace(signals, data=grade_features(signals.data, as_qrels(qrels)))
