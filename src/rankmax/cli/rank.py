"""`rankmax rank`: apply a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.options import INPUT, OUTPUT
from rankmax.cli.output import note, working

if TYPE_CHECKING:
    from rankmax.workflows.ranking import RankingModel


@click.command(short_help="Rank a data file's documents, or fuse runs, with a model.")
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT, nargs=-1, required=True)
@click.option("-o", "--output", type=OUTPUT, required=True, help="File to write.")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["run", "scores"]),
    default="run",
    show_default=True,
    help="A TREC run, or one score a line in the order of DATA.",
)
@click.option("--topics", type=INPUT, help="Table of the queries, for a model of `rankmax tune --by`.")
@click.option("--tag", default="rankmax", show_default=True, help="Name of the system in the run.")
def rank(model: str, data: tuple[str, ...], output: str, kind: str, topics: str | None, tag: str) -> None:
    """Rank each query's documents by a model's scores.

    DATA is a data file, whose documents without an id are named after their query and place; or several runs (TREC
    format), one for each system that the model weighs, which are fused.

    \b
    Examples:
      rankmax rank model.json test.txt -o test.run
      rankmax rank model.json test.txt -o scores.txt --as scores
      rankmax rank model.json bm25.run e5.run -o fused.run
      rankmax rank model.by-query_length.json bm25.run e5.run --topics topics.tsv -o fused.run
    """
    from rankmax.data.formats import read_dataset
    from rankmax.data.scores import write_scores
    from rankmax.data.trec import read_run, write_run
    from rankmax.models.files import load_any_model
    from rankmax.workflows.ranking import fuse_runs, run_of, scores_by
    from rankmax.workflows.systems import distinct_names

    if len(data) > 1 and kind == "scores":
        raise click.UsageError("scores are for the lines of one data file; several runs become a run")
    loaded = load_any_model(model)
    values = None if topics is None else _values(loaded, topics)
    if len(data) > 1:
        with working("Fusing", total=len(data)) as work:
            runs = {}
            for name, path in zip(distinct_names(data), data, strict=True):
                runs[name] = read_run(path)
                work.advance()
            fused = fuse_runs(loaded, runs, values=values, tag=tag)
            write_run(fused, output)
        note(f"wrote {output}: {fused.n_queries} queries, {fused.n_documents} documents")
        return
    with working(f"Ranking {data[0]}"):
        dataset = read_dataset(data[0])
        scores = scores_by(loaded, dataset, values)
        if kind == "scores":
            write_scores(scores, output)
        else:
            write_run(run_of(dataset, scores, tag=tag), output)
    note(f"wrote {output}: {dataset.n_queries} queries, {dataset.n_documents} documents")


def _values(model: RankingModel, topics: str) -> dict[str, str]:
    from rankmax.data.query_columns import read_query_column
    from rankmax.models.varying import VaryingModel

    return read_query_column(topics, model.column) if isinstance(model, VaryingModel) else {}
