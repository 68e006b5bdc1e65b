"""`rankmax search`: find documents of an index, for one query or for a file of topics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rankmax._result_views import visible
from rankmax.cli.output import note, print_json, working
from rankmax.cli.shared_options import INPUT, OUTPUT, exclude_option

if TYPE_CHECKING:
    from rankmax.retrieval.index.inverted_index import Index
    from rankmax.retrieval.queries.query import Query
    from rankmax.retrieval.search.snippets import Snippet


@click.command()
@click.argument("index")
@click.argument("text", required=False)
@click.option("--topics", type=INPUT, help="File of queries: id, tab, text; a table; or JSON lines. Needs -o.")
@click.option("-o", "--output", type=OUTPUT, help="Run to write for the topics, in TREC's format.")
@click.option("--model", default="bm25", show_default=True, help="Retrieval function, or the file of a trained model.")
@click.option("--depth", type=click.IntRange(1), help="Documents per query.  [default: 1000 for topics, else 10]")
@exclude_option
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of threads; the result does not depend on it.",
)
@click.option("--tag", help="Name of the system in the run.  [default: rankmax]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def search(
    index: str,
    text: str | None,
    topics: str | None,
    output: str | None,
    model: str,
    depth: int | None,
    excluded: dict[str, str] | None,
    jobs: int,
    tag: str | None,
    as_json: bool,
) -> None:
    """Rank all documents of INDEX that have a term of the query, by a retrieval function or a model.

    TEXT is one query: its best documents are shown, with their stored text (rankmax index --store). With --topics, the
    best documents of every query are written as a run.

    A function is written with the parameters and fields that are not its defaults: bm25, bm25(k1=0.9,b=0.4):title,
    dirichlet(mu=1500):title+text. A model is a file of rankmax train, learned from features of an index.

    \b
    Examples:
      rankmax search docs.index "flutter of swept wings"
      rankmax search docs.index --topics topics.tsv --model "dirichlet(mu=1500)" -o lm.run
      rankmax search docs.index --topics topics.tsv --model model.json --depth 1000 -o model.run
    """
    if (text is None) == (topics is None):
        raise click.UsageError("give either the TEXT of one query or --topics FILE")
    if (topics is None) != (output is None):
        raise click.UsageError("--topics FILE and -o FILE go together: the run of the topics is written there")
    if topics is None and excluded is not None:
        raise click.UsageError("--exclude FILE goes with --topics FILE: it names documents by the ids of queries")
    from rankmax.retrieval.index.inverted_index import Index

    opened = Index.open(index)
    if topics is not None and output is not None:
        _write_run(opened, model, topics, output, depth or 1000, excluded or {}, jobs, tag or "rankmax", as_json)
    else:
        _show(opened, model, str(text), depth or 10, as_json)


def _write_run(
    index: Index,
    model: str,
    topics: str,
    output: str,
    depth: int,
    excluded: dict[str, str],
    jobs: int,
    tag: str,
    as_json: bool,
) -> None:
    from rankmax.api import search as api
    from rankmax.formats.topics import read_topics
    from rankmax.formats.trec import write_run

    queries = read_topics(topics)
    with working(f"Searching for {topics}", total=len(queries)) as work, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = api.search(
            index,
            queries,
            model,
            depth=depth,
            exclude=excluded,
            jobs=jobs,
            tag=tag,
            callback=lambda _: work.advance(),
        )
        write_run(run, output)
    for warning in said:
        note(str(warning.message))
    if as_json:
        print_json({"run": output, "queries": run.n_queries, "documents": run.n_documents})
    else:
        note(f"wrote {output}: {run.n_queries} queries, {run.n_documents} documents")


def _show(index: Index, model: str, text: str, depth: int, as_json: bool) -> None:
    from rankmax.retrieval.queries.query import Query
    from rankmax.retrieval.search.collection_search import search as search_index
    from rankmax.workflows.searching.topic_search import load_ranker

    ranker = load_ranker(model)
    query = Query(index, text)
    with working("Searching"):
        hits = search_index(query, ranker, depth)
    found = [
        _Hit(rank, score, index.ids[document], *_snippets(index, document, query))
        for rank, (document, score) in enumerate(zip(hits.documents.tolist(), hits.scores.tolist(), strict=True), 1)
    ]
    if as_json:
        print_json({"query": text, "terms": list(query.term_counts), "hits": [hit.plain() for hit in found]})
        return
    for hit in found:
        hit.print(len(str(len(found))))
    if not query.terms:
        note("the query has no terms: the index leaves its words out as stop words")
    elif not found:
        note(f"no document has any of the terms: {', '.join(query.term_counts)}")
    elif not index.stored:
        note("the index stores no text to show; rankmax index --store FIELD keeps some")


@dataclass(frozen=True)
class _Hit:
    rank: int
    score: float
    id: str
    title: Snippet | None
    snippet: Snippet | None

    def plain(self) -> dict[str, Any]:
        shown = {"title": self.title, "snippet": self.snippet}
        texts = {name: part.marked(str) for name, part in shown.items() if part is not None}
        return {"rank": self.rank, "score": self.score, "id": self.id, **texts}

    def print(self, width: int) -> None:
        heading = _bold(self.title) if self.title is not None else ""
        click.echo(f" {self.rank:>{width}}   {self.score:.4f}   {visible(self.id)}   {heading}".rstrip())
        if self.snippet is not None:
            click.echo(f" {'':>{width}}   {_bold(self.snippet)}")


def _bold(part: Snippet) -> str:
    return part.marked(lambda word: click.style(word, bold=True))  # click drops styles where there is no terminal


def _snippets(index: Index, document: int, query: Query) -> tuple[Snippet | None, Snippet | None]:
    """Return the title, if one is stored, and the best part of the other stored fields."""
    from rankmax.retrieval.search.snippets import best_snippet

    parts = {
        name: best_snippet(text, query.term_counts, index.analyzer)
        for name, text in index.text(document).items()
        if text.strip()
    }
    title = parts.pop("title", None)
    return title, max(parts.values(), key=lambda part: part.n_terms, default=None)
