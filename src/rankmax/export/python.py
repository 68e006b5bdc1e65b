"""A Python function that needs nothing but the standard library."""

from __future__ import annotations

from collections.abc import Sequence

from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.errors import IncompatibleError
from rankmax.export.base import AnyModel, Destination, Export, Target
from rankmax.export.formulas import Input, inputs_of, number
from rankmax.export.text import commented, heading
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.models.varying import VaryingModel

# Each maps the values of one query's documents, as the class of that name in rankmax.data does.
_NORMALISATIONS = {
    "min-max": """
def by_min_max(values):
    low, high = min(values), max(values)
    return [(x - low) / (high - low) if low < high else 0.0 for x in values]
""",
    "z-score": """
def by_z_score(values):
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values))
    return [(x - mean) / deviation if min(values) < max(values) else 0.0 for x in values]
""",
    "percentile": """
def by_percentile(values):
    in_order = sorted(values)
    return [bisect.bisect_right(in_order, x) / len(values) for x in values]
""",
    "sum": """
def by_sum(values):
    total = math.fsum(map(abs, values))
    return [x / total if total else 0.0 for x in values]
""",
    "l2": """
def by_l2(values):
    length = math.hypot(*values)
    return [x / length if length else 0.0 for x in values]
""",
    "retrieved-min-max": """
def by_retrieved_min_max(values):  # 0: not retrieved
    found = [x for x in values if x]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [0.0 if not x else (x - low) / (high - low) if low < high else 1.0 for x in values]
""",
    "elasticsearch-min-max": """
def by_elasticsearch_min_max(values):  # 0: not retrieved
    found = [x for x in values if x]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [0.0 if not x else (x - low) / (high - low) if high - low >= 1e-6 else 1.0 for x in values]
""",
    "opensearch-min-max": """
def by_opensearch_min_max(values):  # 0: not retrieved
    found = [x for x in values if x]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [0.0 if not x else (x - low) / (high - low) or 0.001 if low < high else 1.0 for x in values]
""",
    "retrieved-z-score": """
def by_retrieved_z_score(values):  # 0: not retrieved
    found = [x for x in values if x]
    if not found or min(found) == max(found):
        return [0.0] * len(values)
    mean = math.fsum(found) / len(found)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in found) / len(found))
    return [((x or min(found)) - mean) / deviation for x in values]
""",
    "opensearch-z-score": """
def by_opensearch_z_score(values):  # 0: not retrieved
    found = [x for x in values if x]
    if not found or min(found) == max(found):
        return values
    mean = math.fsum(found) / len(found)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in found) / (len(found) - 1))
    return [0.0 if not x else max(found) if x == mean else max((x - mean) / deviation, 0.001) for x in values]
""",
    "reciprocal-rank": """
def by_reciprocal_rank(values, k):  # 0: not retrieved
    order = sorted((i for i, x in enumerate(values) if x), key=lambda i: -values[i])
    rank = {i: place for place, i in enumerate(order, 1)}
    return [1.0 / (k + rank[i]) if i in rank else 0.0 for i in range(len(values))]
""",
}
_ABOVE = """
def above(threshold, values):
    return [1.0 if x > threshold else 0.0 for x in values]
"""
_LINEAR = """
def scores(documents):
    \"\"\"Return the score of each document; higher is better.\"\"\"
    if not documents:
        return []

    def feature(name):
        return [float(document[name]) for document in documents]

    weighted = [
{columns}
    ]
    return [math.fsum(weight * column[i] for weight, column in weighted) for i in range(len(documents))]
"""
_EXPECTED_GAIN = """
GAINS = {gains}
INTERCEPTS = {intercepts}


def scores(documents):
    \"\"\"Return the expected gain of each document; higher is better.\"\"\"
    if not documents:
        return []

    def feature(name):
        return [float(document[name]) for document in documents]

    weighted = [  # by as many weights as there are gains
{columns}
    ]
    found = []
    for i in range(len(documents)):
        logits = [
            intercept + math.fsum(weights[level] * column[i] for weights, column in weighted)
            for level, intercept in enumerate(INTERCEPTS)
        ]
        likelihoods = [math.exp(logit - max(logits)) for logit in logits]
        found.append(math.fsum(map(lambda gain, share: gain * share, GAINS, likelihoods)) / math.fsum(likelihoods))
    return found
"""
_BY_NUMBER = """
def weights(number):
    \"\"\"Return the weights of a query, by its COLUMN.\"\"\"
    share = min(max((float(number) - {low}) / ({high} - {low}), 0.0), 1.0)
    return [(1 - share) * low + share * high for low, high in zip(LOWEST, HIGHEST)]
"""
_BY_GROUP = """
def weights(group):
    \"\"\"Return the weights of a query, by its COLUMN.\"\"\"
    return WEIGHTS.get(str(group), OTHERWISE)
"""
_VARYING = """
def scores(documents, value):
    \"\"\"Return the score of each document of a query with this value of COLUMN; higher is better.\"\"\"
    if not documents:
        return []

    def feature(name):
        return [float(document[name]) for document in documents]

    columns = [
{columns}
    ]
    weighted = list(zip(weights(value), columns))
    return [math.fsum(weight * column[i] for weight, column in weighted) for i in range(len(documents))]
"""


