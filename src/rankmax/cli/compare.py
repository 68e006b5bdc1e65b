"""`rankmax compare`: whether a difference is real."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.options import (
    FIGURE,
    NAMED_INPUT,
    DataType,
    engine_options,
    format_options,
    judging_options,
    metrics_option,
)
from rankmax.cli.output import format_p, note, print_csv, print_json, print_table

if TYPE_CHECKING:
    from rankmax.evaluation.compare import Comparison
    from rankmax.metrics.base import Metric

_CSV_HEADER = (
    *("metric", "system", "baseline", "mean", "difference", "change_percent", "low", "high", "test", "alternative"),
    *("p_value", "corrected_p_value", "wins", "losses", "ties", "effect_size", "significant"),
)


@click.command(short_help="Test whether systems differ from a baseline.")
@click.argument("judged", metavar="QRELS|DATA", type=DataType())
@click.argument("runs", metavar="[RUN]...", type=NAMED_INPUT, nargs=-1)
@metrics_option(default=("AP", "nDCG@10"))
@click.option("--baseline", help="System to compare with, by the name the table shows.  [default: the first]")
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
    help='"greater" claims that the systems are better than the baseline (one-tailed).',
)
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option("--correction", type=click.Choice(["holm", "none"]), default="holm", show_default=True)
@click.option("--permutations", type=click.IntRange(100), default=100_000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the randomisation test and the bootstrap.")
@click.option("--plot", type=FIGURE, help="Draw the per-query differences of two systems to a .png or .svg file.")
@judging_options
@engine_options
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
    as_json: bool,
    as_csv: bool,
    **judging: Any,
) -> None:
    """Test, query by query, whether systems differ from a baseline by more than chance.

    Prints for each metric the means, the differences with intervals, wins/losses/ties, Cohen's d and p-values,
    corrected for the number of systems. Significant differences are marked as the literature does: † (paired t),
    ** (Wilcoxon signed rank), ▲ ▼ (Fisher's randomisation test).

    \b
    Examples:
      rankmax compare qrels.txt bm25.run e5.run splade.run -m nDCG@10
      rankmax compare qrels.txt bm25.run e5.run --test t --alternative greater
      rankmax compare qrels.txt bm25.run e5.run -m AP --plot differences.svg
      rankmax compare test.txt --scores old.txt --model new.json --json
    """
    from rankmax.cli.systems import score_systems
    from rankmax.evaluation.compare import compare_systems

    n_systems = len(runs) + len(judging["scores"]) + len(judging["models"])
    if n_systems < 2:
        raise click.UsageError("comparing needs at least two systems: a baseline and another")
    if plot is not None and (n_systems != 2 or len(metrics) != 1):
        raise click.UsageError("--plot draws one metric (-m) of two systems")
    systems = score_systems(judged, runs, metrics=metrics, **judging)
    names = [system.name for system in systems]
    if baseline is not None and baseline not in names:
        raise click.BadParameter(f"no system {baseline!r}; there are {', '.join(names)}", param_hint="--baseline")
    comparisons = {
        metric.name: compare_systems(
            {system.name: system.evaluation.values[m] for system in systems},
            baseline or names[0],
            test=test,
            alternative=alternative,
            correction=correction,
            level=level,
            n_permutations=permutations,
            seed=seed,
        )
        for m, metric in enumerate(systems[0].evaluation.metrics)
    }
    if as_json:
        print_json({name: asdict(comparison) for name, comparison in comparisons.items()})
    elif as_csv:
        print_csv(_CSV_HEADER, (row for name, comparison in comparisons.items() for row in _csv_rows(name, comparison)))
    else:
        for name, comparison in comparisons.items():
            _print_comparison(name, comparison)
        corrected = ", Holm-corrected" if correction == "holm" and n_systems > 2 else ""
        click.echo(f"{_TEST_NAMES[test]}, {alternative}{corrected}; marked: p < {level:g}")
    if plot is not None:
        from rankmax.evaluation.plots import difference_plot

        reference = names.index(baseline or names[0])
        ours, theirs = systems[1 - reference], systems[reference]
        difference_plot(
            ours.evaluation.values[0],
            theirs.evaluation.values[0],
            (ours.name, theirs.name),
            metrics[0].name,
            plot,
            query_ids=ours.evaluation.query_ids,
            confidence=1 - level,
            seed=seed,
        )
        note(f"wrote {plot}")


_TEST_NAMES = {
    "randomization": "Fisher's paired randomisation test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
}


def _print_comparison(metric: str, comparison: Comparison) -> None:
    header = [
        "system",
        "mean",
        "difference",
        f"{100 * (1 - comparison.level):g}% interval",
        "change",
        "p",
        "W/L/T",
        "d",
    ]
    rows = [[f"{comparison.baseline} (baseline)", f"{comparison.baseline_mean:.4f} ", *[""] * 6]]
    for row in comparison.rows:
        low, high = row.interval
        rows.append(
            [
                row.system,
                f"{row.mean:.4f}{row.marker or ' '}",
                f"{row.difference:+.4f}",
                f"[{low:+.4f}, {high:+.4f}]",
                f"{row.relative_change:+.1f}%",
                format_p(row.corrected_p_value),
                f"{row.wins.wins}/{row.wins.losses}/{row.wins.ties}",
                f"{row.effect_size:+.2f}",
            ]
        )
    print_table(header, rows, title=metric)


def _csv_rows(metric: str, comparison: Comparison) -> list[tuple[Any, ...]]:
    return [
        (
            *(metric, row.system, comparison.baseline, row.mean, row.difference, row.relative_change, *row.interval),
            *(row.test.name, row.test.alternative, row.test.p_value, row.corrected_p_value),
            *(row.wins.wins, row.wins.losses, row.wins.ties, row.effect_size),
            row.corrected_p_value < comparison.level,
        )
        for row in comparison.rows
    ]
