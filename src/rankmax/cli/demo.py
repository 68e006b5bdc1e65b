"""`rankmax demo`: from text to learned rankings, on a collection that needs no download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax._result_views import format_p
from rankmax.cli.output import print_table, working
from rankmax.cli.shared_options import FolderOutputType

if TYPE_CHECKING:
    from rankmax.evaluation.comparison import BaselineComparison


@click.command()
@click.option(
    "-o",
    "--output",
    type=FolderOutputType(parents=True),
    default="demo-output",
    show_default=True,
    help="Folder to write.",
)
@click.option("--seed", type=click.IntRange(0), default=7, show_default=True, help="Random seed.")
def demo(output: str, seed: int) -> None:
    """Index the docstrings of numpy and scipy, tune and learn rankings, and test them on held-out queries.

    A query is the one-line summary of a function; relevant are the functions that its author lists under "See Also".
    Prints the comparison, and writes a report (report.html) with the files of every step, so that the commands at its
    end can be tried on them.

    \b
    Examples:
      rankmax demo
      rankmax demo -o results --seed 1
    """
    from rankmax._io.files import make_folder
    from rankmax.workflows.demo.demo_page import TEST, finding, next_commands, write_report
    from rankmax.workflows.demo.demonstration import METRICS, run_demo

    folder = Path(output)
    make_folder(folder, parents=True)
    with working("Starting") as work:
        result = run_demo(folder, seed=seed, say=work.say)
        work.say("Writing the report")
        write_report(result, folder)
    n_documents, n_train, n_test = len(result.collection.documents), len(result.train), len(result.test)
    click.echo(f"{n_documents:,} docstrings of numpy and scipy; {n_train} training queries, {n_test} held out.")
    click.echo('A query is the one-line summary of a function; relevant are the functions that "See Also" lists.')
    for metric in METRICS:
        _print_comparison(metric.name, result.comparisons[metric])
    click.echo(f"▲ better, ▼ worse than the tuned language model: {TEST}.\n")
    for metric in METRICS:
        click.echo(finding(metric, result.comparisons[metric]))
    click.echo(f"\nThe report is {folder / 'report.html'}. Next steps:")
    for command in next_commands(result, folder):
        click.echo(f"  {command}")


def _print_comparison(metric: str, comparison: BaselineComparison) -> None:
    print_table(
        [metric, "mean", "difference [95% interval]", "change", "p", "W/L/T"],
        [[f"{comparison.baseline} (baseline)", f"{comparison.baseline_mean:.4f} ", "", "", "", ""]]
        + [
            [
                row.system,
                f"{row.mean:.4f}{row.marker or ' '}",
                f"{row.difference:+.4f} [{row.interval[0]:+.4f}, {row.interval[1]:+.4f}]",
                f"{row.relative_change:+.1f}%",
                format_p(row.corrected_p_value),
                f"{row.wins.wins}/{row.wins.losses}/{row.wins.ties}",
            ]
            for row in comparison.rows
        ],
        title=f"{metric}, ranking the whole collection for held-out queries",
    )
