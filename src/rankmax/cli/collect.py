"""`rankmax collect`: runs of a search engine's retrievers."""

from __future__ import annotations

import click

from rankmax.cli.output import Shown, note, print_blocks, print_json
from rankmax.cli.shared_options import PROJECT


@click.command()
@click.argument("project", type=PROJECT, default="rankmax.toml")
@click.option("--restart", is_flag=True, help="Drop what was collected before, and ask for everything again.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def collect(project: str, restart: bool, as_json: bool) -> None:
    """Collect one run per retriever from the search engine of PROJECT.

    Answers are stored as they arrive: after an interrupt or an error, the same command goes on where it was, and asks
    nothing twice. The file of a run appears when it is complete. Credentials come from the environment:
    RANKMAX_API_KEY, or RANKMAX_USER and RANKMAX_PASSWORD.

    \b
    Examples:
      rankmax collect
      rankmax collect shop/rankmax.toml --restart
    """
    from rankmax.api.collect import collect as collected
    from rankmax.errors import ServerError

    try:
        found = collected(project, restart=restart, progress=Shown())
    except (ServerError, KeyboardInterrupt):
        note("what was answered is kept; the same command without --restart goes on with the rest")
        raise
    if as_json:
        print_json(found.to_dict())
    else:
        print_blocks(found.blocks)
    note(f"next: rankmax tune {project}", wrap=False)
