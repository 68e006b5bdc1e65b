"""A SQL query: common table expressions and window functions of standard SQL.

A step of a normalisation is an expression of the last step's column x and the column raw that it began with, over the
documents of a query, the window w. Window functions do not nest, so each step is a common table expression.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.errors import IncompatibleError
from rankmax.export.base import AnyModel, Destination, Export, Target
from rankmax.export.formulas import Input, inputs_of, number, weighted_sum
from rankmax.export.text import commented, heading, listed
from rankmax.models import LinearModel
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.models.varying import VaryingModel

_WINDOW = "OVER (PARTITION BY query)"
_STEPS = {
    "min-max": [
        "COALESCE(({x} - MIN({x}) {w}) / NULLIF(MAX({x}) {w} - MIN({x}) {w}, 0), 0.0)",
    ],
    "z-score": [
        "CASE WHEN MIN({x}) {w} < MAX({x}) {w} THEN {x} - AVG({x}) {w} ELSE 0.0 END",
        "COALESCE({x} / NULLIF(SQRT(AVG({x} * {x}) {w}), 0), 0.0)",
    ],
    "percentile": [
        "CUME_DIST() OVER (PARTITION BY query ORDER BY {x})",
    ],
    "sum": [
        "COALESCE({x} / NULLIF(SUM(ABS({x})) {w}, 0), 0.0)",
    ],
    # Of what was retrieved: 0 becomes NULL, which MIN, MAX, AVG, SUM and COUNT do not see.
    "l2": [
        "COALESCE({x} / NULLIF(SQRT(SUM({x} * {x}) {w}), 0), 0.0)",
    ],
    "retrieved-min-max": [
        "NULLIF({x}, 0)",
        "CASE WHEN {x} IS NULL THEN 0.0 WHEN MIN({x}) {w} = MAX({x}) {w} THEN 1.0 "
        "ELSE ({x} - MIN({x}) {w}) / (MAX({x}) {w} - MIN({x}) {w}) END",
    ],
    "elasticsearch-min-max": [
        "NULLIF({x}, 0)",
        "CASE WHEN {x} IS NULL THEN 0.0 WHEN MAX({x}) {w} - MIN({x}) {w} < 0.000001 THEN 1.0 "
        "ELSE ({x} - MIN({x}) {w}) / (MAX({x}) {w} - MIN({x}) {w}) END",
    ],
    "opensearch-min-max": [
        "NULLIF({x}, 0)",
        "CASE WHEN {x} IS NULL THEN 0.0 WHEN MIN({x}) {w} = MAX({x}) {w} THEN 1.0 WHEN {x} = MIN({x}) {w} THEN 0.001 "
        "ELSE ({x} - MIN({x}) {w}) / (MAX({x}) {w} - MIN({x}) {w}) END",
    ],
    "retrieved-z-score": [
        "NULLIF({x}, 0)",
        "CASE WHEN MIN({x}) {w} < MAX({x}) {w} THEN {x} - AVG({x}) {w} ELSE 0.0 END",
        "COALESCE(COALESCE({x}, MIN({x}) {w}) / NULLIF(SQRT(AVG({x} * {x}) {w}), 0), 0.0)",
    ],
    "opensearch-z-score": [
        "NULLIF({x}, 0)",
        "CASE WHEN {x} = MIN({x}) {w} AND {x} = MAX({x}) {w} THEN 0.0 ELSE {x} - AVG({x}) {w} END",
        "CASE WHEN {x} IS NULL THEN 0.0 WHEN {x} = 0 THEN MAX(NULLIF({raw}, 0)) {w} WHEN {x} < 0 THEN 0.001 "
        "ELSE {x} / SQRT(SUM({x} * {x}) {w} / (COUNT({x}) {w} - 1)) END",
    ],
    "reciprocal-rank": [
        "CASE WHEN {x} = 0 THEN 0.0 ELSE 1.0 / ({k} + ROW_NUMBER() OVER "
        "(PARTITION BY query, CASE WHEN {x} = 0 THEN 0 ELSE 1 END ORDER BY {x} DESC)) END",
    ],
}
_LEAST_LOGIT = -700  # whose exponential some engines take for an underflow


class _Steps:
    """A chain of common table expressions, each with all columns of the last and some more.

    The first keeps no column but query and document, so that no feature can have the name of a computed column.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        self._expressions: list[str] = []
        self._n_columns = 0

    def add(self, expressions: Mapping[str, str]) -> dict[str, str]:
        """Compute columns from those there are; return the name of each."""
        names = {}
        for key in expressions:
            self._n_columns += 1
            names[key] = f"x{self._n_columns}"
        columns = "".join(f",\n    {expressions[key]} AS {name}" for key, name in names.items())
        kept = f"{self.table}.*" if self._expressions else "query, document"
        step = f"step{len(self._expressions) + 1}"
        self._expressions.append(f"{step} AS (\n  SELECT {kept}{columns}\n  FROM {self.table}\n)")
        self.table = step
        return names

    def normalise(self, columns: Mapping[str, str], normalisation: Normalisation) -> dict[str, str]:
        """Normalise columns within queries; return the names of the results."""
        if normalisation == Unchanged():
            return dict(columns)
        if normalisation.name not in _STEPS:
            raise IncompatibleError(f"no SQL is known for the normalisation {normalisation.name!r}")
        parameters = {key: number(value) for key, value in normalisation.to_dict().items() if key != "name"}
        names = dict(columns)
        for template in _STEPS[normalisation.name]:
            names = self.add(
                {key: template.format(x=name, raw=columns[key], w=_WINDOW, **parameters) for key, name in names.items()}
            )
        return names

    def select(self, score: str) -> str:
        """Return the whole query."""
        steps = f"WITH {', '.join(self._expressions)}\n" if self._expressions else ""
        return f"{steps}SELECT query, document, {score} AS score\nFROM {self.table}\nORDER BY query, score DESC;\n"


