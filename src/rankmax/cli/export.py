"""`rankmax export`: a model in the words of a search engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax.cli.options import INPUT, OUTPUT
from rankmax.cli.output import note, print_json, working

if TYPE_CHECKING:
    from rankmax.export.base import Request

TARGET_NAMES = [
    "elasticsearch-ltr",
    "elasticsearch-retriever",
    "opensearch-hybrid",
    "opensearch-ltr",
    "solr",
    "vespa",
    "python",
    "sql",
    "postgresql",
    "mysql",
]
"""The names stand here too, because help must not import numpy."""


@click.command(short_help="Write a model as a search engine's request or configuration.")
@click.argument("model", type=INPUT)
@click.option("--to", "target", type=click.Choice(TARGET_NAMES), required=True, help="What to write it for.")
@click.option("-o", "--output", type=OUTPUT, help="File to write.  [default: standard output]")
@click.option("--name", help="Of the model, pipeline or rank profile in the engine.  [default: that of MODEL]")
@click.option("--feature-set", default="rankmax", show_default=True, help="That holds the features (LTR, Solr).")
@click.option(
    "--ranges",
    type=INPUT,
    help="Data file whose lowest and highest values the engine shall scale features by; ranks alike (LTR, Solr).",
)
@click.option(
    "--templates",
    type=INPUT,
    help="TOML or JSON: kind, field and model of each system in the engine, in place of guesses by their names.",
)
@click.option("--at", metavar="VALUE", help="For a model of `rankmax tune --by`: of queries with this value or group.")
@click.option("--push", "url", metavar="URL", help="Show what would be sent to the engine there; send it with --yes.")
@click.option("--yes", is_flag=True, help="With --push: send it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the text, and each request with its body.")
def export(
    model: str,
    target: str,
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
    elasticsearch-ltr        model/linear of the Learning to Rank plugin
    elasticsearch-retriever  a search with the linear retriever, or rrf
    opensearch-hybrid        a search pipeline for hybrid queries
    opensearch-ltr           model/linear of the Learning to Rank plugin
    solr                     LinearModel of learning to rank
    vespa                    a rank profile
    python                   a function without dependencies
    sql                      a query with window functions, for SQLite, DuckDB and others
    postgresql, mysql        the same query as these write it (mysql: MariaDB, too)

    Comments say where to put it. A model that a target cannot express is refused, with what would make it expressible.
    Credentials for --push come from the environment: RANKMAX_API_KEY, or RANKMAX_USER and RANKMAX_PASSWORD.

    \b
    Examples:
      rankmax export model.json --to solr -o model-store.json
      rankmax export model.json --to vespa --name tuned
      rankmax export model.json --to elasticsearch-ltr --ranges train.txt
      rankmax export model.json --to elasticsearch-retriever --templates systems.toml
      rankmax export model.by-kind.json --to opensearch-hybrid --at question
      rankmax export model.json --to opensearch-hybrid --push https://localhost:9200 --yes
    """
    if yes and url is None:
        raise click.UsageError("--yes sends what --push URL shows; give --push")
    from rankmax.export.base import Destination
    from rankmax.export.named import TARGETS
    from rankmax.export.templates import read_templates
    from rankmax.files import atomic_writer
    from rankmax.models.files import load_any_model
    from rankmax.models.varying import VaryingModel

    if ranges is not None and not TARGETS[target].scales:
        scaling = ", ".join(known.name for known in TARGETS.values() if known.scales)
        raise click.UsageError(f"--ranges is for engines that scale features: {scaling}")
    destination = Destination(
        name or Path(model).name.split(".")[0] or "rankmax",
        feature_set,
        None if ranges is None else _ranges(ranges),
        {} if templates is None else read_templates(templates),
    )
    loaded = load_any_model(model)
    if at is not None:
        if not isinstance(loaded, VaryingModel):
            raise click.UsageError(f"--at is for models whose weights depend on the query; {model} has one set of them")
        loaded = loaded.at(at)
    written = TARGETS[target].export(loaded, destination)
    if output is not None:
        with atomic_writer(output) as file:
            file.write(written.text.encode())
        note(f"wrote {output}")
    if as_json:
        requests = [{"method": r.method, "path": r.path, "body": r.body} for r in written.requests]
        print_json({"target": target, "text": written.text, "requests": requests})
    elif output is None and url is None:
        click.echo(written.text, nl=False)
    if url is not None:
        _push(target, written.requests, url, yes=yes, shown=not as_json)


def _push(target: str, requests: Sequence[Request], url: str, *, yes: bool, shown: bool) -> None:
    from rankmax.errors import IncompatibleError
    from rankmax.export.push import Credentials, described, send

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
            note(f"sent; the engine answered: {answer}")
    if not yes:
        note("nothing was sent; --yes sends it")


def _ranges(path: str) -> dict[str, tuple[float, float]]:
    from rankmax.data.formats import read_dataset

    with working(f"Reading {path}"):
        data = read_dataset(path)
    if not data.n_documents:
        return {}
    columns = ((name, data.column(j)) for j, name in enumerate(data.feature_names))
    return {name: (float(column.min()), float(column.max())) for name, column in columns}
