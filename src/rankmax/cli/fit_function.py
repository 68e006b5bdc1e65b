"""`rankmax fit-function`: tune the parameters of a retrieval function by the metric itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import note, print_facts, print_json, print_table, working
from rankmax.cli.shared_options import INPUT, IndexPath, MetricType, exclude_option

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric
    from rankmax.retrieval.features import NamedFeature
    from rankmax.workflows.searching.function_parameters import Tuning


@click.command("fit-function")
@click.argument("index", type=IndexPath(exists=True, file_okay=False))
@click.argument("function", default="bm25")
@click.option("--topics", type=INPUT, required=True, help="Text of each query: id, tab, text; a table; or JSON lines.")
@click.option("--qrels", type=INPUT, required=True, help="Judgments of documents.")
@click.option("-m", "--metric", type=MetricType(), default="AP", show_default=True, help="Metric to maximize.")
@click.option("--parameter", "parameters", multiple=True, help="Parameter to tune, repeatable.  [default: all]")
@click.option("--depth", type=click.IntRange(1), default=1000, show_default=True, help="Documents to rank per query.")
@exclude_option
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of processes; the result does not depend on it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def fit_function(
    index: str,
    function: str,
    topics: str,
    qrels: str,
    metric: Metric,
    parameters: tuple[str, ...],
    depth: int,
    excluded: dict[str, str] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Tune the parameters of FUNCTION on judged queries, ranking all documents of INDEX.

    Points spread over a parameter's range are tried, then ever closer ones, each by ranking the whole collection;
    several parameters take turns. There are ranges for mu of dirichlet, background of jelinek-mercer, k1 and b of bm25,
    and for k3, which is tuned where it is named or finite. Prints the function in the form of `rankmax search --model`.

    \b
    Examples:
      rankmax fit-function docs.index --topics train.tsv --qrels qrels.txt -m nDCG@10
      rankmax fit-function docs.index dirichlet:title+text --topics train.tsv --qrels qrels.txt --jobs 2
      rankmax fit-function docs.index "bm25(k1=0.9)" --parameter b --topics train.tsv --qrels qrels.txt
    """
    from rankmax.errors import UnknownNameError
    from rankmax.formats.topics import read_topics
    from rankmax.formats.trec import read_qrels
    from rankmax.retrieval.features import parse_feature
    from rankmax.retrieval.index.inverted_index import Index
    from rankmax.workflows.searching.feature_trials import Trials
    from rankmax.workflows.searching.function_parameters import RANGES, tune_function
    from rankmax.workflows.searching.judged_queries import JudgedQueries

    for name in parameters:
        if name not in RANGES:
            raise UnknownNameError("parameter to choose", name, RANGES)
    start = parse_feature(function)
    queries = JudgedQueries.of(
        Index.open(index), read_topics(topics), read_qrels(qrels), excluded=excluded, depth=depth
    )
    with working(f"Trying {start.name}") as work:
        tried = 0

        def count() -> None:
            nonlocal tried
            tried += 1
            work.say(f"Trying {start.name}: {tried} so far")

        with Trials(queries, [metric], n_jobs=jobs, callback=count) as trials:
            ranges = {name: RANGES[name] for name in parameters} or None
            tuning = tune_function(start, trials, metric, ranges=ranges)
    if as_json:
        print_json(_described(tuning, len(queries.queries)))
        return
    print_facts(
        {
            tuning.best.function.name: "",
            str(metric): f"{tuning.best.value:.4f} over {len(queries.queries)} queries, "
            f"standard error {tuning.standard_error:.4f}",
            f"before ({start.name})": f"{tuning.start.value:.4f}",
        }
    )
    for parameter, curve in tuning.curves.items():
        print_table([parameter, str(metric)], [[f"{place:g}", f"{value:.4f}"] for place, value in curve.tolist()])
    if tuning.best.value - tuning.start.value < tuning.standard_error:
        note("the gain is below one standard error: on other queries the previous parameters may do better")


def _described(tuning: Tuning[NamedFeature], n_queries: int) -> dict[str, Any]:
    return {
        "function": tuning.best.function.name,
        "metric": tuning.metric.name,
        "value": tuning.best.value,
        "standard_error": tuning.standard_error,
        "queries": n_queries,
        "before": {"function": tuning.start.function.name, "value": tuning.start.value},
        "curves": {parameter: curve.tolist() for parameter, curve in tuning.curves.items()},
    }
