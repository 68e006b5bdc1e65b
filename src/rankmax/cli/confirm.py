"""`rankmax confirm`: whether a search engine ranks as the model predicts."""

from __future__ import annotations

import click

from rankmax.cli.output import Shown, print_blocks, print_json
from rankmax.cli.shared_options import INPUT, PROJECT


class _ConfirmationError(click.ClickException):
    exit_code = 2  # 1 says that the rankings differ


@click.command()
@click.argument("project", type=PROJECT, default="rankmax.toml")
@click.option("--model", type=INPUT, help="Model file.  [default: that of PROJECT]")
@click.option(
    "--size", type=click.IntRange(1), default=10, show_default=True, help="Number of documents to compare per query."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def confirm(project: str, model: str | None, size: int, as_json: bool) -> None:
    """Ask the search engine of PROJECT for the judged queries, and compare its rankings with the model's.

    The prediction comes from the collected runs. Where the engine differs, the report says where, and which known
    mistake explains how many queries: ignored or swapped weights, another normalization, a smaller window, another
    index. Exit status: 0 if rankings and scores are the predicted ones, 1 if they differ, 2 after an error.

    \b
    Examples:
      rankmax confirm
      rankmax confirm shop/rankmax.toml --size 20 --json
    """
    from rankmax.api.confirm import confirm as confirmed
    from rankmax.errors import RankmaxError

    try:
        found = confirmed(project, model, size=size, progress=Shown())
    except (RankmaxError, OSError) as error:
        raise _ConfirmationError(str(error)) from None
    if as_json:
        print_json(found.to_dict())
    else:
        print_blocks(found.blocks)
    if not found.same:
        raise SystemExit(1)
