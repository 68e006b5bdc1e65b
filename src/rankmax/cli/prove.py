"""`rankmax prove`: proven optimal weights for a few features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.output import note, print_facts, print_json, working
from rankmax.cli.saving import save_or_rescue
from rankmax.cli.shared_options import INPUT, NORMALIZATION, OUTPUT, MetricType

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric
    from rankmax.optimizers.proof import ProofProgress
    from rankmax.workflows.proofs.certificate import Certificate
    from rankmax.workflows.proofs.region import NearBest

_INTERRUPTED = 130  # the exit status that shells report for Ctrl-C


def _names(_: click.Context, __: click.Parameter, listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(name.strip() for name in listed.split(","))


def _bounds(_: click.Context, __: click.Parameter, listed: str | None) -> dict[str, tuple[float, float]] | None:
    if listed is None:
        return None
    bounds = {}
    for one in listed.split(","):
        name, _equals, ends = one.rpartition("=")
        low, _colon, high = ends.partition(":")
        try:
            bounds[name.strip()] = float(low), float(high or low)
        except ValueError:
            raise click.BadParameter(f"{one.strip()!r} is not of the form NAME=LOW:HIGH, or NAME=FIXED") from None
    return bounds


@click.command()
@click.argument("data", type=INPUT)
@click.option("--features", callback=_names, metavar="A,B,...", help="Names of up to six features.  [default: all]")
@click.option("-m", "--metric", type=MetricType(), default="nDCG@10", show_default=True, help="Metric to maximize.")
@click.option(
    "--normalize", type=NORMALIZATION, default="none", show_default=True, help="Normalization within each query."
)
@click.option(
    "--space",
    type=click.Choice(["simplex", "euclidean"]),
    default="simplex",
    show_default=True,
    help="Constraint on the weights: nonnegative (simplex) or any sign (euclidean).",
)
@click.option(
    "--bounds",
    callback=_bounds,
    metavar="A=LOW:HIGH,...",
    help="Bounds of every weight, instead of --space; only ratios matter, so fix one: bm25=1,clicks=0:3.",
)
@click.option(
    "--gap",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Largest allowed difference between the proven bound and the best value.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Time limit in seconds; the remaining gap is reported.",
)
@click.option("-o", "--output", type=OUTPUT, help="Certificate to write (JSON), for `rankmax verify`.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.pass_context
def prove(
    ctx: click.Context,
    /,
    data: str,
    features: tuple[str, ...] | None,
    metric: Metric,
    normalize: str,
    space: str,
    bounds: dict[str, tuple[float, float]] | None,
    gap: float,
    time_limit: float,
    output: str | None,
    as_json: bool,
) -> None:
    """Find the weights with the highest metric over all queries of DATA, and prove that none are better.

    Cuts the space of weights into cells and bounds the metric in each, until no cell can hold better weights. Two or
    three features take seconds, four may take minutes, more often end with a gap: no weights are better than the best
    found by more than that.

    \b
    Examples:
      rankmax prove train.txt --features bm25,pagerank,clicks -m AP -o certificate.json
      rankmax prove fused.npz --normalize min-max --gap 0.001 --time-limit 300
      rankmax prove train.txt --features bm25,clicks,age --bounds bm25=1,clicks=0:3,age=-1:1
      rankmax verify certificate.json train.txt
    """
    from rankmax.api import prove as api
    from rankmax.formats.registry import read_dataset
    from rankmax.workflows.proofs.region import near_best

    if bounds is not None and ctx.get_parameter_source("space") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("--bounds replace a --space; give one of the two")
    judged = read_dataset(data)
    with working(f"Searching for a high {metric}") as work:

        def show(progress: ProofProgress) -> None:
            work.say(
                f"{metric} {progress.value:.4f}, at most {progress.bound:.4f}: {progress.n_cells:,} cells, "
                f"{max(0.0, time_limit - progress.seconds):.0f} s left"
            )

        certificate = api.prove(
            judged,
            metric,
            features=features,
            normalize=normalize,
            space=space if bounds is None else None,
            bounds=bounds,
            gap=gap,
            time_limit=time_limit,
            callback=show,
        )
        if output is not None:
            output = save_or_rescue(certificate, output)
        work.say("Surveying the weights within one standard error")
        near = near_best(certificate, judged)
    if as_json:
        print_json({"data": data, **certificate.to_dict(), "near_best": _described(certificate, near)})
    else:
        print_facts({**certificate.facts, **_facts(certificate, near)})
    if output is not None:
        note(f"wrote {output}; check it: rankmax verify {output} {data}")
    if certificate.stopped_by == "interrupted":
        note("stopped early: this is the proof so far")
        ctx.exit(_INTERRUPTED)


def _described(certificate: Certificate, near: NearBest) -> dict[str, object]:
    rounded = None if near.rounded is None else dict(zip(certificate.features, near.rounded.tolist(), strict=True))
    return {
        "standard_error": near.standard_error,
        "level": near.level,
        "share": [near.at_least, near.at_most],
        "rounded": rounded,
    }


def _facts(certificate: Certificate, near: NearBest) -> dict[str, str]:
    shares = f"{near.at_least:.1%} to {near.at_most:.1%}"
    facts = {
        "plateau": f"{shares} of all weights are within one standard error ({near.standard_error:.6f}) of the best"
    }
    if near.rounded is not None:
        listed = (f"{name} {weight:g}" for name, weight in zip(certificate.features, near.rounded, strict=True))
        facts["such as"] = ", ".join(listed)
    return facts
