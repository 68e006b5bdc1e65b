"""`rankmax profile`: a metric as a function of one weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.output import note, print_blocks, print_csv, print_json, working
from rankmax.cli.shared_options import FIGURE, INPUT, MetricType, format_options

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric
    from rankmax.models import LinearModel


@click.command()
@click.argument("data", type=INPUT)
@click.argument("model", type=INPUT)
@click.option("--feature", required=True, help="Name of the feature whose weight varies.")
@click.option("-m", "--metric", type=MetricType(), help="Metric to show.  [default: the model's own]")
@click.option("-o", "--output", type=FIGURE, help="Draw the function to a .png or .svg file.")
@format_options
def profile(
    data: str, model: str, feature: str, metric: Metric | None, output: str | None, as_json: bool, as_csv: bool
) -> None:
    """Compute a metric for every value of one weight of a model, the other weights fixed.

    The function is exact: constant between breakpoints, where two documents of some query swap ranks. Prints the
    current value, the best interval with its middle, and the interval around it on which the metric is within one
    standard error of the best. JSON has all breakpoints and values
    (null: infinite), CSV one interval per line.

    \b
    Examples:
      rankmax profile train.txt model.json --feature bm25
      rankmax profile train.txt model.json --feature bm25 -m AP -o bm25.svg
      rankmax profile train.txt model.json --feature bm25 --csv > steps.csv
    """
    from rankmax.api import profile as api
    from rankmax.models import LinearModel

    with working(f"Varying the weight of {feature}"):
        loaded = LinearModel.load(model)
        found = api.profile(data, loaded, feature, metric or _own_metric(loaded, model))
        if output is not None:
            from rankmax.line_search.step_plots import step_plot

            step_plot(found.function, (found.weight, found.value), (feature, found.metric.name), output)
    if as_json:
        print_json({"model": model, "data": data, **found.to_dict()})
    elif as_csv:
        print_csv(("low", "high", "value"), found.function.rows())
    else:
        print_blocks(found.blocks)
    if output is not None:
        note(f"wrote {output}")


def _own_metric(model: LinearModel, path: str) -> Metric:
    from rankmax.errors import RankmaxError
    from rankmax.metrics.registry import parse_metric

    if model.metric is None:
        raise click.UsageError(f"{path} names no metric; give one with -m")
    try:
        return parse_metric(model.metric)
    except RankmaxError as error:
        raise click.UsageError(f"the metric of {path} cannot be used ({error}); give one with -m") from None
