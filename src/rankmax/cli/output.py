"""Printing of tables, JSON and CSV, and progress bars on terminals."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click

from rankmax._result_views import Block, Table, visible, visible_json, visible_lines
from rankmax.api.progress import Progress, Stage

_NARROWEST = 20  # columns of a value beside its name; below, it begins further left


def print_json(value: Any) -> None:
    """Print a JSON document; NaN (a query left out) becomes null."""
    click.echo(visible_json(value))


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV, with numbers in full precision."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    click.echo(text.getvalue(), nl=False)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None) -> None:
    """Print a table, with the first column left-aligned and the others right-aligned.

    A table wider than the terminal is printed in parts, each with the first column. This does not use rich, which takes
    60 ms to import.
    """
    table = Table(list(header), [list(row) for row in rows])
    if title is not None:
        click.secho(f"\n{wrapped(visible(title))}", bold=True)
    for columns in _parts(table.widths, terminal_width()):
        for number, line in enumerate(table.lines(columns)):
            click.secho(line, bold=True) if number == 0 else click.echo(line)
        click.echo()


def print_blocks(blocks: Iterable[Block]) -> None:
    """Print tables, facts and sentences, one below the other."""
    for block in blocks:
        if isinstance(block, str):
            click.echo(wrapped(block))
        elif isinstance(block, Table):
            print_table(block.header, block.rows, title=block.title)
        else:
            print_facts(block.values)


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print a name and value per line, then an empty line; long values wrap within their column."""
    names = list(map(visible, facts))
    width = max(map(len, names))
    for name, value in zip(names, facts.values(), strict=True):
        click.echo(wrapped(f" {name.ljust(width)}   {visible(str(value))}", indent=width + 4))
    click.echo()


def terminal_width(*, err: bool = False) -> int | None:
    """Return the width of the terminal, or the environment variable COLUMNS; None if neither is known.

    Files and pipes get unwrapped lines, which are easier to parse.
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
    """Wrap text to the width of the terminal; continuation lines are indented."""
    text = visible_lines(text)
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
    """Split the columns after the first into parts that fit beside it."""
    parts: list[list[int]] = [[]]
    used = room = 0 if most is None else most - 1 - widths[0]
    for j in range(1, len(widths)):
        if most is not None and parts[-1] and used < 3 + widths[j]:
            parts.append([])
            used = room
        parts[-1].append(j)
        used -= 3 + widths[j]
    return parts


def note(message: str, *, wrap: bool = True) -> None:
    """Print a note on standard error; with `wrap=False`, for commands to copy, it is not wrapped."""
    text = f"note: {message}"
    click.echo(wrapped(text, indent=6, err=True) if wrap else visible_lines(text), err=True)


def announce_compilation() -> None:
    """Say so on terminals when kernels have to be compiled, once and with the reason."""
    if sys.stderr.isatty():
        import logging

        log = logging.getLogger("rankmax.kernels")
        handler = logging.Handler()
        handler.emit = lambda record: note(record.getMessage())  # type: ignore[method-assign]
        log.addHandler(handler)
        log.setLevel(logging.INFO)


class Shown(Progress):
    """Shows progress and notes on standard error."""

    def stage(self, description: str, total: int | None = None) -> AbstractContextManager[Stage]:
        """Show a progress bar if standard error is a terminal."""
        return working(description, total)

    def note(self, message: str) -> None:
        """Print a note."""
        note(message)


@contextmanager
def working(description: str, total: int | None = None) -> Iterator[Stage]:
    """Show a progress bar if standard error is a terminal, then print the warnings that were issued.

    With one unit of work or an unknown number, the bar is indeterminate.
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
def _bar(description: str, total: int | None) -> Iterator[Stage]:
    if not sys.stderr.isatty():
        yield Stage()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    counted = total is not None and total > 1
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, *([TimeRemainingColumn()] if counted else []), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(visible(description), total=total if counted else None)

        class ShownStage(Stage):
            def advance(self) -> None:
                bar.advance(task)

            def say(self, description: str) -> None:
                bar.update(task, description=visible(description))

        yield ShownStage()
