"""A SQL query that ranks a table of candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from rankmax.engines.curves import piece_text, pieces, used_curves, used_products
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.formulas import Input, inputs_of, normalizations_of, weighted_sum
from rankmax.engines.query_weights_code import require_plain
from rankmax.engines.sql.dialect import ANY, MYSQL, POSTGRESQL, Dialect, double, text
from rankmax.engines.sql.fitting_weights import fitting_weights, told_columns, told_key
from rankmax.engines.sql.steps import Steps
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.ranking_model import RankingModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.run_normalization import RetrievedNormalization

_LEAST_LOGIT = "-700"  # some databases report an underflow for exponentials of less


def _write(dialect: Dialect, model: AnyModel, destination: Destination) -> Export:
    features = list(dict.fromkeys(each.feature for each in inputs_of(model)))
    return Export(f"{_explained(model, dialect, features)}\n{ranked(model, dialect)}")


def ranked(model: AnyModel, dialect: Dialect, first: Sequence[str] = (), limit: int | None = None) -> str:
    """Return the query that ranks the table candidates.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or AdditiveModel
    dialect : Dialect
    first : sequence of str
        Common table expressions to begin with, of which one may be candidates.
    limit : int, optional
        Number of rows to return; all by default.
    """
    if isinstance(model, AdditiveModel):
        return _ranked_by_curves(model, Steps(dialect, first), limit)
    inputs = inputs_of(model)
    features = list(dict.fromkeys(each.feature for each in inputs))
    _check_names(features)
    steps = Steps(dialect, first)
    raw = steps.begin(features, {}, missing=_sees_missing(model, inputs))
    values = _values(steps, inputs, raw, normalizations_of(model, inputs))
    if isinstance(model, ExpectedGainModel):
        score = _expected_gain(steps, model, inputs, values)
    else:
        score = weighted_sum(
            ((each.weights[0], value) for each, value in zip(inputs, values, strict=True)), written=double
        )
    return steps.select(score, limit)


def _write_additive(dialect: Dialect, model: AdditiveModel, destination: Destination) -> Export:
    return Export(f"{_explained(model, dialect, list(used_curves(model)))}\n{ranked(model, dialect)}")


def _ranked_by_curves(model: AdditiveModel, steps: Steps, limit: int | None) -> str:
    curves = used_curves(model)
    _check_names(list(curves))
    sees_missing = isinstance(model.normalization, RetrievedNormalization)
    raw = steps.begin(list(curves), {}, missing=sees_missing)
    values = steps.normalize(raw, model.normalization)
    found = steps.add(
        {name: _case(curve, values[name], raw[name] if sees_missing else None) for name, curve in curves.items()}
    )
    products = [f"{found[first]} * {found[second]} * {double(w)}" for first, second, w in used_products(model)]
    return steps.select(" + ".join([*found.values(), *products]), limit)


def _case(curve: Curve, x: str, raw: str | None) -> str:
    """Return a curve's value at x, the intervals in their order; NULL in the raw column is a document without value."""
    *inner, last = pieces(curve)
    whens = [
        f"WHEN {x} <= {double(knot)} THEN {piece_text(each, x, double)}"
        for knot, each in zip(curve.knots, inner, strict=True)
    ]
    if raw is not None:
        whens.insert(0, f"WHEN {raw} IS NULL THEN {double(curve.absent)}")
    return f"CASE {' '.join(whens)} ELSE {piece_text(last, x, double)} END" if whens else piece_text(last, x, double)


def _write_varying(dialect: Dialect, model: VaryingModel, destination: Destination) -> Export:
    inputs = inputs_of(model)
    features = list(dict.fromkeys(each.feature for each in inputs))
    if model.column in features:
        raise IncompatibleError(f"a table cannot have two columns called {model.column!r}: rename that of the topics")
    _check_names([*features, model.column])
    steps = Steps(dialect)
    own = dialect.name(model.column)
    if model.numbers is None:
        own = dialect.by_bytes.format(x=own)  # a text also where groups are numbers
    else:
        low, high = model.numbers
        share = f"({dialect.double.format(x=own)} - {double(low)}) / {double(high - low)}"
        own = f"CASE WHEN {own} <= {double(low)} THEN 0e0 WHEN {own} >= {double(high)} THEN 1e0 ELSE {share} END"
    raw = steps.begin(features, {model.column: own}, missing=_sees_missing(model, inputs))
    of_query = raw.pop(model.column)
    values = _values(steps, inputs, raw, normalizations_of(model, inputs))
    if model.numbers is not None:
        terms = [
            f"((1e0 - {of_query}) * {double(each.weights[0])} + {of_query} * {double(each.weights[1])}) * {value}"
            for each, value in zip(inputs, values, strict=True)
        ]
        score = " + ".join(terms)
    else:
        *sums, otherwise = (
            weighted_sum(zip(row, values, strict=True), written=double)
            for row in zip(*(each.weights for each in inputs), strict=True)
        )
        cases = "".join(f"WHEN {text(group)} THEN {total} " for group, total in zip(model.groups, sums, strict=True))
        score = f"CASE {of_query} {cases}ELSE {otherwise} END"
    return Export(f"{_explained(model, dialect, [*features, model.column])}\n{steps.select(score)}")


