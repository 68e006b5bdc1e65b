"""`rankmax studio`: the local web page."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from rankmax.cli.output import note, working

_FOLDER = "studio-project"


@click.command(short_help="Open a local page: see the metric, move the weights.")
@click.argument("path", metavar="[DATA | PROJECT]", type=click.Path(exists=True), required=False)
@click.option("--port", type=click.IntRange(0, 65535), help="Where to listen.  [default: 8765, or any free one]")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page.")
def studio(path: str | None, port: int | None, browser: bool) -> None:
    """Open a page on which to move weights, see the metric, compare rankings and train.

    DATA is a data file. A PROJECT is a folder with data files, and where it has them with models, topics and an index,
    whose texts are then shown; what the page saves goes there. With neither, the docstrings of numpy and scipy are the
    data, in the folder studio-project, which is made first if it is not there.

    The studio listens on this machine only (127.0.0.1), and lets in whoever has the address that it prints. Ctrl-C
    ends it.

    \b
    Examples:
      rankmax studio
      rankmax studio train.txt
      rankmax studio demo-output --no-browser --port 9000
    """
    from rankmax.errors import MissingDependencyError

    try:
        from rankmax.studio.server import StudioServer
    except ModuleNotFoundError as error:
        raise MissingDependencyError(error.name or "starlette", "studio", "the studio") from None
    from rankmax.workflows.projects.embedded import embedded_project
    from rankmax.workflows.projects.project import Project

    if path is None:
        with working("Starting") as work:
            project = embedded_project(Path(_FOLDER), say=work.say)
    else:
        project = Project.at(path)
    server = StudioServer(project, port=port)
    click.echo(server.access.address)
    note("this address lets in whoever has it; Ctrl-C ends the studio")
    if browser:
        import webbrowser

        webbrowser.open(server.access.address)
    with suppress(KeyboardInterrupt):
        server.run()
