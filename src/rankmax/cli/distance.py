"""`rankmax distance`: the distance between two models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmax.cli.output import print_facts, print_json
from rankmax.cli.shared_options import INPUT

if TYPE_CHECKING:
    from rankmax.models import LinearModel


@click.command()
@click.argument("first", metavar="MODEL", type=INPUT)
@click.argument("second", metavar="MODEL", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def distance(first: str, second: str, as_json: bool) -> None:
    """Compare the weights of two models by feature name; a feature that a model lacks has weight 0.

    Like rankings, the distances do not depend on the scale of the weights: the cosine distance goes from 0 to
    2 (opposite), the geodesic distance, for nonnegative weights, from 0 to pi (no feature in common).

    \b
    Examples:
      rankmax distance old.json new.json
      rankmax distance fold1.json fold2.json --json
    """
    from rankmax.api import distance as api
    from rankmax.errors import InvalidDataError
    from rankmax.models import LinearModel

    models = {path: LinearModel.load(path) for path in dict.fromkeys((first, second))}
    for path, model in models.items():
        if not model.weights.any():
            raise InvalidDataError(f"{path}: every weight is 0; such a model ranks nothing and has no distance")
    a, b = models[first], models[second]
    found = api.distance(a, b)
    negative = [described for path, model in models.items() if (described := _negative(path, model))]
    differs = [] if a.normalization == b.normalization else [_normalizations(a, b)]
    if as_json:
        print_json({"models": [first, second], **found.to_dict(), "notes": [*negative, *differs]})
        return
    facts = found.facts
    if found.geodesic is None:
        facts["geodesic distance"] = f"none: {'; '.join(negative)}"
    if found.rank_equivalent is None:
        facts["rank equivalent"] = f"unknown from weights: {_normalizations(a, b)}"
    print_facts(facts)


def _negative(path: str, model: LinearModel) -> str | None:
    """Return a clause on the most negative weight of a model, if it has any."""
    worst = int(model.weights.argmin())
    if model.weights[worst] >= 0:
        return None
    return f"{path} has negative weights ({model.feature_names[worst]} {model.weights[worst]:.6g})"


def _normalizations(a: LinearModel, b: LinearModel) -> str:
    return f"the models normalize features differently ({a.normalization.name} and {b.normalization.name})"
