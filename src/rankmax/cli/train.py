"""`rankmax train`: learn weights from a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.learner_options import learner_options, require_own_options
from rankmax.cli.output import Shown, note, print_json, print_table, working
from rankmax.cli.saving import save_or_rescue
from rankmax.cli.shared_options import (
    INPUT,
    MACHINE_QRELS,
    NORMALIZATION,
    OUTPUT,
    DataType,
    click_options,
    metrics_option,
    names_in_help,
)
from rankmax.learners.registry import DIRECT, LEARNERS

if TYPE_CHECKING:
    from rankmax.api.progress import Stage
    from rankmax.learners.direct.training_progress import TrainingProgress
    from rankmax.metrics.metric import Metric
    from rankmax.models import LinearModel
    from rankmax.models.expected_gain_model import ExpectedGainModel

_INTERRUPTED = 130  # the shell's exit status of a program that Ctrl-C ended


@click.command()
@click.argument("data", type=DataType())
@click.option("-o", "--output", type=OUTPUT, required=True, help="Model file to write (JSON).")
@metrics_option(default=("nDCG@10", "AP"))
@click.option("--qrels", type=INPUT, help="Judgments that replace the grades of DATA, whose documents need ids.")
@MACHINE_QRELS
@click_options
@click.option("--validation", type=INPUT, help="Validation queries: used to select the model, and reported.")
@click.option(
    "--learner", type=click.Choice(LEARNERS.names()), default=DIRECT, show_default=True, help="Learning algorithm."
)
@click.option(
    "--normalize",
    type=NORMALIZATION,
    default="none",
    show_default=True,
    help="Normalization of the features within each query; the model applies it, too.",
)
@click.option(
    "--bins",
    type=click.IntRange(1),
    help="Replace each feature, after normalization, by binary indicators of this many thresholds.",
)
@click.option(
    "--folds",
    type=click.IntRange(0),
    help="Folds of the cross-validated values that are reported, too; 0 for none.  [default: 5 for small data, which "
    "takes about a second, otherwise none]",
)
@learner_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.pass_context
@names_in_help(LEARNERS=LEARNERS)
def train(
    ctx: click.Context,
    /,
    data: str,
    output: str,
    metrics: tuple[Metric, ...],
    qrels: str | None,
    machine_qrels: str | None,
    clicks: str | None,
    click_model: str,
    propensities: str,
    clip: float,
    validation: str | None,
    learner: str,
    normalize: str,
    bins: int | None,
    folds: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a model and write it as JSON.

    \b
    LEARNERS

    The best weights for the training queries are not the best for other queries. So direct maximizes the expected
    metric under noise of the weights (--smoothing), and averages them with those of a smooth surrogate (--shrinkage);
    --validation and --bag may reduce the variance further. additive learns a curve per feature instead of a weight,
    nearly a straight line where queries are few.

    Ctrl-C stops direct and structural-svm early: the best weights so far are written as usual, and the exit status is
    130 (143 after SIGTERM). A model that cannot be written to -o is written to a temporary folder.

    \b
    Examples:
      rankmax train train.txt -o model.json -m nDCG@10
      rankmax train train.txt -o model.json -m AP --validation vali.txt --space simplex
      rankmax train train.txt -o model.json -m AP --folds 10
      rankmax train train.txt -o model.json -m AP --bag 20 --jobs 2 --checkpoint training.journal
      rankmax train train.txt -o curves.json -m AP --learner additive --monotone recency=up
      rankmax train train.txt -o steps.json -m AP --learner additive --curves steps
      rankmax train train.txt -o svm-map.json -m AP --learner structural-svm --validation vali.txt
      rankmax train train.txt -o gain.json --learner expected-gain --loss cosine
      rankmax train train.txt -o gain.json --learner expected-gain --validation vali.txt --epsilon 0.9
      rankmax train train.txt -o baseline.json --learner least-squares --normalize min-max
      rankmax train features.jsonl -o model.json --qrels human.txt --machine-qrels llm.txt
      rankmax train features.jsonl -o model.json --clicks clicks.csv -m DCG@10
      rankmax train shards/ -o model.json -m nDCG@10 --memory 4GB
      rankmax train s3://bucket/shards -o model.json -m nDCG@10 --backend dask://scheduler:8786
    """
    import msgspec

    from rankmax.api import train as api
    from rankmax.api.clicked import METRIC
    from rankmax.api.inputs import as_metrics
    from rankmax.cli.system_arguments import default_metrics

    chosen = {option: value for option, value in options.items() if value is not None and value != ()}
    require_own_options(learner, chosen)
    if len(chosen.get("C", ())) == 1:
        chosen["C"] = chosen["C"][0]
    backend, memory = chosen.pop("backend", None), chosen.pop("memory", None)
    if clicks is not None and default_metrics():
        metrics = as_metrics(METRIC)
    judged = api.judged_data(
        data,
        metrics,
        learner,
        qrels=qrels,
        machine_qrels=machine_qrels,
        clicks=clicks,
        click_model=click_model,
        propensities=propensities,
        clip=clip,
        backend=backend,
        memory=memory,
        progress=Shown(),
    )
    job = api.training_job(learner, metrics[0], normalize if bins is None else "none", chosen)
    total = (job.build().n_ascents if learner == DIRECT else 1) + (folds or 0)
    with working(f"Training on {data}", total=total) as work:
        show = _Shown(work, metrics[0], chosen.get("time_limit"))
        names = [metric.name for metric in metrics]

        def save(model: LinearModel | ExpectedGainModel) -> None:
            nonlocal output
            output = save_or_rescue(model, output)

        run = api.run_job(
            job,
            judged,
            metrics,
            validation=validation,
            bins=bins,
            bins_normalize=normalize,
            backend=backend,
            memory=memory,
            n_folds=folds,
            save=save,
            callback=show,
            tick=work.advance,
        )
        means = {part: dict(zip(names, found.means.tolist(), strict=True)) for part, found in run.evaluations.items()}
        model: LinearModel | ExpectedGainModel = run.ranker.model_
    if as_json:
        overfitted = [metric.name for metric in run.overfitted]
        record = msgspec.to_builtins(model.training)
        print_json({"model": output, "metrics": means, "overfitted": overfitted, "training": record})
    else:
        print_table([learner, *names], [[part, *(f"{m:.4f}" for m in row.values())] for part, row in means.items()])
    if skipped := getattr(run.ranker, "skipped_queries_", ()):
        note(f"skipped {len(skipped)} of {run.n_queries} queries, whose documents are all alike, such as {skipped[0]}")
    if run.was_interrupted:
        again = "run the same command again to resume" if "checkpoint" in chosen else "use --checkpoint to resume"
        note(f"stopped early: wrote the best weights so far to {output}" + (f"; {again}" if learner == DIRECT else ""))
        ctx.exit(_INTERRUPTED)
    for overfitting in run.overfitting():
        note(overfitting)
    note(f"wrote {output}; next: rankmax rank {output} DATA -o ranked.run")


class _Shown:
    """Shows the progress of a training."""

    def __init__(self, work: Stage, metric: Metric, time_limit: float | None) -> None:
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
