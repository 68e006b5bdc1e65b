"""The command-line reference: what each command prints for --help."""

from __future__ import annotations

from collections.abc import Iterator

import click

from command_tree import commands
from rankmax.cli import cli


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page."""
    sections = [_section(("rankmax",), cli)]
    sections += [_section(("rankmax", *words), command) for words, command in commands(cli)]
    yield "commands.md", "\n".join(["# Command line\n", *sections])


def _section(words: tuple[str, ...], command: click.Command) -> str:
    name = " ".join(words)
    shown = click.Context(command, info_name=name, terminal_width=100).get_help()
    return f"## {name}\n\n```text\n{click.unstyle(shown)}\n```\n"
