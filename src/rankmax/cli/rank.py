"""`rankmax rank`: rankings by a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankmax.cli.output import note, working
from rankmax.cli.shared_options import INPUT, NAMED_INPUT, OUTPUT, TERMS


@click.command()
@click.argument("model", type=INPUT)
@click.argument("data", type=NAMED_INPUT, nargs=-1, required=True)
@click.option("-o", "--output", type=OUTPUT, required=True, help="File to write.")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["run", "scores"]),
    default="run",
    show_default=True,
    help="Output format: a TREC run, or scores in the order of DATA, one per line.",
)
@click.option("--topics", type=INPUT, help="Table of the queries, for a model of `rankmax tune --by`.")
@TERMS
@click.option("--tag", default="rankmax", show_default=True, help="Name of the system in the run.")
def rank(
    model: str, data: tuple[str, ...], output: str, kind: str, topics: str | None, terms: str | None, tag: str
) -> None:
    """Rank each query's documents by a model's scores.

    DATA is a data file, whose documents without an id are named after their query and position; or several runs (TREC
    format) to fuse, one for each system that the model weights. A run is named after its file; name=file gives it
    another name.

    \b
    Examples:
      rankmax rank model.json test.txt -o test.run
      rankmax rank model.json test.txt -o scores.txt --as scores
      rankmax rank model.json bm25.run e5.run -o fused.run
      rankmax rank model.json bm25=bm25_dl20.run e5=e5_dl20.run -o fused.run
      rankmax rank model.by-query_length.json bm25.run e5.run --topics topics.tsv -o fused.run
    """
    from rankmax.formats.named_files import named_files
    from rankmax.formats.predictions import write_scores
    from rankmax.formats.registry import read_dataset
    from rankmax.formats.trec import write_run
    from rankmax.models.model_files import load_any_model
    from rankmax.models.ranking_model import require_runs

    files = {file.name: file.path for file in named_files(data)}
    are_runs = len(files) > 1 or any(".run" in Path(path).suffixes for path in files.values())
    if are_runs and kind == "scores":
        raise click.UsageError("--as scores is for one data file; several runs are fused to a run")
    loaded = load_any_model(model)
    known: Any = topics
    if terms is not None:
        from rankmax.models.query_weights_model import rows_of
        from rankmax.retrieval.queries.rare_terms import with_rare_terms

        if topics is None:
            raise click.UsageError("--terms finds the rare terms of the queries in --topics: give both")
        known = with_rare_terms(rows_of(topics) or {}, terms)
    unknown = require_runs(loaded, files) if are_runs else []
    with working("Fusing" if are_runs else f"Ranking {next(iter(files.values()))}"):
        if are_runs:
            source: Any = {name: path for name, path in files.items() if name not in unknown}
        else:
            [source] = map(read_dataset, files.values())
        if kind == "scores":
            scores = loaded.scores_for(source, loaded.values_of(known))
            write_scores(scores, output)
            counts = f"{source.n_queries} queries, {source.n_documents} documents"
        else:
            run = loaded.rank(source, topics=known, tag=tag)
            write_run(run, output)
            counts = f"{run.n_queries} queries, {run.n_documents} documents"
    if unknown:
        which = f"{', '.join(unknown)}: the model does not know {'it' if len(unknown) == 1 else 'them'}"
        note(f"ignored {which}, it weights {', '.join(loaded.feature_names)}")
    note(f"wrote {output}: {counts}")
