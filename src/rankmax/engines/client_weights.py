"""Client-side functions that return the weights for a request, for engines that cannot compute them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmax.engines.export_target import AnyModel, Export, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.query_weights_code import (
    JAVASCRIPT_WEIGHTS,
    PYTHON_WEIGHTS,
    javascript_constants,
    python_constants,
    require_plain,
    told_of_queries,
)
from rankmax.engines.requirements import linear_terms
from rankmax.errors import IncompatibleError
from rankmax.fusion.engine_normalizations import spoken
from rankmax.models.query_weights_model import QueryWeightsModel


def _constant(write: Callable[[QueryWeightsModel], Export], title: str, model: AnyModel) -> Export:
    """Write weights that do not vary, so that an application can ask for its weights in one way."""
    weights = linear_terms(model, title)
    negative = [name for name, weight in weights.items() if weight < 0]
    if negative:
        raise IncompatibleError(
            f"{title} returns nonnegative weights, and that of {negative[0]!r} is {weights[negative[0]]:g}: learn with "
            "--space simplex, or export to python or sql"
        )
    same = QueryWeightsModel(
        (),
        np.empty(0),
        np.empty(0),
        np.array(list(weights.values())),
        np.empty((0, len(weights))),
        tuple(weights),
        model.normalization,
        model.metric,
    )
    return write(same)


def _in_python(model: QueryWeightsModel) -> Export:
    return Export(f"{_explained('#', model)}\n\nimport math\n\n{python_constants(model)}\n{PYTHON_WEIGHTS.rstrip()}\n")


def _in_javascript(model: QueryWeightsModel) -> Export:
    return Export(f"{_explained('//', model)}\n\n{javascript_constants(model)}{JAVASCRIPT_WEIGHTS}")


def _explained(mark: str, model: QueryWeightsModel) -> str:
    require_plain(model)
    moving = [model.query_features[k] for k in sorted(model.moving)]
    told = told_of_queries(model)
    by_lists = any(not one.needs_topics for one in moving)
    needs = [
        "what each system found for the query (ask for it first, or take it from a first request)" if by_lists else "",
        f"{listed([repr(key) for key in told])} of the query" if told else "",
    ]
    takes = f"takes {' and '.join(filter(None, needs))}, and returns" if any(needs) else "returns"
    return commented(
        mark,
        heading(model, "Weights for one request of a hybrid search"),
        f"Needs nothing but the language. weights(lists, query) {takes} a weight for each of SYSTEMS. Put them into "
        f"the request; the engine adds up {spoken(model.normalization)} scores. They have no fixed sum: divide by it "
        "where the engine wants shares.",
    )


def _target(name: str, title: str, write: Callable[[QueryWeightsModel], Export]) -> Target:
    return Target(
        name,
        title,
        lambda model, destination: _constant(write, title, model),
        write_query_weights=lambda model, destination: write(model),
    )


PYTHON_CLIENT = _target("client-python", "a client's Python function for the weights", _in_python)
JAVASCRIPT_CLIENT = _target("client-javascript", "a client's JavaScript function for the weights", _in_javascript)
