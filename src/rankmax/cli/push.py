"""`rankmax push`: a fusion put into a search engine, and taken back."""

from __future__ import annotations

import click

from rankmax.cli.output import note, print_json, working
from rankmax.cli.shared_options import INPUT, PROJECT


@click.command()
@click.argument("project", type=PROJECT, default="rankmax.toml")
@click.option("--model", type=INPUT, help="Model file.  [default: that of PROJECT]")
@click.option("--remove", is_flag=True, help="Take the fusion back.")
@click.option("--yes", is_flag=True, help="Send it; without --yes it is only shown.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def push(project: str, model: str | None, remove: bool, yes: bool, as_json: bool) -> None:
    """Put the tuned fusion into the search engine of PROJECT; without --yes, show what would be sent.

    Credentials come from the environment: RANKMAX_API_KEY, or RANKMAX_USER and RANKMAX_PASSWORD.

    \b
    Examples:
      rankmax push
      rankmax push --yes
      rankmax push shop/rankmax.toml --remove --yes
    """
    from dataclasses import asdict

    from rankmax.api.push import push as pushed

    if remove and model is not None:
        raise click.UsageError("--remove takes back what has the name of the project: leave --model out")
    with working("Connecting"):
        found = pushed(project, model, dry_run=not yes, remove=remove)
    if as_json:
        print_json(asdict(found))
    else:
        click.echo(found.text)
    if remove and not found.replaces:
        note(f"the engine has no fusion {found.name!r}; nothing was removed")
    elif found.sent:
        note(
            f"{'removed' if remove else 'sent'}; next: rankmax {'push' if remove else 'confirm'} {project}", wrap=False
        )
    else:
        replacing = f"; it replaces the {found.name!r} that is there" if found.replaces and not remove else ""
        note(f"nothing was sent; --yes sends it{replacing}")
