"""`rankmax studio`: the local web studio."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from rankmax.cli.output import note, working

_FOLDER = "studio-project"


@click.command()
@click.argument("path", metavar="[DATA | PROJECT]", type=click.Path(exists=True), required=False)
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.  [default: 8765, or any free one]")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in a browser.")
def studio(path: str | None, port: int | None, browser: bool) -> None:
    """Open a page on which to tune runs, move weights, see the metric, compare rankings and train.

    DATA is a data file. A PROJECT is a folder with data files, or with runs and their judgments (TREC format), and,
    optionally, models, topics and an index, whose texts are then shown; the page saves its files there. A rankmax.toml
    stands for its folder. With neither, the data are the docstrings of numpy and scipy, in the
    folder studio-project, which is created if it does not exist.

    The studio listens on this machine only (127.0.0.1); the address that it prints gives access. Ctrl-C ends it.

    \b
    Examples:
      rankmax studio
      rankmax studio train.txt
      rankmax studio folder-of-runs
      rankmax studio rankmax.toml
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
    note("this address gives access to the studio; Ctrl-C ends it")
    if browser:
        import webbrowser

        webbrowser.open(server.access.address)
    with suppress(KeyboardInterrupt):
        server.run()