def _write_query_weights(dialect: Dialect, model: QueryWeightsModel, destination: Destination) -> Export:
    require_plain(model)
    systems = list(model.feature_names)
    told = told_columns(model)
    _check_names([*systems, *told])
    steps = Steps(dialect)
    queries = {told_key(name): dialect.double.format(x=dialect.name(name)) for name in told}
    raw = steps.begin(systems, queries, missing=isinstance(model.normalization, RetrievedNormalization))
    weights = fitting_weights(steps, model, raw)
    values = steps.normalize({name: raw[name] for name in systems}, model.normalization)
    score = " + ".join(f"{weight} * {values[name]}" for name, weight in zip(systems, weights, strict=True))
    return Export(f"{_explained(model, dialect, [*systems, *told], told)}\n{steps.select(score)}")


def _explained(model: RankingModel, dialect: Dialect, columns: list[str], told: Sequence[str] = ()) -> str:
    return commented(
        "--",
        heading(model, f"Ranking of documents in {dialect.title}"),
        "The table candidates has a row for each query and document that is to be ranked, with columns query, "
        f"document, {listed([dialect.name(column) for column in columns])}. NULL means that a system did not retrieve "
        "the document, as an outer join of the systems' results gives it; 0 is a score.",
        *(
            [f"Of the query, and told by whoever asks: {listed([dialect.name(name) for name in told])}."]
            if told
            else []
        ),
        dialect.databases,
    )


def _check_names(columns: list[str]) -> None:
    folded = [column.casefold() for column in columns]
    if "query" in folded or "document" in folded:
        raise IncompatibleError(
            "a table cannot have a feature called query or document beside the columns of that name"
        )
    for i, name in enumerate(folded):
        if name in folded[:i]:
            raise IncompatibleError(
                f"a table cannot have columns called {columns[folded.index(name)]!r} and {columns[i]!r}: rename one"
            )


def _sees_missing(model: AnyModel | VaryingModel, inputs: list[Input]) -> bool:
    """Return whether a normalization looks only at retrieved documents."""
    applied = [model.normalization, *(each.indicator.normalization for each in inputs if each.indicator)]
    return any(isinstance(normalization, RetrievedNormalization) for normalization in applied)


def _values(
    steps: Steps, inputs: list[Input], raw: Mapping[str, str], normalizations: list[Normalization]
) -> list[str]:
    """Return the column or expression of each input: normalized, compared with its threshold, normalized again."""
    keys = [each.indicator.name if each.indicator else each.feature for each in inputs]
    values = dict(zip(keys, (raw[each.feature] for each in inputs), strict=True))
    indicators = {key: each.indicator for key, each in zip(keys, inputs, strict=True) if each.indicator}
    normalization = normalizations[0]  # they differ in parameters alone
    otherwise = "NULL" if isinstance(normalization, RetrievedNormalization) else "0e0"
    for kind in dict.fromkeys(indicator.normalization for indicator in indicators.values()):
        bases = {i.feature: raw[i.feature] for i in indicators.values() if i.normalization == kind}
        normalized = steps.normalize(bases, kind)
        for key, indicator in indicators.items():
            if indicator.normalization == kind:
                compared = f"{normalized[indicator.feature]} > {double(indicator.threshold)}"
                values[key] = f"CASE WHEN {compared} THEN {steps.dialect.one} ELSE {otherwise} END"
    if normalization == Unchanged():
        plain = {key: column for key, column in values.items() if key not in indicators}
        return [(values | steps.normalize(plain, normalization))[key] for key in keys]
    if indicators:
        values |= steps.add({key: values[key] for key in indicators})
    own = dict(zip(keys, normalizations, strict=True))
    for one in dict.fromkeys(normalizations):
        values |= steps.normalize({key: value for key, value in values.items() if own[key] == one}, one)
    return [values[key] for key in keys]


def _expected_gain(steps: Steps, model: ExpectedGainModel, inputs: list[Input], values: list[str]) -> str:
    levels = {
        str(level): weighted_sum(
            ((each.weights[level], value) for each, value in zip(inputs, values, strict=True)),
            constant=float(intercept),
            written=double,
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
                logit: f"CASE WHEN {logit} - {top} > {_LEAST_LOGIT} THEN EXP({logit} - {top}) ELSE 0e0 END"
                for logit in logits
            }
        ).values()
    )
    gains = weighted_sum(zip(model.gains.tolist(), likelihoods, strict=True), written=double)
    return f"({gains}) / ({' + '.join(likelihoods)})"


def _target(name: str, dialect: Dialect) -> Target:
    return Target(
        name,
        dialect.title,
        partial(_write, dialect),
        write_varying=partial(_write_varying, dialect),
        write_additive=partial(_write_additive, dialect),
        write_query_weights=partial(_write_query_weights, dialect),
    )


SQL = _target("sql", ANY)
SQL_OF_POSTGRESQL = _target("postgresql", POSTGRESQL)
SQL_OF_MYSQL = _target("mysql", MYSQL)
