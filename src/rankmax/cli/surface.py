"""`rankmax surface`: a metric over all weights of three features."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import note, print_csv, print_facts, print_json, working
from rankmax.cli.shared_options import INPUT, NORMALIZATION, OUTPUT, MetricType, format_options

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric
    from rankmax.workflows.surface.metric_surface import MetricSegment, MetricSurface


def _names(_: click.Context, __: click.Parameter, listed: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in listed.split(","))
    if not 2 <= len(names) <= 3:
        raise click.BadParameter(
            f"{len(names)} named, but a surface is over the weights of three features, or of two. Name the three most "
            "important ones, such as those that `rankmax inspect MODEL` lists first, or vary one weight with all "
            "others fixed: `rankmax profile DATA MODEL --feature NAME`"
        )
    return names


@click.command()
@click.argument("data", type=INPUT)
@click.option("--features", required=True, callback=_names, metavar="A,B,C", help="Names of three features, or two.")
@click.option("-m", "--metric", type=MetricType(), default="nDCG@10", show_default=True, help="Metric to draw.")
@click.option(
    "--normalize", type=NORMALIZATION, default="none", show_default=True, help="Normalization within each query."
)
@click.option(
    "--resolution", type=click.IntRange(2, 300), default=64, show_default=True, help="Number of rows in the triangle."
)
@click.option("-o", "--output", type=OUTPUT, help="Draw to a .png, .svg or .html file.")
@format_options
def surface(
    data: str,
    features: tuple[str, ...],
    metric: Metric,
    normalize: str,
    resolution: int,
    output: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Compute a metric over all nonnegative weights of three features, and find the best weights.

    Weights that sum to 1 fill a triangle; each of its rows is an exact line search. Prints the best weights and the
    share of the triangle that is a plateau, within one standard error of the best. The picture shows the metric as
    colors, the best weights as a star, the plateau outlined, and shaded the region proven to be below it; as .html it
    shows the value under the mouse. With two features, the picture is the exact function of the first one's weight
    (.png or .svg).

    JSON has all values, CSV one cell (or, for two features, one interval) per line.

    \b
    Examples:
      rankmax surface train.txt --features bm25,pagerank,clicks -m AP -o surface.png
      rankmax surface train.txt --features bm25,pagerank,clicks --normalize min-max -o surface.html
      rankmax surface train.txt --features bm25,clicks -m AP -o mixture.svg
    """
    from rankmax.api import surface as api
    from rankmax.workflows.surface.surface_plots import require_picture

    if output is not None:
        require_picture(output)
        if len(features) == 2 and Path(output).suffix.lower() == ".html":
            raise click.UsageError("an .html page shows three features; for two, name a .png or .svg file")
    with working(f"Computing {metric} over {', '.join(features)}", resolution if len(features) == 3 else None) as work:
        found = api.surface(data, features, metric, normalize=normalize, resolution=resolution, callback=work.advance)
        if output is not None:
            _draw(found, output)
    if as_json:
        print_json({"data": data, "normalization": normalize, **_described(found)})
    elif as_csv:
        print_csv(*_table(found))
    else:
        _print(found)
    if output is not None:
        note(f"wrote {output}")


def _draw(found: MetricSurface | MetricSegment, path: str) -> None:
    from rankmax.workflows.surface.metric_surface import MetricSurface

    if isinstance(found, MetricSurface):
        from rankmax.workflows.surface.surface_plots import surface_plot

        surface_plot(found, path)
    else:
        from rankmax.line_search.step_plots import step_plot

        step_plot(found.function, None, (found.features[0], found.metric.name), path)


def _described(found: MetricSurface | MetricSegment) -> dict[str, Any]:
    from rankmax.workflows.surface.metric_surface import MetricSurface

    best = found.optimum
    described = {
        "features": found.features,
        "metric": found.metric.name,
        "optimum": {"weights": best.weights.tolist(), "value": best.value, "standard_error": best.standard_error},
        "plateau_share": found.plateau_share,
    }
    if isinstance(found, MetricSurface):
        described |= {"resolution": found.cells.resolution, "weights": found.points.tolist()}
        if found.proof is not None:
            described |= {"proven_share": [found.proof.at_least, found.proof.at_most]}
        return described | {"values": found.values.tolist(), "plateau": found.plateau.tolist()}
    return described | {"breakpoints": found.function.breakpoints.tolist(), "values": found.function.values.tolist()}


def _table(found: MetricSurface | MetricSegment) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
    from rankmax.workflows.surface.metric_surface import MetricSurface

    if isinstance(found, MetricSurface):
        columns = (*found.points.T.tolist(), found.values.tolist(), found.plateau.astype(int).tolist())
        return (*found.features, "value", "plateau"), zip(*columns, strict=True)
    edges = found.function.edges.tolist()
    return ("low", "high", "value"), zip(edges[:-1], edges[1:], found.function.values.tolist(), strict=True)


def _print(found: MetricSurface | MetricSegment) -> None:
    from rankmax.workflows.surface.metric_surface import MetricSurface

    best = found.optimum
    facts = {
        "metric": found.metric.name,
        "best value": f"{best.value:.6f}",
        **{f"  {name}": f"{weight:.6f}" for name, weight in zip(found.features, best.weights, strict=True)},
        "standard error": f"{best.standard_error:.6f}",
        "plateau": f"{found.plateau_share:.1%} of all weights, at most one standard error below",
    }
    if isinstance(found, MetricSurface) and found.proof is not None:
        facts["proven"] = f"{found.proof.at_least:.1%} to {found.proof.at_most:.1%} of all weights are as good"
    print_facts(facts)
