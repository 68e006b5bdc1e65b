"""`rankmax evaluate`: metrics of runs, predictions and models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import Shown, print_blocks, print_csv, print_json
from rankmax.cli.shared_options import (
    MACHINE_QRELS,
    NAMED_INPUT,
    JudgedType,
    backend_options,
    click_options,
    format_options,
    judging_options,
    metrics_option,
)

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric


@click.command()
@click.argument("judged", metavar="[QRELS|DATA]", type=JudgedType())
@click.argument("runs", metavar="[RUN]...", type=NAMED_INPUT, nargs=-1)
@metrics_option(default=("AP", "nDCG@10", "P@10", "RR"))
@click_options
@MACHINE_QRELS
@judging_options
@backend_options
@click.option("--per-query", is_flag=True, help="Print the value of every query.")
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 0.9999),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the bootstrap.")
@format_options
def evaluate(
    judged: str,
    runs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    scores: tuple[str, ...],
    models: tuple[str, ...],
    per_query: bool,
    confidence: float,
    seed: int,
    as_json: bool,
    as_csv: bool,
    **judging: Any,
) -> None:
    """Evaluate TREC runs against qrels, or predictions and models on a data file.

    Prints each metric's mean over queries with a bootstrap interval. The values agree with those of trec_eval.

    \b
    Examples:
      rankmax evaluate qrels.txt bm25.run e5.run -m nDCG@10 -m "AP(rel=2)"
      rankmax evaluate qrels.txt bm25.run --per-query --csv > values.csv
      rankmax evaluate human.txt bm25.run e5.run --machine-qrels llm.txt
      rankmax evaluate ratings.csv bm25.run --judges expected
      rankmax evaluate --clicks clicks.csv bm25.run e5.run -m DCG@10
      rankmax evaluate test.txt --scores predictions.txt -m nDCG@10
      rankmax evaluate test.txt --model model.json --json
      rankmax evaluate test-shards --model model.json --memory 4GB
    """
    from rankmax.api import evaluate as api
    from rankmax.api.clicked import METRIC
    from rankmax.api.inputs import as_metrics
    from rankmax.cli.system_arguments import default_metrics, judged_systems

    if judging["clicks"] is not None and default_metrics():
        metrics = as_metrics(METRIC)
    judgments, systems = judged_systems(
        judged, runs, scores, models, judging["backend"], judging["memory"], judging["judges"], judging["clicks"]
    )
    evaluation = api.evaluate(
        judgments, systems, metrics, confidence=confidence, seed=seed, progress=Shown(), **judging
    )
    if as_json:
        print_json(evaluation.to_dict(per_query=per_query)["systems"])
    elif as_csv and per_query:
        print_csv(("system", "query", "metric", "value"), evaluation.rows_by_query())
    elif as_csv:
        print_csv(("system", "metric", "mean", "low", "high", "queries"), evaluation.rows())
    else:
        print_blocks(evaluation.tables_by_query() if per_query else evaluation.blocks)
