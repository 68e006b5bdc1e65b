"""Printing: tables for people, JSON and CSV for machines, progress only on a terminal."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

_NARROWEST = 20  # columns of a value beside its name; below, it begins further left


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
    """Print a table, the first column left, the others right; by hand, as rich takes 60 ms to import.

    What is wider than the terminal is printed in parts, each with the first column.
    """
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if title is not None:
        click.secho(f"\n{wrapped(title)}", bold=True)
    for columns in _parts(widths, terminal_width()):
        for number, line in enumerate(lines):
            cells = [line[0].ljust(widths[0]), *(line[j].rjust(widths[j]) for j in columns)]
            text = f" {'   '.join(cells)}".rstrip()
            click.secho(text, bold=True) if number == 0 else click.echo(text)
            if number == 0:
                click.echo(f" {'─' * (widths[0] + sum(3 + widths[j] for j in columns))}")
        click.echo()


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print names and values below each other, and an empty line; values go on in lines of their own column."""
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(wrapped(f" {name.ljust(width)}   {value}", indent=width + 4))
    click.echo()


def terminal_width(*, err: bool = False) -> int | None:
    """Return the columns of a terminal, or those that the variable COLUMNS says; None where nothing says any.

    A file or a pipe gets whole lines, which programs look for.
    """
    import os

    stream = sys.stderr if err else sys.stdout
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return (os.get_terminal_size(stream.fileno()).columns or None) if stream.isatty() else None
    except (OSError, ValueError, AttributeError):  # closed, or no file at all
        return None


def wrapped(text: str, *, indent: int = 0, err: bool = False) -> str:
    """Break lines between words to fit the terminal; further lines are indented."""
    width = terminal_width(err=err)
    if width is None:
        return text
    import textwrap

    indent = indent if width - indent >= _NARROWEST else 4
    wrapper = textwrap.TextWrapper(
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    return "\n".join("\n".join(wrapper.wrap(line)) for line in text.split("\n"))


def _parts(widths: Sequence[int], most: int | None) -> list[list[int]]:
    """Deal the columns after the first into parts that fit beside it."""
    parts: list[list[int]] = [[]]
    used = room = 0 if most is None else most - 1 - widths[0]
    for j in range(1, len(widths)):
        if most is not None and parts[-1] and used < 3 + widths[j]:
            parts.append([])
            used = room
        parts[-1].append(j)
        used -= 3 + widths[j]
    return parts


def format_p(p_value: float) -> str:
    """Format a p-value to four decimals, or as below the smallest of them."""
    return f"{p_value:.4f}" if p_value >= 0.0001 else "<0.0001"


def note(message: str, *, wrap: bool = True) -> None:
    """Say something beside the result, on standard error; a command to copy is not wrapped."""
    text = f"note: {message}"
    click.echo(wrapped(text, indent=6, err=True) if wrap else text, err=True)


class Work:
    """What shows that work goes on; this one shows nothing."""

    def advance(self) -> None:
        """Count one unit of work as done."""

    def say(self, description: str) -> None:
        """Change what is shown beside the bar."""


@contextmanager
def working(description: str, total: int | None = None) -> Iterator[Work]:
    """Show on standard error, where that is a terminal, that work goes on; then say what the work warned of.

    With one unit of work or an unknown number, the bar only moves.
    """
    from rankmax.errors import RankmaxWarning

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RankmaxWarning)
        with _bar(description, total) as work:
            yield work
    for warning in said:
        if not issubclass(warning.category, RankmaxWarning):
            warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)
    for message in dict.fromkeys(str(one.message) for one in said if issubclass(one.category, RankmaxWarning)):
        note(f"warning: {message}")


@contextmanager
def _bar(description: str, total: int | None) -> Iterator[Work]:
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
