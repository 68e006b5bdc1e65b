"""`rankmax export`: a model in the form that a search engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax.cli.output import note, print_json, working
from rankmax.cli.shared_options import INPUT, OUTPUT, names_in_help
from rankmax.engines.registry import TARGETS

if TYPE_CHECKING:
    from rankmax.engines.export_target import Export, Request


@click.command()
@click.argument("model", type=INPUT)
@click.option("--to", "target", type=click.Choice(TARGETS.names()), help="Target of the export.")
@click.option("-o", "--output", type=OUTPUT, help="File to write.  [default: standard output]")
@click.option("--name", help="Name of the model, pipeline or rank profile in the engine.  [default: that of MODEL]")
@click.option("--feature-set", default="rankmax", show_default=True, help="Feature set in the engine (LTR, Solr).")
@click.option(
    "--ranges",
    type=INPUT,
    help="Data file whose ranges the engine uses to scale features; the ranking stays the same (LTR, Solr).",
)
@click.option(
    "--templates",
    type=INPUT,
    help="TOML or JSON: kind, field and model of each system in the engine, in place of guesses by their names.",
)
@click.option(
    "--at", metavar="VALUE", help="For a model of `rankmax tune --by`: weights of queries with this value or group."
)
@click.option(
    "--push", "url", metavar="URL", help="Show the requests to the engine at this address; send them with --yes."
)
@click.option("--yes", is_flag=True, help="With --push: send the requests.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the text, and each request with its body.")
@names_in_help(TARGETS=TARGETS)
def export(
    model: str,
    target: str | None,
    output: str | None,
    name: str | None,
    feature_set: str,
    ranges: str | None,
    templates: str | None,
    at: str | None,
    url: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Write a model as a request, configuration, function or query that ranks as the model does.

    \b
    TARGETS

    Comments say where to put the output. A model that a target cannot express is refused, with a remedy.
    Credentials for --push come from the environment: RANKMAX_API_KEY, or RANKMAX_USER and RANKMAX_PASSWORD.

    In place of MODEL, a project file (rankmax.toml) exports its model to its engine, with its query templates.

    \b
    Examples:
      rankmax export rankmax.toml
      rankmax export model.json --to solr -o model-store.json
      rankmax export model.json --to vespa --name tuned
      rankmax export model.json --to elasticsearch-ltr --ranges train.txt
      rankmax export model.json --to elasticsearch-retriever --templates systems.toml
      rankmax export model.by-kind.json --to opensearch-hybrid --at question
      rankmax export model.json --to opensearch-hybrid --push https://localhost:9200 --yes
    """
    if yes and url is None:
        raise click.UsageError("--yes sends what --push URL shows; give --push")
    if model.endswith(".toml"):
        given = {
            "--to": target,
            "--name": name,
            "--ranges": ranges,
            "--templates": templates,
            "--at": at,
            "--push": url,
        }
        for option, value in given.items():
            if value is not None:
                raise click.UsageError(f"{model} says where to export to: leave {option} out, or give a model file")
        from rankmax.workflows.deployment.project_file import ProjectFile

        project = ProjectFile(model)
        _show(project.engine_class.target, project.connect().export(project.fusion()), output, as_json, quiet=False)
        return
    if target is None:
        raise click.UsageError(f"give --to TARGET: {', '.join(TARGETS.names())}")
    from rankmax.api import export as api
    from rankmax.models.model_files import load_any_model
    from rankmax.models.varying_model import VaryingModel

    if ranges is not None and not TARGETS.load(target).scales:
        scaling = ", ".join(name for name, known in TARGETS.load_all().items() if known.scales)
        raise click.UsageError(f"--ranges is for engines that scale features: {scaling}")
    loaded = load_any_model(model)
    if at is not None and not isinstance(loaded, VaryingModel):
        raise click.UsageError(f"--at is for models whose weights depend on the query; {model} has one set of them")
    with working(f"Exporting {model}"):
        written = api.export(
            loaded,
            target,
            name=name or Path(model).name.split(".")[0] or "rankmax",
            feature_set=feature_set,
            ranges=ranges,
            templates=templates,
            at=at,
        )
    _show(target, written, output, as_json, quiet=url is not None)
    if url is not None:
        _push(target, written.requests, url, yes=yes, shown=not as_json)


def _show(target: str, written: Export, output: str | None, as_json: bool, *, quiet: bool) -> None:
    """Write the export to a file, or print it."""
    from rankmax._io.files import atomic_writer

    if output is not None:
        with atomic_writer(output) as file:
            file.write(written.text.encode())
        note(f"wrote {output}")
    if as_json:
        requests = [{"method": r.method, "path": r.path, "body": r.body} for r in written.requests]
        print_json({"target": target, "text": written.text, "requests": requests})
    elif output is None and not quiet:
        click.echo(written.text, nl=False)


def _push(target: str, requests: Sequence[Request], url: str, *, yes: bool, shown: bool) -> None:
    from rankmax.engines.configuration_push import described, send
    from rankmax.engines.http_client import Credentials
    from rankmax.errors import IncompatibleError

    if not requests:
        raise IncompatibleError(f"there is nothing to push for {target}: write it to a file with -o")
    credentials = Credentials.from_environment()
    for request in requests:
        text = described(request, url, credentials)
        if shown:
            click.echo(text)
        if yes:
            with working(f"Sending to {url}"):
                answer = send(request, url, credentials)
            note(f"sent; the engine responded: {answer}")
    if not yes:
        note("nothing was sent; --yes sends it")
