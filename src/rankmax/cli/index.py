"""`rankmax index`: make a text collection searchable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import print_facts, print_json, working
from rankmax.cli.shared_options import INPUT, FolderOutputType

if TYPE_CHECKING:
    from rankmax.retrieval.index.inverted_index import Index

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30}


class MemoryType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A number of bytes: 512M, 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number and its unit."""
        found = re.fullmatch(r"(\d+)([KMG]?)B?", str(value).upper())
        if found is None:
            self.fail(f"{value!r} is not a size; write it as 512M or 2G", param, ctx)
        return int(found[1]) << _UNITS[found[2]]


@click.command()
@click.argument("documents", metavar="DOCS...", nargs=-1, required=True)
@click.option("-o", "--output", type=FolderOutputType(), required=True, help="Folder to create for the index.")
@click.option(
    "--stem",
    type=click.Choice(["none", "porter", "porter2", "krovetz"]),
    default="none",
    show_default=True,
    help="Stemmer, which maps words to terms.",
)
@click.option(
    "--stop", default="none", show_default=True, help="Stop words to leave out: none, short, english, or a FILE."
)
@click.option("--field", "fields", multiple=True, help="Field to index, repeatable.  [default: all]")
@click.option("--store", multiple=True, help="Field whose text is stored for display, repeatable.  [default: none]")
@click.option("--columns", type=INPUT, help="Table of numbers by document id (CSV, TSV, Parquet), as features.")
@click.option("--column-default", type=float, help="Value for documents that --columns lacks.  [default: an error]")
@click.option(
    "--memory", type=MemoryType(), default="512M", show_default=True, help="Memory for postings; beyond it, disk."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of processes; the index does not depend on it.",
)
@click.option("--replace", is_flag=True, help="Replace an existing index.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def index(
    documents: tuple[str, ...],
    output: str,
    stem: str,
    stop: str,
    fields: tuple[str, ...],
    store: tuple[str, ...],
    columns: str | None,
    column_default: float | None,
    memory: int,
    jobs: int,
    replace: bool,
    as_json: bool,
) -> None:
    """Index documents by term, field and position; the folder is written atomically.

    DOCS are files of JSON lines, tab-separated lines or TREC's SGML, also gzipped, - for standard input, or
    ir_datasets:NAME. The analysis of words into terms is recorded, so that queries are treated the same. --columns adds
    query-independent features: a table with a header, ids first, then numbers or dates (days since 1970).

    \b
    Examples:
      rankmax index docs.jsonl.gz -o docs.index --stem porter2 --stop english --store title
      rankmax index docs.jsonl.gz -o docs.index --columns pagerank.csv --column-default 0
      rankmax index part1.trec part2.trec -o news.index --field title --field text --memory 2G --jobs 4
      rankmax inspect docs.index
    """
    from rankmax.api import index as api
    from rankmax.retrieval.analysis.stopwords import STOP_LISTS, read_stop_words

    with working(f"Indexing {documents[0]}") as work:
        built = api.index(
            documents,
            output,
            stem=stem,
            stop=stop if stop in STOP_LISTS else read_stop_words(stop),
            fields=fields or None,
            store=store,
            columns=columns,
            column_default=column_default,
            memory=memory,
            jobs=jobs,
            replace=replace,
            callback=lambda n: work.say(f"Indexing {documents[0]}: {n:,} documents"),
        )
    show_index(built, as_json=as_json)


def show_index(shown: Index, *, as_json: bool) -> None:
    """Print the content of an index."""
    if as_json:
        print_json(
            {
                "index": str(shown.path),
                "documents": shown.n_documents,
                "terms": shown.n_terms,
                "words": {name: shown.n_occurrences(name) for name in shown.fields},
                "stored": shown.stored,
                "columns": shown.columns,
                "analyzer": shown.analyzer.to_dict(),
                "bytes": shown.n_bytes,
            }
        )
        return
    print_facts({str(shown.path): "", **shown.facts})
