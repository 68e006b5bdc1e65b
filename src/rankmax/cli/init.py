"""`rankmax init`: a project file to fill in."""

from __future__ import annotations

import click

from rankmax.cli.output import note
from rankmax.cli.shared_options import OUTPUT, names_in_help
from rankmax.engines.connectors.registry import ENGINES


@click.command()
@click.argument("engine", type=click.Choice(ENGINES.names()))
@click.option("-o", "--output", type=OUTPUT, default="rankmax.toml", show_default=True, help="File to write.")
@names_in_help(ENGINES=ENGINES)
def init(engine: str, output: str) -> None:
    """Write a project file for a search engine, with comments; an existing file is never overwritten.

    \b
    ENGINES

    \b
    Examples:
      rankmax init opensearch
      rankmax init sqlite -o shop/rankmax.toml
    """
    from rankmax.workflows.deployment.project_outline import write_outline

    write_outline(engine, output)
    note(f"wrote {output}: fill it in; next: rankmax collect {output}")
