"""`rankmax rank`: apply a model."""

from __future__ import annotations

import click

from rankmax.cli.options import INPUT, OUTPUT
from rankmax.cli.output import note, working


@click.command(short_help="Rank a data file's documents with a model.")
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT)
@click.option("-o", "--output", type=OUTPUT, required=True, help="File to write.")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["run", "scores"]),
    default="run",
    show_default=True,
    help="A TREC run, or one score a line in the order of DATA.",
)
@click.option("--tag", default="rankmax", show_default=True, help="Name of the system in the run.")
def rank(model: str, data: str, output: str, kind: str, tag: str) -> None:
    """Rank each query's documents by a model's scores.

    Documents without an id are named after their query and place.

    \b
    Examples:
      rankmax rank model.json test.txt -o test.run
      rankmax rank model.json test.txt -o scores.txt --as scores
    """
    from rankmax.data.formats import read_dataset
    from rankmax.data.scores import write_scores
    from rankmax.data.trec import write_run
    from rankmax.model_files import load_model
    from rankmax.workflows.ranking import run_of

    with working(f"Ranking {data}"):
        dataset = read_dataset(data)
        scores = load_model(model).scores(dataset)
        if kind == "scores":
            write_scores(scores, output)
        else:
            write_run(run_of(dataset, scores, tag=tag), output)
    note(f"wrote {output}: {dataset.n_queries} queries, {dataset.n_documents} documents")
