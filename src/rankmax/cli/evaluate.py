"""`rankmax evaluate`: how good rankings are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.options import NAMED_INPUT, DataType, engine_options, format_options, judging_options, metrics_option
from rankmax.cli.output import print_csv, print_json, print_table

if TYPE_CHECKING:
    from rankmax.metrics.base import Metric
    from rankmax.workflows.systems import System


@click.command(short_help="Score runs or predictions: means with intervals.")
@click.argument("judged", metavar="QRELS|DATA", type=DataType())
@click.argument("runs", metavar="[RUN]...", type=NAMED_INPUT, nargs=-1)
@metrics_option(default=("AP", "nDCG@10", "P@10", "RR"))
@judging_options
@engine_options
@click.option("--per-query", is_flag=True, help="Print the value of every query.")
@click.option("--confidence", type=click.FloatRange(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap.")
@format_options
def evaluate(
    judged: str,
    runs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    per_query: bool,
    confidence: float,
    seed: int,
    as_json: bool,
    as_csv: bool,
    **judging: Any,
) -> None:
    """Score TREC runs against qrels, or predictions and models on a data file.

    Prints each metric's mean over queries with a bootstrap interval. Numbers agree with trec_eval's.

    \b
    Examples:
      rankmax evaluate qrels.txt bm25.run e5.run -m nDCG@10 -m "AP(rel=2)"
      rankmax evaluate qrels.txt bm25.run --per-query --csv > values.csv
      rankmax evaluate test.txt --scores predictions.txt -m nDCG@10
      rankmax evaluate test.txt --model model.json --json
      rankmax evaluate test-shards --model model.json --memory 4GB
    """
    from rankmax.cli.systems import score_systems

    systems = score_systems(judged, runs, metrics=metrics, **judging)
    if as_json:
        print_json([_describe(system, confidence, seed, per_query) for system in systems])
    elif as_csv and per_query:
        print_csv(("system", "query", "metric", "value"), _values(systems))
    elif as_csv:
        header = ("system", "metric", "mean", "low", "high", "queries")
        print_csv(header, (row for system in systems for row in _summary(system, confidence, seed)))
    elif per_query:
        for system in systems:
            _print_queries(system)
    else:
        _print_means(systems, confidence, seed)


def _summary(system: System, confidence: float, seed: int) -> Iterator[tuple[str, str, float, float, float, int]]:
    """Yield system, metric, mean, low, high, number of queries."""
    evaluation = system.evaluation
    intervals = evaluation.intervals(confidence=confidence, seed=seed).tolist()
    columns = zip(evaluation.metrics, evaluation.means.tolist(), intervals, evaluation.n_counted.tolist(), strict=True)
    for metric, mean, (low, high), n_queries in columns:
        yield system.name, metric.name, mean, low, high, n_queries


def _values(systems: list[System]) -> Iterator[tuple[str, str, str, float]]:
    for system in systems:
        for q, query in enumerate(system.evaluation.query_ids):
            for m, metric in enumerate(system.evaluation.metrics):
                yield system.name, query, metric.name, float(system.evaluation.values[m, q])


def _describe(system: System, confidence: float, seed: int, per_query: bool) -> dict[str, Any]:
    described: dict[str, Any] = {
        "system": system.name,
        "path": system.path,
        "confidence": confidence,
        "missing_queries": system.missing_queries,
        "unjudged_queries": system.unjudged_queries,
        "metrics": {
            metric: {"mean": mean, "low": low, "high": high, "queries": n_queries}
            for _, metric, mean, low, high, n_queries in _summary(system, confidence, seed)
        },
    }
    if per_query:
        rows = system.evaluation.values.T.tolist()
        names = [metric.name for metric in system.evaluation.metrics]
        described["per_query"] = {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(system.evaluation.query_ids, rows, strict=True)
        }
    return described


def _print_queries(system: System) -> None:
    rows = (
        [query, *(f"{value:.4f}" for value in values)]
        for query, values in zip(system.evaluation.query_ids, system.evaluation.values.T.tolist(), strict=True)
    )
    print_table(["query", *(metric.name for metric in system.evaluation.metrics)], rows, title=system.name)


def _print_means(systems: list[System], confidence: float, seed: int) -> None:
    interval = f"{100 * confidence:g}% interval"
    summaries = [list(_summary(system, confidence, seed)) for system in systems]
    if len(systems) == 1:
        header = [systems[0].name, "mean", interval, "queries"]
        rows = [
            [name, f"{mean:.4f}", f"[{low:.4f}, {high:.4f}]", str(n_queries)]
            for _, name, mean, low, high, n_queries in summaries[0]
        ]
    else:
        header = [f"mean [{interval}]", *(metric.name for metric in systems[0].evaluation.metrics)]
        rows = [
            [system.name, *(f"{mean:.4f} [{low:.4f}, {high:.4f}]" for _, _, mean, low, high, _ in summary)]
            for system, summary in zip(systems, summaries, strict=True)
        ]
    print_table(header, rows)
