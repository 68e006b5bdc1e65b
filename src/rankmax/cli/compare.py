"""`rankmax compare`: significance tests of systems against a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import Shown, note, print_blocks, print_csv, print_json
from rankmax.cli.shared_options import (
    FIGURE,
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
    from rankmax.api.compare import Comparison
    from rankmax.metrics.metric import Metric


@click.command()
@click.argument("judged", metavar="[QRELS|DATA]", type=JudgedType())
@click.argument("runs", metavar="[RUN]...", type=NAMED_INPUT, nargs=-1)
@metrics_option(default=("AP", "nDCG@10"))
@click.option("--baseline", help="Name of the system to compare with.  [default: the first]")
@click.option(
    "--test",
    type=click.Choice(["randomization", "t", "wilcoxon"]),
    default="randomization",
    show_default=True,
    help="Paired test over queries.",
)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help='Alternative hypothesis; "greater": the systems are better than the baseline (one-tailed).',
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "none"]),
    default="holm",
    show_default=True,
    help="Correction for multiple comparisons.",
)
@click.option(
    "--permutations",
    type=click.IntRange(100),
    default=100_000,
    show_default=True,
    help="Number of permutations of the randomization test.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of test and bootstrap.")
@click.option("--plot", type=FIGURE, help="Draw the per-query differences of two systems to a .png or .svg file.")
@click_options
@MACHINE_QRELS
@judging_options
@backend_options
@format_options
def compare(
    judged: str,
    runs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    baseline: str | None,
    test: Any,
    alternative: Any,
    level: float,
    correction: Any,
    permutations: int,
    seed: int,
    plot: str | None,
    scores: tuple[str, ...],
    models: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    **judging: Any,
) -> None:
    """Test whether systems differ significantly from a baseline, by paired tests over queries.

    Prints for each metric the means, the differences with intervals, wins/losses/ties, Cohen's d and p-values,
    corrected for the number of systems. Significant differences are marked as in the literature: † (paired t), **
    (Wilcoxon signed rank), ▲ ▼ (Fisher's randomization test).

    \b
    Examples:
      rankmax compare qrels.txt bm25.run e5.run splade.run -m nDCG@10
      rankmax compare qrels.txt bm25.run e5.run --test t --alternative greater
      rankmax compare qrels.txt bm25.run e5.run -m AP --plot differences.svg
      rankmax compare human.txt bm25.run e5.run --machine-qrels llm.txt
      rankmax compare --clicks clicks.csv bm25.run e5.run -m DCG@10
      rankmax compare test.txt --scores old.txt --model new.json --json
    """
    from rankmax.api import compare as api
    from rankmax.api.clicked import METRIC
    from rankmax.api.inputs import as_metrics
    from rankmax.cli.system_arguments import default_metrics, judged_systems

    n_systems = len(runs) + len(scores) + len(models) + (judging["clicks"] is not None)
    if n_systems < 2:
        raise click.UsageError("comparing needs at least two systems: a baseline and another")
    if plot is not None and (n_systems != 2 or len(metrics) != 1):
        raise click.UsageError("--plot draws one metric (-m) of two systems")
    if judging["clicks"] is not None and default_metrics():
        metrics = as_metrics(METRIC)
    judgments, systems = judged_systems(
        judged, runs, scores, models, judging["backend"], judging["memory"], judging["judges"], judging["clicks"]
    )
    if baseline is not None and baseline not in systems:
        raise click.BadParameter(f"no system {baseline!r}; there are {', '.join(systems)}", param_hint="--baseline")
    comparison = api.compare(
        judgments,
        systems,
        metrics,
        baseline=baseline,
        test=test,
        alternative=alternative,
        correction=correction,
        level=level,
        permutations=permutations,
        seed=seed,
        progress=Shown(),
        **judging,
    )
    if as_json:
        print_json(comparison.to_dict())
    elif as_csv:
        print_csv(api.COLUMNS, comparison.rows())
    else:
        print_blocks(comparison.blocks)
    if plot is not None:
        _draw_differences(comparison, plot, seed)
        note(f"wrote {plot}")


def _draw_differences(comparison: Comparison, path: str, seed: int) -> None:
    from rankmax.evaluation.comparison_plots import difference_plot

    by_name = {system.name: system.values for system in comparison.evaluation.systems}
    [other] = [name for name in by_name if name != comparison.baseline]
    difference_plot(
        by_name[other].values[0],
        by_name[comparison.baseline].values[0],
        (other, comparison.baseline),
        comparison.evaluation.metrics[0].name,
        path,
        query_ids=comparison.evaluation.query_ids,
        confidence=1 - comparison.level,
        seed=seed,
    )
