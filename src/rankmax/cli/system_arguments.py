"""Judgments and systems on the command lines of `evaluate` and `compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rankmax.cli.shared_options import needs_backend

if TYPE_CHECKING:
    from rankmax.api.inputs import Judged
    from rankmax.formats.judge_tables import Opinion


def default_metrics() -> bool:
    """Return whether no metric is given."""
    return click.get_current_context().get_parameter_source("metrics") is ParameterSource.DEFAULT


def judged_systems(
    judged: str,
    runs: Sequence[str],
    scores: Sequence[str],
    models: Sequence[str],
    backend: str | None,
    memory: str | None,
    judges: Opinion | None = None,
    clicks: str | None = None,
) -> tuple[Judged | None, dict[str, str]]:
    """Return the judgments, and the paths of the systems by name: runs for qrels, predictions or models for data."""
    from rankmax.api.inputs import Judged, is_data_file
    from rankmax.formats.named_files import named_files

    if clicks is not None:  # then all files are runs
        if scores or models or judges or backend or memory:
            raise click.UsageError("--clicks judges runs, without qrels, --judges, --model, --scores and backends")
        return None, {file.name: file.path for file in named_files([judged, *runs])}
    on_backend = needs_backend(judged, backend, memory)
    if runs and (scores or models):
        raise click.UsageError("give either QRELS and runs, or DATA with --scores or --model, not both")
    if not (runs or scores or models):
        raise click.UsageError("nothing to evaluate: give runs after QRELS, or --scores or --model for DATA")
    if runs and on_backend:
        raise click.UsageError("shards and backends are for --model; runs need a file of judgments, QRELS")
    if runs and is_data_file(judged):
        raise click.UsageError(f"{judged} is data with features: give models with --model, predictions with --scores")
    if scores and on_backend:
        raise click.UsageError("--scores has a number for each line of a data file; shards take --model")
    if judges is not None and not runs:
        raise click.UsageError("--judges is for grades of several judges, and runs; a data file has one grade each")
    systems = {file.name: file.path for file in named_files([*runs, *scores, *models])}
    if judges is not None:
        from rankmax.formats.judge_tables import judged_by

        return Judged(judged, judged_by(judged, judges)), systems
    return Judged.read(judged, has_features=not runs, on_backend=on_backend), systems