def _write(model: AnyModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    columns = "\n".join(f"        ({_weights(each)}, {_column(each, model.normalisation)})," for each in inputs)
    if isinstance(model, ExpectedGainModel):
        gains, intercepts = ([float(x) for x in array] for array in (model.gains, model.intercepts))
        body = _EXPECTED_GAIN.format(columns=columns, gains=gains, intercepts=intercepts)
    else:
        body = _LINEAR.format(columns=columns)
    return Export(_module(model, inputs, "all candidate documents of one query", [body]))


def _write_varying(model: VaryingModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    columns = "\n".join(f"        {_column(each, model.normalisation)}," for each in inputs)
    *rows, otherwise = ([number(weight) for weight in row] for row in zip(*(i.weights for i in inputs), strict=True))
    if model.numbers is None:
        by_group = "".join(f"    {group!r}: {_list(row)},\n" for group, row in zip(model.groups, rows, strict=True))
        table = f"WEIGHTS = {{\n{by_group}}}\nOTHERWISE = {_list(otherwise)}\n"
        chosen = _BY_GROUP
    else:
        low, high = map(number, model.numbers)
        table = f"LOWEST = {_list(rows[0])}\nHIGHEST = {_list(rows[1])}\n"
        chosen = _BY_NUMBER.format(low=low, high=high)
    arguments = f"all candidate documents of one query and its {model.column!r}"
    weigh = _VARYING.format(columns=columns)
    return Export(_module(model, inputs, arguments, [chosen, weigh], f"COLUMN = {model.column!r}\n{table}"))


def _module(
    model: AnyModel | VaryingModel, inputs: list[Input], arguments: str, functions: list[str], constants: str = ""
) -> str:
    """Return the text of a module: comments, imports, constants, what normalises, and the functions."""
    indicators = [each.indicator for each in inputs if each.indicator]
    applied = dict.fromkeys([model.normalisation.name, *(indicator.normalisation.name for indicator in indicators)])
    definitions = [_NORMALISATIONS[name] for name in applied if name != Unchanged.name]
    if indicators:
        definitions.append(_ABOVE)
    needed = dict.fromkeys(each.feature for each in inputs)
    before = commented(
        "#",
        heading(model, "Scores of documents"),
        f"Save it as a module and call scores with {arguments}, each document a mapping from the names of FEATURES to "
        "numbers.",
    )
    imports = ["bisect"] * ("percentile" in applied) + ["math"]
    text = before + "\n\n" + "".join(f"import {module}\n" for module in imports) + f"\nFEATURES = {list(needed)!r}\n"
    return text + constants + "".join(f"\n{definition}" for definition in [*definitions, *functions])


def _weights(each: Input) -> str:
    weights = [number(weight) for weight in each.weights]
    return weights[0] if len(weights) == 1 else _list(weights)


def _list(numbers: Sequence[str]) -> str:
    return f"[{', '.join(numbers)}]"


def _column(each: Input, normalisation: Normalisation) -> str:
    column = f"feature({each.feature!r})"
    if each.indicator:
        column = f"above({number(each.indicator.threshold)}, {_normalised(each.indicator.normalisation, column)})"
    return _normalised(normalisation, column)


def _normalised(normalisation: Normalisation, column: str) -> str:
    if normalisation == Unchanged():
        return column
    if normalisation.name not in _NORMALISATIONS:
        raise IncompatibleError(f"no Python code is known for the normalisation {normalisation.name!r}")
    parameters = [f", {key}={value!r}" for key, value in normalisation.to_dict().items() if key != "name"]
    return f"by_{normalisation.name.replace('-', '_')}({column}{''.join(parameters)})"


PYTHON = Target("python", "a Python function", _write, write_varying=_write_varying)
