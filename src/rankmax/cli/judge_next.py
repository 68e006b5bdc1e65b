"""`rankmax judge-next`: the documents to judge next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.output import Shown, note, print_blocks, print_json
from rankmax.cli.shared_options import INPUT, NAMED_INPUT, OUTPUT, MetricType

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric


@click.command()
@click.argument("qrels", type=INPUT)
@click.argument("runs", metavar="RUN...", type=NAMED_INPUT, nargs=-1, required=True)
@click.option("-m", "--metric", type=MetricType(), default="nDCG@10", show_default=True, help="Metric to be tuned.")
@click.option(
    "--current",
    metavar="FUSION",
    help="The fusion in use today: a system, RRF, CombSUM, weights or a model file, as for tune.  [default: RRF]",
)
@click.option("--budget", type=click.IntRange(1), default=100, show_default=True, help="Largest number of documents.")
@click.option(
    "--depth", type=click.IntRange(1), help="Number of top documents per query.  [default: the metric's cutoff, or 10]"
)
@click.option(
    "--topics",
    type=INPUT,
    help="Text of the queries: id, tab, text; a table (id, text); or JSON lines.",
)
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Number of cross-validation folds.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    help="Number of cross-validation repeats.  [default: 5; 1 for more than six systems]",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    help="Table for annotators to write (.csv or .jsonl), with a column for grades.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def judge_next(
    qrels: str,
    runs: tuple[str, ...],
    metric: Metric,
    current: str | None,
    budget: int,
    depth: int | None,
    topics: str | None,
    folds: int,
    repeats: int | None,
    seed: int,
    output: str | None,
    as_json: bool,
) -> None:
    """List the unjudged documents whose judgments could change the decision of a tuning.

    Tunes the runs with the judgments so far. A document is listed if it is in the top k of the pick, of the current
    fusion, or for weights that these queries cannot tell from the best; or, to rank 3k, if it would change the ideal
    ranking. The order is by how much the gain over the current fusion would change if the document were relevant,
    over all those weights, times the chance that it is.

    With its column "grade" filled in, the table that -o writes is a file of judgments, to be added to the qrels.

    \b
    Examples:
      rankmax judge-next qrels.txt bm25.run e5.run -m nDCG@10
      rankmax judge-next qrels.txt bm25.run e5.run --current RRF --budget 100 -o to-judge.csv
      rankmax judge-next qrels.txt bm25.run e5.run --topics topics.csv -o to-judge.jsonl
    """
    from rankmax.api import judge_next as api

    if output is not None and not output.lower().endswith(api.TABLES):
        raise click.BadParameter(f"{output} is a table: give a name that ends in .csv or .jsonl", param_hint="-o")
    found = api.judge_next(
        qrels,
        runs,
        metric,
        current=current,
        budget=budget,
        depth=depth,
        topics=topics,
        folds=folds,
        repeats=repeats,
        seed=seed,
        progress=Shown(),
    )
    if output is not None:
        found.save(output)
    if as_json:
        print_json(found.to_dict())
    else:
        print_blocks(found.blocks)
    if output is not None:
        note(f"wrote {output}")
