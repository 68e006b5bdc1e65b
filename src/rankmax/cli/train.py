"""`rankmax train`: learn weights from a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.options import INPUT, NORMALISATION, OUTPUT, DataType, engine_options, metrics_option, needs_engine
from rankmax.cli.output import Work, note, print_json, print_table, working
from rankmax.cli.saving import save_or_rescue
from rankmax.workflows.training.learners import CROSS_ENTROPY, DIRECT, LEARNERS, LOSSES, Options

if TYPE_CHECKING:
    from rankmax.data.dataset import RankingDataset
    from rankmax.learners.progress import TrainingProgress
    from rankmax.metrics.base import Metric
    from rankmax.models import LinearModel
    from rankmax.models.expected_gain import ExpectedGainModel

_INTERRUPTED = 130  # as a shell reports a program that Ctrl-C ended


@click.command(short_help="Learn weights from a data file.")
@click.argument("data", type=DataType())
@click.option("-o", "--output", type=OUTPUT, required=True, help="Model file to write (JSON).")
@metrics_option(default=("nDCG@10", "AP"))
@click.option("--validation", type=INPUT, help="Data file whose queries choose among what was found; reported too.")
@click.option("--learner", type=click.Choice(list(LEARNERS)), default=DIRECT, show_default=True)
@click.option(
    "--normalise",
    type=NORMALISATION,
    default="none",
    show_default=True,
    help="Within each query, also when the model is used.",
)
@click.option(
    "--bins",
    type=click.IntRange(1),
    help="Learn from indicators of so many thresholds of each feature, normalised before, instead.",
)
@click.option(
    "--space",
    type=click.Choice(["euclidean", "simplex", "augmented-simplex"]),
    help="Where weights may lie; simplex: none is negative.  [default: euclidean]",
)
@click.option(
    "--bag", "n_bags", type=click.IntRange(1), help="Average over that many bootstrap samples of the queries."
)
@click.option(
    "--shrinkage",
    type=click.FloatRange(0, 1),
    help="Share of the surrogate's weights in the result; 0: only the metric on DATA counts.  [default: 0.5]",
)
@click.option(
    "--restarts",
    "n_restarts",
    type=click.IntRange(1),
    help="Starts to climb from; for expected-gain, random ones instead of the linear optimum.  "
    "[default: 10; 1 for each bag]",
)
@click.option("--seed", type=click.IntRange(0), help="Of all that is random.  [default: 0]")
@click.option("--jobs", "n_jobs", type=click.IntRange(1), help="Processes to use; changes no weight.  [default: 1]")
@engine_options
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), help="Seconds after which to take the best so far."
)
@click.option(
    "--checkpoint",
    type=OUTPUT,
    help="File to record progress in; where the same training has begun one, it goes on from there.",
)
@click.option(
    "--C",
    "C",
    type=click.FloatRange(0, min_open=True),
    multiple=True,
    help="What errors cost beside large weights; of several, --validation chooses.  [default: a wide range, or 100]",
)
@click.option("--relevant-from", type=float, help="The lowest grade that is relevant, where learning takes two kinds.")
@click.option("--balance", type=click.Choice(["none", "costs", "undersample"]), help="Of relevant and other documents.")
@click.option("--loss", type=click.Choice(LOSSES), help="Surrogate to minimise.  [default: cross-entropy]")
@click.option(
    "--alpha",
    type=click.FloatRange(0, min_open=True),
    multiple=True,
    help="How surely cross-entropy wants a better document first; of several, --validation chooses.  "
    "[default: 2, or for --validation to choose from 0.1 to 10]",
)
@click.option(
    "--epsilon",
    type=click.FloatRange(0.5, 1, min_open=True),
    multiple=True,
    help="The probability of a grade that counts as 1 in training; of several, --validation chooses.  "
    "[default: 1, or for --validation to choose from 0.6 to 1]",
)
@click.option("--folds", type=click.IntRange(2), help="Report queries left out of training, too: in so many folds.")
@click.option("--ridge", type=click.FloatRange(0), help="Penalty on large weights.")
@click.option("--polish", is_flag=True, default=None, help="In the end, choose the gains by the metric itself.")
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
    bins: int | None,
    folds: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a model and write it as JSON.

    \b
    direct              the first metric itself, by exact line searches from several starts
    structural-svm      a convex bound of the first metric with a margin: SVM-map for AP
    expected-gain       the gain expected by a logistic model of the grades, by a surrogate loss
    surrogate           linear scores by a surrogate loss: ListNet for cross-entropy
    ranking-svm         pairs of documents with a margin
    classification-svm  relevant documents from others with a margin
    maximum-entropy     the likelihood of relevance
    least-squares       the grades, regressed on the features

    The best weights for the training queries are not the best for others. So direct averages them with those of a
    smooth surrogate (--shrinkage); --validation and --bag lower the variance further. Ctrl-C ends direct and
    structural-svm with the best weights so far, which are written as usual, and exit status 130; SIGTERM does so, too,
    with status 143. A model that cannot be written to -o goes to a temporary folder.

    \b
    Examples:
      rankmax train train.txt -o model.json -m nDCG@10
      rankmax train train.txt -o model.json -m AP --validation vali.txt --space simplex
      rankmax train train.txt -o model.json -m AP --folds 5
      rankmax train train.txt -o model.json -m AP --bag 20 --jobs 2 --checkpoint training.journal
      rankmax train train.txt -o svm-map.json -m AP --learner structural-svm --validation vali.txt
      rankmax train train.txt -o gain.json --learner expected-gain --loss cosine
      rankmax train train.txt -o gain.json --learner expected-gain --validation vali.txt --epsilon 0.9
      rankmax train train.txt -o baseline.json --learner least-squares --normalise min-max
      rankmax train shards/ -o model.json -m nDCG@10 --memory 4GB
      rankmax train s3://bucket/shards -o model.json -m nDCG@10 --engine dask://scheduler:8786
    """
    import msgspec

    from rankmax.data.formats import read_dataset
    from rankmax.data.shards import Shards
    from rankmax.engines.named import engine_named
    from rankmax.workflows.training.job import TrainingJob
    from rankmax.workflows.training.run import run_training

    chosen = {option: value for option, value in options.items() if value is not None and value != ()}
    _require_own_options(learner, chosen)
    if len(chosen.get("C", ())) == 1:
        chosen["C"] = chosen["C"][0]
    engine, memory = chosen.pop("engine", None), chosen.pop("memory", None)
    job = TrainingJob(learner, metrics[0], normalise if bins is None else "none", chosen)
    total = (job.build().n_ascents if learner == DIRECT else 1) + (folds or 0)
    with working(f"Training on {data}", total=total) as work:
        show = _Shown(work, metrics[0], chosen.get("time_limit"))
        names = [metric.name for metric in metrics]

        def save(model: LinearModel | ExpectedGainModel) -> None:
            nonlocal output
            output = save_or_rescue(model, output)

        asked: dict[str, Any] = {"n_folds": folds, "save": save, "callback": show, "tick": work.advance}
        if needs_engine(data, engine, memory):
            if bins is not None:
                raise click.UsageError("--bins needs all data in this process; it is not for shards or engines")
            chosen_by = None if validation is None else read_dataset(validation)
            with engine_named(engine or "local", memory=memory) as started:
                run = run_training(job, Shards.at(data), metrics, engine=started, validation=chosen_by, **asked)
        else:
            queries = _read(data, validation, bins, normalise)
            run = run_training(job, queries["training"], metrics, validation=queries.get("validation"), **asked)
        means = {part: dict(zip(names, found.means.tolist(), strict=True)) for part, found in run.evaluations.items()}
        model: LinearModel | ExpectedGainModel = run.ranker.model_
    if as_json:
        print_json({"model": output, "metrics": means, "training": msgspec.to_builtins(model.training)})
    else:
        print_table([learner, *names], [[part, *(f"{m:.4f}" for m in row.values())] for part, row in means.items()])
    if skipped := getattr(run.ranker, "skipped_queries_", ()):
        note(f"skipped {len(skipped)} of {run.n_queries} queries, whose documents are all alike, such as {skipped[0]}")
    if run.was_interrupted:
        again = "run the same command again to go on" if "checkpoint" in chosen else "with --checkpoint it could go on"
        note(f"interrupted: wrote the best so far to {output}" + (f"; {again}" if learner == DIRECT else ""))
        ctx.exit(_INTERRUPTED)
    note(f"wrote {output}; next: rankmax rank {output} DATA -o ranked.run")


