"""`rankmax train`: learn weights from a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.options import INPUT, NORMALISATION, OUTPUT, metrics_option
from rankmax.cli.output import Work, note, print_json, print_table, working

if TYPE_CHECKING:
    from rankmax.data.dataset import RankingDataset
    from rankmax.metrics.base import Metric
    from rankmax.models import LinearModel
    from rankmax.optimizers.base import Progress


@click.command(short_help="Learn weights from a data file.")
@click.argument("data", type=INPUT)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Model file to write (JSON).")
@metrics_option(default=("nDCG@10", "AP"))
@click.option("--learner", type=click.Choice(["direct", "least-squares"]), default="direct", show_default=True)
@click.option(
    "--space",
    type=click.Choice(["euclidean", "simplex", "augmented-simplex"]),
    help="Where weights may lie; simplex: none is negative. direct only.  [default: euclidean]",
)
@click.option("--restarts", type=click.IntRange(1), help="Starts to climb from. direct only.  [default: 10]")
@click.option("--seed", type=int, help="Of the random starts. direct only.  [default: 0]")
@click.option("--ridge", type=click.FloatRange(0), help="Penalty on large weights. least-squares only.  [default: 0]")
@click.option(
    "--normalise",
    type=NORMALISATION,
    default="none",
    show_default=True,
    help="Within each query, also when the model is used.",
)
@click.option("--validation", type=INPUT, help="Data file to report the metrics on besides.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def train(
    data: str,
    output: str,
    metrics: tuple[Metric, ...],
    learner: str,
    space: str | None,
    restarts: int | None,
    seed: int | None,
    ridge: float | None,
    normalise: str,
    validation: str | None,
    as_json: bool,
) -> None:
    """Learn a linear model and write it as JSON.

    direct maximises the first metric itself, by exact line searches from several starts; Ctrl-C ends it with the best
    weights so far. least-squares regresses the grades on the features: the pointwise baseline.

    \b
    Examples:
      rankmax train train.txt -o model.json -m nDCG@10
      rankmax train train.txt -o model.json -m AP --space simplex --restarts 3 --validation vali.txt
      rankmax train train.txt -o baseline.json --learner least-squares --normalise min-max
    """
    from rankmax.data.formats import read_dataset
    from rankmax.evaluation.evaluate import evaluate

    unfit = {"--ridge": ridge} if learner == "direct" else {"--space": space, "--restarts": restarts, "--seed": seed}
    for option, value in unfit.items():
        if value is not None:
            raise click.UsageError(f"{option} is not for the learner {learner}")
    with working(f"Training on {data}") as work:
        training = read_dataset(data)
        if learner == "direct":
            model = _maximise(training, metrics[0], space, restarts, seed, normalise, work)
        else:
            from rankmax.learners.least_squares import LeastSquaresRanker

            model = LeastSquaresRanker(ridge=ridge or 0.0, normalisation=normalise).fit_dataset(training).model_
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


def _maximise(
    training: RankingDataset,
    metric: Metric,
    space: str | None,
    restarts: int | None,
    seed: int | None,
    normalise: str,
    work: Work,
) -> LinearModel:
    from rankmax.learners.linear_ranker import LinearRanker

    best = 0.0

    def show(progress: Progress) -> None:
        nonlocal best
        best = max(best, progress.value)
        work.say(f"{metric} {best:.4f}, {progress.n_lines} lines searched from this start")

    ranker = LinearRanker(
        metric, space=space or "euclidean", n_restarts=restarts or 10, normalisation=normalise, seed=seed or 0
    )
    return ranker.fit_dataset(training, callback=show).model_
