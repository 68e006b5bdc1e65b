"""A Python function that needs nothing but the standard library."""

from __future__ import annotations

from collections.abc import Sequence

from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.data.retrieved import ReciprocalRank, RetrievedNormalisation
from rankmax.errors import IncompatibleError
from rankmax.export.base import AnyModel, Destination, Export, Target
from rankmax.export.formulas import Input, inputs_of, number
from rankmax.export.python_source import (
    ABOVE,
    BY_GROUP,
    BY_NUMBER,
    COLUMN_OF,
    EXPECTED_GAIN,
    LINEAR,
    NORMALISATIONS,
    OR_ZERO,
    RANKING,
    VARYING,
    VARYING_RANKING,
    WEIGHTED_SUM,
)
from rankmax.export.text import commented, heading
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.models.varying import VaryingModel


def _write(model: AnyModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    columns = "\n".join(f"        ({_weights(each)}, {_column(each, model.normalisation)})," for each in inputs)
    if isinstance(model, ExpectedGainModel):
        gains, intercepts = ([float(x) for x in array] for array in (model.gains, model.intercepts))
        functions = [EXPECTED_GAIN.format(columns=columns, gains=gains, intercepts=intercepts)]
    else:
        functions = [WEIGHTED_SUM, LINEAR.format(columns=columns)]
    return Export(_module(model, inputs, "", [*functions, RANKING]))


def _write_varying(model: VaryingModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    columns = "\n".join(f"        {_column(each, model.normalisation)}," for each in inputs)
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


def _module(
    model: AnyModel | VaryingModel, inputs: list[Input], also: str, functions: list[str], constants: str = ""
) -> str:
    """Return the text of a module: comments, imports, constants, what normalises, and the functions."""
    indicators = [each.indicator for each in inputs if each.indicator]
    applied = dict.fromkeys([model.normalisation, *(indicator.normalisation for indicator in indicators)])
    definitions = [COLUMN_OF]
    if not all(isinstance(normalisation, RetrievedNormalisation) for normalisation in applied):
        definitions.append(OR_ZERO)
    definitions += [NORMALISATIONS[normalisation.name] for normalisation in applied if normalisation != Unchanged()]
    if indicators:
        definitions.append(ABOVE)
    needed = dict.fromkeys(each.feature for each in inputs)
    before = commented(
        "#",
        heading(model, "Scores of documents"),
        f"Save it as a module. ranking takes all candidate documents of one query{also}: a mapping from the id of each "
        "to a mapping from the names of FEATURES to numbers. A name that is absent, None or NaN says that the system "
        "did not retrieve the document; 0 is a score. Equal scores go by id, descending. scores takes the documents "
        "as a list; without their ids, equal scores within a system are ranked in that order.",
    )
    code = constants + "".join(f"\n{definition}" for definition in [*definitions, *functions])
    imports = "".join(f"import {module}\n" for module in ("bisect", "math") if f"{module}." in code)
    return f"{before}\n\n{imports}\nFEATURES = {list(needed)!r}\n{code}"


def _weights(each: Input) -> str:
    weights = [number(weight) for weight in each.weights]
    return weights[0] if len(weights) == 1 else _list(weights)


def _list(numbers: Sequence[str]) -> str:
    return f"[{', '.join(numbers)}]"


def _column(each: Input, normalisation: Normalisation) -> str:
    column = f"column(documents, {each.feature!r})"
    if each.indicator:
        column = f"above({number(each.indicator.threshold)}, {_normalised(each.indicator.normalisation, column)})"
        if isinstance(normalisation, RetrievedNormalisation):  # to which 0 is what was not retrieved
            column = f"[x or None for x in {column}]"
    return _normalised(normalisation, column)


def _normalised(normalisation: Normalisation, column: str) -> str:
    if column.startswith("column(") and not isinstance(normalisation, RetrievedNormalisation):
        column = f"or_zero({column})"
    if normalisation == Unchanged():
        return column
    if normalisation.name not in NORMALISATIONS:
        raise IncompatibleError(f"no Python code is known for the normalisation {normalisation.name!r}")
    ids = ", ids" if isinstance(normalisation, ReciprocalRank) else ""
    parameters = [f", {key}={value!r}" for key, value in normalisation.to_dict().items() if key != "name"]
    return f"by_{normalisation.name.replace('-', '_')}({column}{ids}{''.join(parameters)})"


PYTHON = Target("python", "a Python function", _write, write_varying=_write_varying)
