"""`rankmax surface`: a metric over all weights of three features."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax.cli.output import note, print_blocks, print_csv, print_json, working
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
        print_json({"data": data, "normalization": normalize, **found.to_dict()})
    elif as_csv:
        print_csv(found.columns, found.rows())
    else:
        print_blocks(found.blocks)
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
