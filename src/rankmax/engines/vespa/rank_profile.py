"""A Vespa schema with a rank profile.

Ranking expressions are computed in double precision and know sums, products, comparisons and exponentials, so weighted
sums, thresholds and expected gains are ranked on the content nodes, in the first phase. Functions of all documents of
a query, normalize_linear and reciprocal_rank, wait for the global phase, over the documents that are reranked.

Whichever operator of the query finds a document, Vespa computes all of its features: none is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial, reduce

from rankmax.engines.curves import Piece, decided, piece_text, require_plain_features, used_curves, used_products
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.export_text import commented, heading, listed, printable
from rankmax.engines.formulas import Input, identifiers, inputs_of, number, weighted_sum
from rankmax.engines.requirements import engine_normalization, linear_terms
from rankmax.engines.vespa.schema import Schema, block
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.ranking_model import RankingModel
from rankmax.preprocessing.feature_normalization import Unchanged

_TITLE = "Vespa"
_RECIPROCAL = "if ({x} == 0, 0, reciprocal_rank({x}, {k}))"  # 0 means that the document was not retrieved
_LINEAR = "normalize_linear({x})"
_NORMALIZERS = {"none": "{x}", "min-max": _LINEAR, "retrieved-min-max": _LINEAR, "reciprocal-rank": _RECIPROCAL}
_RERANKED = 1000
_SERVICES = """#
#   <services version="1.0">
#     <container id="default" version="1.0"><search/><document-api/><document-processing/></container>
#     <content id="content" version="1.0">
#       <min-redundancy>1</min-redundancy>
#       <documents><document type="{name}" mode="index"/></documents>
#       <nodes><node distribution-key="0" hostalias="node1"/></nodes>
#     </content>
#   </services>
"""
_PROFILE_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def _write(model: AnyModel, destination: Destination) -> Export:
    _check_name(destination)
    normalizer = engine_normalization(model, _TITLE, _NORMALIZERS, "rankmax tune --engine vespa")
    globally = model.normalization != Unchanged()
    if globally:
        linear_terms(model, f"{_TITLE}'s global phase")  # which normalizes functions, not expressions of them
    inputs = inputs_of(model)
    functions = identifiers((each.feature for each in inputs), "feature_")
    values = [_value(each, functions[each.feature]) for each in inputs]
    parameters = {key: number(value) for key, value in model.normalization.to_dict().items() if key != "name"}
    values = [normalizer.format(x=value, **parameters) for value in values]
    schema = Schema()
    blocks = _features(functions, schema, destination)
    if isinstance(model, ExpectedGainModel):
        logits, score = _expected_gain(model, inputs, values)
        blocks += [_block(f"function {name}()", f"expression: {logit}") for name, logit in logits.items()]
    else:
        score = weighted_sum((each.weights[0], value) for each, value in zip(inputs, values, strict=True))
    if globally:
        blocks += [
            _block("first-phase", f"expression: {' + '.join(functions.values())}"),
            _block("global-phase", f"expression: {score}", f"rerank-count: {_RERANKED}"),
        ]
    else:
        blocks.append(_block("first-phase", f"expression: {score}"))
    return _written(model, destination, schema, blocks, globally=globally)


def _write_additive(model: AdditiveModel, destination: Destination) -> Export:
    _check_name(destination)
    require_plain_features(model, f"{_TITLE}'s first phase")
    curves = used_curves(model)
    functions, shapes = identifiers(curves, "feature_"), identifiers(curves, "curve_")
    schema = Schema()
    blocks = _features(functions, schema, destination)
    for name, curve in curves.items():
        x = functions[name]
        expression = decided(curve, partial(_piece, x), partial(_split, x))
        blocks.append(_block(f"function {shapes[name]}()", f"expression: {expression}"))
    products = [f"{shapes[first]} * {shapes[second]} * {number(w)}" for first, second, w in used_products(model)]
    blocks.append(_block("first-phase", f"expression: {' + '.join([*shapes.values(), *products])}"))
    return _written(model, destination, schema, blocks, globally=False)


def _piece(x: str, piece: Piece) -> str:
    return piece_text(piece, x, number)


def _split(x: str, knot: float, low: str, high: str) -> str:
    return f"if ({x} <= {number(knot)}, {low}, {high})"


def _check_name(destination: Destination) -> None:
    if not _PROFILE_NAME.fullmatch(destination.name):
        raise IncompatibleError(
            f"a rank profile cannot be called {destination.name!r}: "
            f"give it a --name of letters, digits, _ and - that begins with a letter"
        )


def _features(functions: Mapping[str, str], schema: Schema, destination: Destination) -> list[str]:
    """Return a function for each feature."""
    return [
        f"        # {printable(' '.join(feature.split()))}\n"  # not behind the expression, which ends with its line
        + _block(
            f"function {function}()",
            f"expression: {schema.expression(feature, function, destination.template(feature))}",
        )
        for feature, function in functions.items()
    ]


def _written(
    model: RankingModel, destination: Destination, schema: Schema, blocks: list[str], *, globally: bool
) -> Export:
    before = commented(
        "#",
        heading(model, "Schema and rank profile for Vespa"),
        "Each function must compute the feature named above it, as the model was trained on it. Where that name is "
        "not a rank feature such as bm25(title), the expression is a guess: change it here, or once for all exports "
        f"with --templates. Search with ranking={destination.name}. In a schema that you have, only the rank profile "
        "is needed.",
        "Vespa computes every feature of every candidate, whichever part of the query found it. Runs lack documents: "
        "a model learned from runs counts 0 for a document that a system did not retrieve, where Vespa computes its "
        "score.",
        *(
            [
                f"The global phase normalizes over the {_RERANKED} best documents of the first phase (rerank-count): "
                "choose a first phase that finds the documents that the model was trained on."
            ]
            if globally
            else []
        ),
        *([f"Vectors come with the query: {listed(list(schema.inputs))}; check their types."] if schema.inputs else []),
        f"To deploy it as it is, save it as schemas/{destination.name.replace('-', '_')}.sd, beside services.xml:",
    )
    services = _SERVICES.format(name=destination.name.replace("-", "_"))
    return Export(f"{before}\n{services}{schema.text(destination.name, ''.join(blocks))}")


def _value(each: Input, function: str) -> str:
    """Return the expression to weigh: a feature's function, or whether it exceeds a threshold."""
    if each.indicator is None:
        return function
    if each.indicator.normalization != Unchanged():
        raise IncompatibleError(
            f"{_TITLE} cannot normalize before it compares, as {each.indicator.name!r} asks: "
            f"bin features as they are, or export to python or sql"
        )
    return f"if ({function} > {number(each.indicator.threshold)}, 1, 0)"


def _expected_gain(model: ExpectedGainModel, inputs: list[Input], values: list[str]) -> tuple[dict[str, str], str]:
    """Return functions for the log-likelihood of each grade and their maximum, and the expected gain based on them."""
    names = [f"logit_{level}" for level in range(model.grades.size)]
    functions = {
        name: weighted_sum(
            ((each.weights[level], value) for each, value in zip(inputs, values, strict=True)),
            constant=float(model.intercepts[level]),
        )
        for level, name in enumerate(names)
    }
    functions["largest_logit"] = reduce(lambda others, name: f"max({others}, {name})", names)
    likelihoods = [f"exp({name} - largest_logit)" for name in names]
    gains = weighted_sum(zip(model.gains.tolist(), likelihoods, strict=True))
    return functions, f"({gains}) / ({' + '.join(likelihoods)})"


def _block(head: str, *lines: str) -> str:
    return block(8, head, *lines)


VESPA = Target("vespa", _TITLE, _write, write_additive=_write_additive)
