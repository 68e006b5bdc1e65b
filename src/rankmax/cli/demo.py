"""`rankmax demo`: the main job on a problem that needs no data."""

from __future__ import annotations

from pathlib import Path

import click

from rankmax.cli.output import format_p, print_table, working


@click.command(short_help="Train, evaluate and compare on a synthetic problem.")
@click.option("-o", "--output", type=click.Path(file_okay=False), default="demo-output", show_default=True)
@click.option("--seed", type=int, default=7, show_default=True)
def demo(output: str, seed: int) -> None:
    """Learn weights on a seeded synthetic problem, and test on held-out queries whether they are better.

    The problem has a planted linear optimum under noise: the best that any weights can do is known. Writes the
    files of every step to the output folder, so that the commands it prints can be tried on them.
    """
    from rankmax.workflows.demo import run_demo

    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"cannot make the folder {output}: {error.strerror}") from None
    with working("Learning and comparing"):
        result = run_demo(folder, seed=seed)
    click.echo(
        f"A synthetic problem (seed {seed}): {result.n_train} queries to learn from, {result.n_test} to test on, "
        f"{result.n_documents} documents each, {result.n_features} features.\n"
    )
    print_table(
        ["on held-out queries", "mean", "difference [95% interval]", "change", "p", "W/L/T"],
        [[f"{result.comparison.baseline} (baseline)", f"{result.comparison.baseline_mean:.4f} ", "", "", "", ""]]
        + [
            [
                row.system,
                f"{row.mean:.4f}{row.marker or ' '}",
                f"{row.difference:+.4f} [{row.interval[0]:+.4f}, {row.interval[1]:+.4f}]",
                f"{row.relative_change:+.1f}%",
                format_p(row.corrected_p_value),
                f"{row.wins.wins}/{row.wins.losses}/{row.wins.ties}",
            ]
            for row in result.comparison.rows
        ],
        title=result.metric,
    )
    click.echo(
        "▲ better than the baseline, ▼ worse (randomisation test, Holm-corrected, p < 0.05).\n"
        "rankmax maximised nDCG@10 on the training queries. The planted weights made the grades, before noise was\n"
        "added: none can be expected to do better. Least squares comes near them because these grades follow a linear\n"
        "score with normal noise, which is just what it assumes; real collections are less kind to it.\n"
        f"\nFiles are in {output}. Go on with:\n"
        + "\n".join(f"  rankmax {command}" for command in result.next_commands)
    )
