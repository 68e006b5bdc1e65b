"""`rankmax train`: learn weights from a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.options import INPUT, NORMALISATION, OUTPUT, metrics_option
from rankmax.cli.output import Work, note, print_json, print_table, working

if TYPE_CHECKING:
    from rankmax.data.dataset import RankingDataset
    from rankmax.learners.linear_ranker import LinearRanker
    from rankmax.learners.progress import TrainingProgress
    from rankmax.metrics.base import Metric
    from rankmax.models import LinearModel

_INTERRUPTED = 130  # as a shell reports a program that Ctrl-C ended


@click.command(short_help="Learn weights from a data file.")
@click.argument("data", type=INPUT)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Model file to write (JSON).")
@metrics_option(default=("nDCG@10", "AP"))
@click.option("--validation", type=INPUT, help="Data file whose queries choose among the weights found; reported too.")
@click.option("--learner", type=click.Choice(["direct", "least-squares"]), default="direct", show_default=True)
@click.option(
    "--normalise",
    type=NORMALISATION,
    default="none",
    show_default=True,
    help="Within each query, also when the model is used.",
)
@click.option(
    "--space",
    type=click.Choice(["euclidean", "simplex", "augmented-simplex"]),
    help="Where weights may lie; simplex: none is negative.  [default: euclidean]",
)
@click.option("--bag", type=click.IntRange(1), help="Average over that many bootstrap samples of the queries.")
@click.option(
    "--shrinkage",
    type=click.FloatRange(0, 1),
    help="Share of the surrogate's weights in the result; 0: only the metric on DATA counts.  [default: 0.5]",
)
@click.option("--restarts", type=click.IntRange(1), help="Starts to climb from.  [default: 10; 1 for each bag]")
@click.option("--seed", type=click.IntRange(0), help="Of all that is random.  [default: 0]")
@click.option("--jobs", type=click.IntRange(1), help="Processes to use; changes no weight.  [default: 1]")
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), help="Seconds after which to take the best so far."
)
@click.option(
    "--checkpoint",
    type=OUTPUT,
    help="File to record progress in; where the same training has begun one, it goes on from there.",
)
@click.option("--ridge", type=click.FloatRange(0), help="Penalty on large weights; least-squares only.  [default: 0]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.pass_context
def train(
    ctx: click.Context,
    /,
    data: str,
    output: str,
    metrics: tuple[Metric, ...],
    validation: str | None,
    learner: str,
    normalise: str,
    ridge: float | None,
    as_json: bool,
    **climbing: Any,
) -> None:
    """Learn a linear model and write it as JSON.

    direct maximises the first metric itself, by exact line searches from several starts. Ctrl-C ends it with the best
    weights so far, which are written as usual, and exit status 130. least-squares regresses the grades on the features:
    the pointwise baseline.

    The best weights for the training queries are not the best for others. So they are averaged with those of a smooth
    surrogate (--shrinkage); --validation and --bag lower the variance further.

    \b
    Examples:
      rankmax train train.txt -o model.json -m nDCG@10
      rankmax train train.txt -o model.json -m AP --validation vali.txt --space simplex
      rankmax train train.txt -o model.json -m AP --bag 20 --jobs 2 --checkpoint training.journal
      rankmax train train.txt -o baseline.json --learner least-squares --normalise min-max
    """
    import msgspec

    from rankmax.data.formats import read_dataset
    from rankmax.evaluation.evaluate import evaluate

    chosen = {option: value for option, value in climbing.items() if value is not None}
    _refuse_options_of_the_other(learner, chosen, ridge)
    ranker = _ranker(metrics[0], normalise, chosen) if learner == "direct" else None
    with working(f"Training on {data}", total=1 if ranker is None else ranker.n_ascents) as work:
        queries = {"training": read_dataset(data)}
        if validation is not None:
            queries["validation"] = read_dataset(validation)
        if ranker is None:
            model = _least_squares(queries["training"], ridge or 0.0, normalise)
        else:
            model = _maximise(ranker, queries, chosen.get("checkpoint"), work)
        model.save(output)
        names = [metric.name for metric in metrics]
        means = {
            part: dict(zip(names, evaluate(model.scores(held), held, metrics).means.tolist(), strict=True))
            for part, held in queries.items()
        }
    if as_json:
        print_json({"model": output, "metrics": means, "training": msgspec.to_builtins(model.training)})
    else:
        print_table([learner, *names], [[part, *(f"{m:.4f}" for m in row.values())] for part, row in means.items()])
    if model.training is not None and model.training.stopped_by == "interrupted":
        again = "run the same command again to go on" if "checkpoint" in chosen else "with --checkpoint it could go on"
        note(f"interrupted: wrote the best so far to {output}; {again}")
        ctx.exit(_INTERRUPTED)
    note(f"wrote {output}; next: rankmax rank {output} DATA -o ranked.run")


def _refuse_options_of_the_other(learner: str, chosen: dict[str, Any], ridge: float | None) -> None:
    unfit = list(chosen) if learner == "least-squares" else [] if ridge is None else ["ridge"]
    if unfit:
        raise click.UsageError(f"--{unfit[0].replace('_', '-')} is not for the learner {learner}")


def _ranker(metric: Metric, normalise: str, chosen: dict[str, Any]) -> LinearRanker:
    from rankmax.learners.linear_ranker import LinearRanker

    return LinearRanker(
        metric,
        space=chosen.get("space", "euclidean"),
        n_restarts=chosen.get("restarts"),
        n_bags=chosen.get("bag", 0),
        shrinkage=chosen.get("shrinkage", 0.5),
        normalisation=normalise,
        seed=chosen.get("seed", 0),
        n_jobs=chosen.get("jobs", 1),
        time_limit=chosen.get("time_limit"),
    )


def _maximise(
    ranker: LinearRanker, queries: dict[str, RankingDataset], checkpoint: str | None, work: Work
) -> LinearModel:
    n_finished = 0

    def show(progress: TrainingProgress) -> None:
        nonlocal n_finished
        for _ in range(progress.n_finished - n_finished):
            work.advance()
        n_finished = progress.n_finished
        left = "" if ranker.time_limit is None else f", {max(0.0, ranker.time_limit - progress.seconds):.0f} s left"
        ascent = f"{min(n_finished + 1, progress.n_ascents)} of {progress.n_ascents}"
        work.say(f"{ranker.metric} {progress.value:.4f}, {progress.n_lines:,} lines, {ascent}{left}")

    ranker.fit_dataset(queries["training"], validation=queries.get("validation"), callback=show, checkpoint=checkpoint)
    return ranker.model_


def _least_squares(training: RankingDataset, ridge: float, normalise: str) -> LinearModel:
    from rankmax.learners.least_squares import LeastSquaresRanker

    return LeastSquaresRanker(ridge=ridge, normalisation=normalise).fit_dataset(training).model_
