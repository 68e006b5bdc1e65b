"""`rankmax rank`: apply a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.options import INPUT, NAMED_INPUT, OUTPUT
from rankmax.cli.output import note, working

if TYPE_CHECKING:
    from rankmax.workflows.ranking import RankingModel


@click.command(short_help="Rank a data file's documents, or fuse runs, with a model.")
@click.argument("model", type=INPUT)
@click.argument("data", type=NAMED_INPUT, nargs=-1, required=True)
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
    format), one for each system that the model weighs, which are fused. A run is known by the name of its file, or by
    the name that name=file gives it.

    \b
    Examples:
      rankmax rank model.json test.txt -o test.run
      rankmax rank model.json test.txt -o scores.txt --as scores
      rankmax rank model.json bm25.run e5.run -o fused.run
      rankmax rank model.json bm25=bm25_dl20.run e5=e5_dl20.run -o fused.run
      rankmax rank model.by-query_length.json bm25.run e5.run --topics topics.tsv -o fused.run
    """
    from rankmax.data.formats import read_dataset
    from rankmax.data.scores import write_scores
    from rankmax.data.trec import read_run, write_run
    from rankmax.models.files import load_any_model
    from rankmax.workflows.named_files import named_files
    from rankmax.workflows.ranking import fuse_runs, require_runs, run_of, scores_by

    if len(data) > 1 and kind == "scores":
        raise click.UsageError("scores are for the lines of one data file; several runs become a run")
    files = named_files(data)
    loaded = load_any_model(model)
    values = None if topics is None else _values(loaded, topics)
    if len(files) > 1:
        unknown = require_runs(loaded, [file.name for file in files])
        with working("Fusing", total=len(data)) as work:
            runs = {}
            for name, path in files:
                if name not in unknown:
                    runs[name] = read_run(path)
                work.advance()
            fused = fuse_runs(loaded, runs, values=values, tag=tag)
            write_run(fused, output)
        if unknown:
            which = f"{', '.join(unknown)}: the model does not know {'it' if len(unknown) == 1 else 'them'}"
            note(f"ignored {which}, it weighs {', '.join(loaded.feature_names)}")
        note(f"wrote {output}: {fused.n_queries} queries, {fused.n_documents} documents")
        return
    with working(f"Ranking {files[0].path}"):
        dataset = read_dataset(files[0].path)
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