_SPELLED = {"n_bags": "bag", "n_restarts": "restarts", "n_jobs": "jobs"}


def _require_own_options(learner: str, given: Options) -> None:
    """Refuse options that are not for a learner, naming those that they are for."""
    for option in given:
        if option not in LEARNERS[learner].options:
            others = ", ".join(name for name, choice in LEARNERS.items() if option in choice.options)
            spelled = _SPELLED.get(option, option.replace("_", "-"))
            raise click.UsageError(f"--{spelled} is not for the learner {learner}; it is for {others}")
    if "alpha" in given and given.get("loss", CROSS_ENTROPY) != CROSS_ENTROPY:
        raise click.UsageError(f"--alpha is not for the loss {given['loss']}; it is for {CROSS_ENTROPY}")


def _read(data: str, validation: str | None, bins: int | None, normalise: str) -> dict[str, RankingDataset]:
    from rankmax.data.formats import read_dataset

    queries = {"training": read_dataset(data)}
    if validation is not None:
        queries["validation"] = read_dataset(validation)
    if bins is None:
        return queries
    from rankmax.data.binning import Binning

    binning = Binning.fit(queries["training"], n_thresholds=bins, normalisation=normalise)
    return {part: binning.apply(held) for part, held in queries.items()}


class _Shown:
    """Shows how far a training has come."""

    def __init__(self, work: Work, metric: Metric, time_limit: float | None) -> None:
        self._work = work
        self._metric = metric
        self._time_limit = time_limit
        self._n_finished = 0

    def __call__(self, progress: TrainingProgress) -> None:
        for _ in range(progress.n_finished - self._n_finished):
            self._work.advance()
        self._n_finished = progress.n_finished
        left = "" if self._time_limit is None else f", {max(0.0, self._time_limit - progress.seconds):.0f} s left"
        ascent = f"{min(self._n_finished + 1, progress.n_ascents)} of {progress.n_ascents}"
        self._work.say(f"{self._metric} {progress.value:.4f}, {progress.n_lines:,} lines, {ascent}{left}")
