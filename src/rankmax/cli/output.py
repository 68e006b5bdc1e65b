"""Printing: tables for people, JSON and CSV for machines, progress only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click


def print_json(value: Any) -> None:
    """Print one JSON document; NaN (a query left out) becomes null."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV; numbers in full precision."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    click.echo(text.getvalue(), nl=False)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None) -> None:
    """Print a table, the first column left, the others right; by hand, as rich takes 60 ms to import."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if title is not None:
        click.secho(f"\n{title}", bold=True)
    for number, line in enumerate(lines):
        cells = [line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))]
        text = f" {'   '.join(cells)}".rstrip()
        click.secho(text, bold=True) if number == 0 else click.echo(text)
        if number == 0:
            click.echo(f" {'─' * (sum(widths) + 3 * (len(widths) - 1))}")
    click.echo()


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print names and values below each other, and an empty line."""
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f" {name.ljust(width)}   {value}")
    click.echo()


def format_p(p_value: float) -> str:
    """Format a p-value to four decimals, or as below the smallest of them."""
    return f"{p_value:.4f}" if p_value >= 0.0001 else "<0.0001"


def note(message: str) -> None:
    """Say something beside the result, on standard error."""
    click.echo(f"note: {message}", err=True)


class Work:
    """What shows that work goes on; this one shows nothing."""

    def advance(self) -> None:
        """Count one unit of work as done."""

    def say(self, description: str) -> None:
        """Change what is shown beside the bar."""


@contextmanager
def working(description: str, total: int | None = None) -> Iterator[Work]:
    """Show on standard error, where that is a terminal, that work goes on.

    With one unit of work or an unknown number, the bar only moves.
    """
    if not sys.stderr.isatty():
        yield Work()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    counted = total is not None and total > 1
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, *([TimeRemainingColumn()] if counted else []), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(description, total=total if counted else None)

        class Shown(Work):
            def advance(self) -> None:
                bar.advance(task)

            def say(self, description: str) -> None:
                bar.update(task, description=description)

        yield Shown()
