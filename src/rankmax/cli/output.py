"""Printing: tables for people, JSON and CSV for machines, progress only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: Any) -> None:
    """Print one JSON document; NaN (a query left out) becomes null."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV; numbers in full precision."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None) -> None:
    """Print a table: first column left, the others right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console().print(table)


def console() -> Console:
    """Return a console that never cuts a table when the output is a file or a pipe."""
    from rich.console import Console

    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 10_000)


def note(message: str) -> None:
    """Say something beside the result, on standard error."""
    click.echo(f"note: {message}", err=True)


@contextmanager
def working(description: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Show on standard error, where that is a terminal, that work goes on; yield what to call after each of `total`.

    With one unit of work or an unknown number, the bar only moves.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    counted = total is not None and total > 1
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, *([TimeRemainingColumn()] if counted else []), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(description, total=total if counted else None)
        yield lambda: bar.advance(task)