def _write(model: AnyModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    features = list(dict.fromkeys(each.feature for each in inputs))
    steps = _Steps("candidates")
    raw = {feature: _quoted(feature) for feature in features}
    _check_names(features)
    if not isinstance(model, LinearModel) or model.normalisation != Unchanged() or any(e.indicator for e in inputs):
        raw = steps.add({feature: f"1.0 * {column}" for feature, column in raw.items()})  # no division of integers
    values = _values(steps, inputs, raw, model.normalisation)
    if isinstance(model, ExpectedGainModel):
        score = _expected_gain(steps, model, inputs, values)
    else:
        score = weighted_sum((each.weights[0], value) for each, value in zip(inputs, values, strict=True))
    return Export(f"{_explained(model, features)}\n{steps.select(score)}")


def _write_varying(model: VaryingModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    features = list(dict.fromkeys(each.feature for each in inputs))
    if model.column in features:
        raise IncompatibleError(f"a table cannot have two columns called {model.column!r}: rename that of the topics")
    _check_names([*features, model.column])
    steps = _Steps("candidates")
    own = _quoted(model.column)
    if model.numbers is None:
        own = f"CAST({own} AS CHAR(255))"  # where groups are numbers
    else:
        low, high = map(number, model.numbers)
        share = f"({own} - {low}) / ({high} - {low})"
        own = f"CASE WHEN {own} <= {low} THEN 0.0 WHEN {own} >= {high} THEN 1.0 ELSE {share} END"
    raw = steps.add({**{feature: f"1.0 * {_quoted(feature)}" for feature in features}, model.column: own})
    of_query = raw.pop(model.column)
    values = _values(steps, inputs, raw, model.normalisation)
    *sums, otherwise = (
        weighted_sum(zip(row, values, strict=True)) for row in zip(*(each.weights for each in inputs), strict=True)
    )
    if model.numbers is not None:
        score = f"(1.0 - {of_query}) * ({sums[0]}) + {of_query} * ({sums[1]})"
    else:
        cases = "".join(f"WHEN {_text(group)} THEN {total} " for group, total in zip(model.groups, sums, strict=True))
        score = f"CASE {of_query} {cases}ELSE {otherwise} END"
    return Export(f"{_explained(model, [*features, model.column])}\n{steps.select(score)}")


def _explained(model: AnyModel | VaryingModel, columns: list[str]) -> str:
    return commented(
        "--",
        heading(model, "Ranking of documents in SQL"),
        "The table candidates has a row for each query and document that is to be ranked, with columns query, "
        f"document, {listed([_quoted(column) for column in columns])}. Window functions and common table "
        "expressions are those of the standard: PostgreSQL, SQLite, DuckDB, MySQL 8 (with ANSI_QUOTES) and others "
        "know them.",
    )


def _check_names(columns: list[str]) -> None:
    if any(column.casefold() in ("query", "document") for column in columns):
        raise IncompatibleError(
            "a table cannot have a feature called query or document beside the columns of that name"
        )


def _values(steps: _Steps, inputs: list[Input], raw: Mapping[str, str], normalisation: Normalisation) -> list[str]:
    """Return the column or expression of each input: normalised, compared with its threshold, normalised again."""
    keys = [each.indicator.name if each.indicator else each.feature for each in inputs]
    values = dict(zip(keys, (raw[each.feature] for each in inputs), strict=True))
    indicators = {key: each.indicator for key, each in zip(keys, inputs, strict=True) if each.indicator}
    for kind in dict.fromkeys(indicator.normalisation for indicator in indicators.values()):
        bases = {i.feature: raw[i.feature] for i in indicators.values() if i.normalisation == kind}
        normalised = steps.normalise(bases, kind)
        for key, indicator in indicators.items():
            if indicator.normalisation == kind:
                compared = f"{normalised[indicator.feature]} > {number(indicator.threshold)}"
                values[key] = f"CASE WHEN {compared} THEN 1.0 ELSE 0.0 END"
    if normalisation != Unchanged():
        if indicators:
            values |= steps.add({key: values[key] for key in indicators})
        values = steps.normalise(values, normalisation)
    return [values[key] for key in keys]


def _expected_gain(steps: _Steps, model: ExpectedGainModel, inputs: list[Input], values: list[str]) -> str:
    levels = {
        str(level): weighted_sum(
            ((each.weights[level], value) for each, value in zip(inputs, values, strict=True)),
            constant=float(intercept),
        )
        for level, intercept in enumerate(model.intercepts)
    }
    logits = list(steps.add(levels).values())
    largest = "".join(
        f"WHEN {' AND '.join(f'{logit} >= {other}' for other in logits[i + 1 :])} THEN {logit} "
        for i, logit in enumerate(logits[:-1])
    )
    top = steps.add({"top": f"CASE {largest}ELSE {logits[-1]} END"})["top"]
    likelihoods = list(
        steps.add(
            {
                logit: f"CASE WHEN {logit} - {top} > {_LEAST_LOGIT} THEN EXP({logit} - {top}) ELSE 0.0 END"
                for logit in logits
            }
        ).values()
    )
    gains = weighted_sum(zip(model.gains.tolist(), likelihoods, strict=True))
    return f"({gains}) / ({' + '.join(likelihoods)})"


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _text(value: str) -> str:
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


SQL = Target("sql", "SQL", _write, write_varying=_write_varying)
