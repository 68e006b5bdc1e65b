"""The verbs of the command line, as the click group itself knows them; run as a script it prints them."""

from __future__ import annotations

from collections.abc import Iterator

import click


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield the words that call each command below `group`, with the command; groups are walked, not yielded."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        elif command is not None:
            yield (*words, name), command


if __name__ == "__main__":
    from rankmax.cli import cli

    for words, _ in commands(cli):
        print(*words)
