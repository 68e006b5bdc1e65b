"""`rankmax train`: learn weights from a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.options import INPUT, OUTPUT, metrics_option
from rankmax.cli.output import note, print_json, print_table, working

if TYPE_CHECKING:
    from rankmax.metrics.base import Metric


@click.command(short_help="Learn weights from a data file.")
@click.argument("data", type=INPUT)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Model file to write (JSON).")
@click.option("--learner", type=click.Choice(["least-squares"]), default="least-squares", show_default=True)
@click.option("--ridge", type=click.FloatRange(0), default=0.0, show_default=True, help="Penalty on large weights.")
@click.option(
    "--normalise",
    type=click.Choice(["none", "min-max", "z-score", "percentile", "sum"]),
    default="none",
    show_default=True,
    help="Within each query, also when the model is used.",
)
@click.option("--validation", type=INPUT, help="Data file to report the metrics on besides.")
@metrics_option(default=("AP", "nDCG@10"))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def train(
    data: str,
    output: str,
    learner: str,
    ridge: float,
    normalise: str,
    validation: str | None,
    metrics: tuple[Metric, ...],
    as_json: bool,
) -> None:
    """Learn a linear model and write it as JSON.

    least-squares regresses the grades on the features: the pointwise baseline.

    \b
    Examples:
      rankmax train train.txt -o model.json
      rankmax train train.txt -o model.json --normalise min-max --validation vali.txt -m nDCG@10
    """
    from rankmax.data.formats import read_dataset
    from rankmax.evaluation.evaluate import evaluate
    from rankmax.learners.least_squares import LeastSquaresRanker

    with working(f"Training on {data}"):
        training = read_dataset(data)
        model = LeastSquaresRanker(ridge=ridge, normalisation=normalise).fit_dataset(training).model_
        model.save(output)
        evaluations = {"training": evaluate(model.scores(training), training, metrics)}
        if validation is not None:
            held_out = read_dataset(validation)
            evaluations["validation"] = evaluate(model.scores(held_out), held_out, metrics)
    names = [metric.name for metric in metrics]
    means = {part: dict(zip(names, e.means.tolist(), strict=True)) for part, e in evaluations.items()}
    if as_json:
        print_json({"model": output, "metrics": means})
    else:
        print_table([learner, *names], [[part, *(f"{m:.4f}" for m in row.values())] for part, row in means.items()])
        note(f"wrote {output}; next: rankmax rank {output} DATA -o ranked.run")
