"""Scoring the systems that `evaluate` and `compare` are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankmax.cli.options import needs_engine
from rankmax.cli.output import note, working

if TYPE_CHECKING:
    from rankmax.metrics.base import Metric
    from rankmax.workflows.systems import System


def score_systems(
    judged: str,
    runs: Sequence[str],
    scores: Sequence[str],
    models: Sequence[str],
    metrics: Sequence[Metric],
    *,
    ties: str | None,
    no_relevant: str,
    missing_queries: str,
    engine: str | None,
    memory: str | None,
) -> list[System]:
    """Evaluate runs against qrels, or predictions and models on a data file; say what was left out."""
    from dataclasses import replace

    from rankmax.metrics.base import NoRelevant
    from rankmax.metrics.ties import TiePolicy
    from rankmax.workflows import systems as workflow

    if runs and (scores or models):
        raise click.UsageError("give either QRELS and runs, or DATA with --scores or --model, not both")
    if not (runs or scores or models):
        raise click.UsageError("nothing to evaluate: give runs after QRELS, or --scores or --model for DATA")
    if runs and needs_engine(judged, engine, memory):
        raise click.UsageError("shards and engines are for --model; runs need a file of judgments, QRELS")
    if no_relevant != "zero":
        metrics = [replace(metric, no_relevant=NoRelevant(no_relevant)) for metric in metrics]
    with working("Evaluating", total=len(runs) + len(scores) + len(models)) as work:
        if not runs:
            policy = TiePolicy(ties or TiePolicy.DOCUMENT_ORDER)
            if needs_engine(judged, engine, memory):
                from rankmax.data.shards import Shards
                from rankmax.engines.named import engine_named

                if scores:
                    raise click.UsageError("--scores has a number for each line of a data file; shards take --model")
                with engine_named(engine or "local", memory=memory) as started:
                    return workflow.evaluate_on_shards(
                        Shards.at(judged), started, models, metrics, ties=policy, tick=work.advance
                    )
            return workflow.evaluate_predictions(judged, scores, models, metrics, ties=policy, tick=work.advance)
        systems = workflow.evaluate_runs(
            judged,
            runs,
            metrics,
            ties=TiePolicy(ties or TiePolicy.TREC_EVAL),
            skip_missing_queries=missing_queries == "skip",
            tick=work.advance,
        )
    for system in systems:
        if system.unjudged_queries:
            note(f"{system.path}: ignored {_queries(system.unjudged_queries)}, not judged in {judged}")
        if system.missing_queries:
            how = "left out" if missing_queries == "skip" else "counted as 0"
            note(f"{system.path}: has nothing for {_queries(system.missing_queries)} of {judged}, {how}")
    strangers = [one.path for one in systems if len(one.missing_queries) == len(one.evaluation.query_ids)]
    if strangers:
        named = ", ".join(strangers[:3]) + (", ..." if len(strangers) > 3 else "")
        raise click.ClickException(f"{named}: no query in common with {judged}; the ids must be the same")
    return systems


def _queries(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:3]) + (", ..." if len(ids) > 3 else "")
    return f"{len(ids)} {'query' if len(ids) == 1 else 'queries'} ({shown})"
