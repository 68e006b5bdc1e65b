"""`rankmax profile`: a metric as a function of one weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.cli.output import note, print_csv, print_facts, print_json, working
from rankmax.cli.shared_options import FIGURE, INPUT, MetricType, format_options

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric
    from rankmax.models import LinearModel
    from rankmax.workflows.weight_profile import Profile


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
        found = api.profile(loaded, data, feature, metric or _own_metric(loaded, model))
        if output is not None:
            from rankmax.line_search.step_plots import step_plot

            step_plot(found.function, (found.weight, found.value), (feature, found.metric.name), output)
    if as_json:
        best, within = found.best, found.within
        print_json(
            {
                "model": model,
                "data": data,
                "feature": feature,
                "metric": found.metric.name,
                "weight": found.weight,
                "value": found.value,
                "best": {"low": best.low, "high": best.high, "middle": found.best_weight, "value": best.value},
                "standard_error": found.standard_error,
                "within_standard_error": {"low": within.low, "high": within.high},
                "breakpoints": found.function.breakpoints.tolist(),
                "values": found.function.values.tolist(),
            }
        )
    elif as_csv:
        edges = found.function.edges.tolist()
        print_csv(("low", "high", "value"), zip(edges[:-1], edges[1:], found.function.values.tolist(), strict=True))
    else:
        _print(found)
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


def _print(profile: Profile) -> None:
    best, within, n_breakpoints = profile.best, profile.within, profile.function.breakpoints.size
    print_facts(
        {
            "feature": profile.feature,
            "metric": profile.metric.name,
            "breakpoints": n_breakpoints,
            "weight now": f"{profile.weight:.8g}",
            "value now": f"{profile.value:.6f}",
            "best value": f"{best.value:.6f}",
            "best interval": f"{best.low:.8g} to {best.high:.8g}",
            "its middle": f"{profile.best_weight:.8g}",
            "within 1 s.e. of best": f"{within.low:.8g} to {within.high:.8g}",
        }
    )
    if best.value > profile.value + SAME_VALUE:
        click.echo(f"the best weight gains {best.value - profile.value:.6f}")
    elif n_breakpoints:
        click.echo("no other value of this weight is better")
    else:
        click.echo("no value of this weight changes the metric")
