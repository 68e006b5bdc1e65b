"""A Python function that needs nothing but the standard library."""

from __future__ import annotations

from collections.abc import Sequence

from rankmax.engines.curves import used_curves, used_products
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.formulas import Input, inputs_of, normalizations_of, number
from rankmax.engines.python.source import (
    ABOVE,
    ADDITIVE,
    BY_GROUP,
    BY_NUMBER,
    COLUMN_OF,
    CONSTANT_CURVE,
    EXPECTED_GAIN,
    FITTING,
    FITTING_RANKING,
    LINEAR,
    LINEAR_CURVE,
    NORMALIZATIONS,
    OR_ZERO,
    RANKING,
    SHAPED,
    VARYING,
    VARYING_RANKING,
    WEIGHTED_SUM,
)
from rankmax.engines.query_weights_code import PYTHON_WEIGHTS, python_constants, require_plain, told_of_queries
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedNormalization


def _write(model: AnyModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    normalized = zip(inputs, normalizations_of(model, inputs), strict=True)
    columns = "\n".join(f"        ({_weights(each)}, {_column(each, own)})," for each, own in normalized)
    if isinstance(model, ExpectedGainModel):
        gains, intercepts = ([float(x) for x in array] for array in (model.gains, model.intercepts))
        functions = [EXPECTED_GAIN.format(columns=columns, gains=gains, intercepts=intercepts)]
    else:
        functions = [WEIGHTED_SUM, LINEAR.format(columns=columns)]
    return Export(_module(model, inputs, "", [*functions, RANKING]))


def _write_additive(model: AdditiveModel, destination: Destination) -> Export:
    curves = used_curves(model)
    inputs = [Input(name, None, (1.0,)) for name in curves]
    rows = "".join(f"        {_shaped(name, curve, model.normalization)},\n" for name, curve in curves.items())
    places = {name: place for place, name in enumerate(curves)}
    products = "".join(
        f"    ({places[first]}, {places[second]}, {number(weight)}),\n"
        for first, second, weight in used_products(model)
    )
    constants = f"PRODUCTS = [  # of curves: two of FEATURES by place, and a weight\n{products}]\n"
    kinds = {"linear": LINEAR_CURVE, "constant": CONSTANT_CURVE}
    used = [kinds[kind] for kind in sorted({curve.kind for curve in curves.values()})]
    return Export(_module(model, inputs, "", [*used, SHAPED, ADDITIVE.format(columns=rows), RANKING], constants))


def _shaped(name: str, curve: Curve, normalization: Normalization) -> str:
    column = _column(Input(name, None, (1.0,)), normalization)
    knots, values = (_list([number(x) for x in array.tolist()]) for array in (curve.knots, curve.values))
    retrieved = isinstance(normalization, RetrievedNormalization)
    missing = f", {number(curve.absent)}, column(documents, {name!r})" if retrieved else ""
    return f"shaped({curve.kind}, {knots}, {values}, {column}{missing})"


def _write_varying(model: VaryingModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    columns = "\n".join(f"        {_column(each, model.normalization)}," for each in inputs)
    *rows, otherwise = ([number(weight) for weight in row] for row in zip(*(i.weights for i in inputs), strict=True))
    if model.numbers is None:
        by_group = "".join(f"    {group!r}: {_list(row)},\n" for group, row in zip(model.groups, rows, strict=True))
        table = f"WEIGHTS = {{\n{by_group}}}\nOTHERWISE = {_list(otherwise)}\n"
        chosen = BY_GROUP
    else:
        low, high = map(number, model.numbers)
        table = f"LOWEST = {_list(rows[0])}\nHIGHEST = {_list(rows[1])}\n"
        chosen = BY_NUMBER.format(low=low, high=high)
    functions = [chosen, WEIGHTED_SUM, VARYING.format(columns=columns), VARYING_RANKING]
    also = f", and {model.column!r} of the query"
    return Export(_module(model, inputs, also, functions, f"COLUMN = {model.column!r}\n{table}"))


def _write_query_weights(model: QueryWeightsModel, destination: Destination) -> Export:
    require_plain(model)
    inputs = [Input(name, None, (1.0,)) for name in model.feature_names]  # even of weight 0: lists tell queries apart
    columns = "\n".join(f"        {_column(each, model.normalization)}," for each in inputs)
    told = listed([repr(key) for key in told_of_queries(model)])
    also = f", and a mapping with {told} of the query" if told else ""
    functions = [PYTHON_WEIGHTS, WEIGHTED_SUM, FITTING.format(columns=columns), FITTING_RANKING]
    return Export(_module(model, inputs, also, functions, python_constants(model)))


def _module(
    model: AnyModel | VaryingModel | QueryWeightsModel,
    inputs: list[Input],
    also: str,
    functions: list[str],
    constants: str = "",
) -> str:
    """Return the text of a module: comments, imports, constants, normalizations and functions."""
    indicators = [each.indicator for each in inputs if each.indicator]
    of_model = [model.normalization] if isinstance(model, QueryWeightsModel) else normalizations_of(model, inputs)
    applied = {one.name: one for one in [*of_model, *(indicator.normalization for indicator in indicators)]}.values()
    definitions = [COLUMN_OF]
    if not all(isinstance(normalization, RetrievedNormalization) for normalization in applied):
        definitions.append(OR_ZERO)
    definitions += [NORMALIZATIONS[normalization.name] for normalization in applied if normalization != Unchanged()]
    if indicators:
        definitions.append(ABOVE)
    needed = dict.fromkeys(each.feature for each in inputs)
    before = commented(
        "#",
        heading(model, "Scores of documents"),
        f"Save it as a module. ranking takes all candidate documents of one query{also}: a mapping from the id of each "
        "to a mapping from the names of FEATURES to numbers. A value that is absent, None or NaN means that the system "
        "did not retrieve the document; 0 is a score. Ties are ordered by id, descending. scores takes the documents "
        "as a list; without their ids, ties within a system are ranked in the order of the list.",
    )
    code = constants + "".join(f"\n{definition}" for definition in [*definitions, *functions])
    imports = "".join(f"import {module}\n" for module in ("bisect", "math") if f"{module}." in code)
    return f"{before}\n\n{imports}\nFEATURES = {list(needed)!r}\n{code}"


def _weights(each: Input) -> str:
    weights = [number(weight) for weight in each.weights]
    return weights[0] if len(weights) == 1 else _list(weights)


def _list(numbers: Sequence[str]) -> str:
    return f"[{', '.join(numbers)}]"


def _column(each: Input, normalization: Normalization) -> str:
    column = f"column(documents, {each.feature!r})"
    if each.indicator:
        column = f"above({number(each.indicator.threshold)}, {_normalized(each.indicator.normalization, column)})"
        if isinstance(normalization, RetrievedNormalization):  # which reads 0 as not retrieved
            column = f"[x or None for x in {column}]"
    return _normalized(normalization, column)


def _normalized(normalization: Normalization, column: str) -> str:
    if column.startswith("column(") and not isinstance(normalization, RetrievedNormalization):
        column = f"or_zero({column})"
    if normalization == Unchanged():
        return column
    if normalization.name not in NORMALIZATIONS:
        raise IncompatibleError(f"no Python code is known for the normalization {normalization.name!r}")
    ids = ", ids" if isinstance(normalization, ReciprocalRank) else ""
    parameters = [f", {key}={value!r}" for key, value in normalization.to_dict().items() if key != "name"]
    return f"by_{normalization.name.replace('-', '_')}({column}{ids}{''.join(parameters)})"


PYTHON = Target(
    "python",
    "a Python function",
    _write,
    write_varying=_write_varying,
    write_additive=_write_additive,
    write_query_weights=_write_query_weights,
)
