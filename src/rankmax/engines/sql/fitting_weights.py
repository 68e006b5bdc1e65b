"""Weights that fit the query in SQL: window functions compute the query features from the candidates' scores.

A list is a column that is NULL where a document is not among the first 100 of its system. Each step computes columns
from those of the steps before, over the documents of a query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from rankmax.engines.sql.dialect import double
from rankmax.engines.sql.steps import WINDOW, Steps
from rankmax.models.query_weights_model import FARTHEST, QueryWeightsModel
from rankmax.preprocessing.query_features import LIST_LENGTH, TOP

_Columns = Mapping[int, str]


def told_columns(model: QueryWeightsModel) -> list[str]:
    """Return the columns that must be told of each query: features of its text, and columns of the user.

    Parameters
    ----------
    model : QueryWeightsModel
    """
    return [one.name for k in sorted(model.moving) if (one := model.query_features[k]).needs_topics]


def told_key(name: str) -> str:
    """Return the key of such a column among those of the first step; no system has it, as no name has its character.

    Parameters
    ----------
    name : str
    """
    return f"\0{name}"


def fitting_weights(steps: Steps, model: QueryWeightsModel, raw: Mapping[str, str]) -> list[str]:
    """Add steps that compute the weight of each system for each query, and return their columns.

    Parameters
    ----------
    steps : Steps
    model : QueryWeightsModel
    raw : mapping of str to str
        Columns of the systems' scores, and of what is told of queries under :func:`told_key`.
    """
    moving = sorted(model.moving)
    values = _of_lists(steps, model, moving, [raw[name] for name in model.feature_names])
    for k in moving:
        if model.query_features[k].needs_topics:
            values[k] = raw[told_key(model.query_features[k].name)]
    scaled = steps.add(
        {k: f"({values[k]} - ({double(model.means[k])})) / {double(model.deviations[k])}" for k in moving}
    )
    most = double(FARTHEST)
    z = steps.add(
        {
            k: f"CASE WHEN {x} > {most} THEN {most} WHEN {x} < -{most} THEN -{most} ELSE {x} END"
            for k, x in scaled.items()
        }
    )
    systems = range(len(model.feature_names))
    linear = steps.add(
        {
            j: " + ".join([double(model.weights[j]), *(f"{z[k]} * ({double(model.variation[k, j])})" for k in moving)])
            for j in systems
        }
    )
    positive = " OR ".join(f"{x} > 0" for x in linear.values())
    fitting = {
        j: f"CASE WHEN {x} > 0 THEN {x} WHEN {positive} THEN 0e0 ELSE {double(model.weights[j])} END"
        for j, x in linear.items()
    }
    return list(steps.add(fitting).values())


def _of_lists(steps: Steps, model: QueryWeightsModel, moving: Sequence[int], columns: Sequence[str]) -> dict[int, str]:
    """Return an expression for each query feature that lists tell."""
    chosen = {k: one for k in moving if not (one := model.query_features[k]).needs_topics}
    if not chosen:
        return {}
    every = range(len(columns))
    of = {k: [model.feature_names.index(one.of)] if one.of else list(every) for k, one in chosen.items()}
    own = steps.add({j: f"NULLIF({columns[j]}, 0)" for j in every})
    document = steps.dialect.by_bytes.format(x="document")
    ranks = steps.add(
        {
            j: f"ROW_NUMBER() OVER (PARTITION BY query, CASE WHEN {own[j]} IS NULL THEN 0 ELSE 1 END "
            f"ORDER BY {own[j]} DESC, {document} DESC)"
            for j in every
        }
    )
    lists = steps.add({j: f"CASE WHEN {ranks[j]} <= {LIST_LENGTH} THEN {own[j]} END" for j in every})
    kinds = {one.kind for one in chosen.values()}
    statistics = {kind: add(steps, lists, ranks) for kind, add in _STATISTICS.items() if kind in kinds}
    shared = {kind: _shared(steps, lists, ranks, kind) for kind in ("overlap", "agreement") if kind in kinds}
    return {
        k: shared[one.kind] if one.kind in shared else _mean([statistics[one.kind][j] for j in of[k]])
        for k, one in chosen.items()
    }


def _gap(steps: Steps, lists: _Columns, ranks: _Columns) -> _Columns:
    low, high = _ends(steps, lists)
    second = steps.add({j: f"MAX(CASE WHEN {ranks[j]} = 2 THEN {x} END) {WINDOW}" for j, x in lists.items()})
    gaps = {j: f"({high[j]} - {second[j]}) / ({high[j]} - {low[j]})" for j in lists}
    return steps.add({j: f"CASE WHEN {high[j]} > {low[j]} THEN {x} ELSE 0e0 END" for j, x in gaps.items()})


def _entropy(steps: Steps, lists: _Columns, ranks: _Columns) -> _Columns:
    low, high = _ends(steps, lists)
    n = steps.add({j: f"COUNT({x}) {WINDOW}" for j, x in lists.items()})
    heights = steps.add(
        {j: f"CASE WHEN {x} > {low[j]} THEN ({x} - {low[j]}) / ({high[j]} - {low[j]}) END" for j, x in lists.items()}
    )
    total = steps.add({j: f"SUM({x}) {WINDOW}" for j, x in heights.items()})
    shares = steps.add({j: f"{x} / {total[j]}" for j, x in heights.items()})
    sums = steps.add({j: f"SUM(CASE WHEN {x} > 0 THEN {x} * LN({x}) END) {WINDOW}" for j, x in shares.items()})
    return steps.add(
        {
            j: f"CASE WHEN {high[j]} > {low[j]} THEN ABS({x}) / LN({steps.dialect.one} * {n[j]}) ELSE 1e0 END"
            for j, x in sums.items()
        }
    )


def _deviation(steps: Steps, lists: _Columns, ranks: _Columns) -> _Columns:
    mean = steps.add({j: f"AVG({x}) {WINDOW}" for j, x in lists.items()})
    squares = steps.add({j: f"({x} - {mean[j]}) * ({x} - {mean[j]})" for j, x in lists.items()})
    return steps.add({j: f"COALESCE(SQRT(AVG({x}) {WINDOW}), 0e0)" for j, x in squares.items()})


_STATISTICS = {"gap": _gap, "entropy": _entropy, "deviation": _deviation}


def _ends(steps: Steps, lists: _Columns) -> tuple[_Columns, _Columns]:
    low = steps.add({j: f"MIN({x}) {WINDOW}" for j, x in lists.items()})
    return low, steps.add({j: f"MAX({x}) {WINDOW}" for j, x in lists.items()})


def _shared(steps: Steps, lists: _Columns, ranks: _Columns, kind: str) -> str:
    """Return the mean over pairs of lists of the documents that they share."""
    pairs = list(combinations(lists, 2))
    if not pairs:
        return "0e0"
    counted = lists
    if kind == "agreement":
        counted = steps.add({j: f"CASE WHEN {ranks[j]} <= {TOP} THEN {x} END" for j, x in lists.items()})
    one = steps.dialect.one
    both = steps.add(
        {(a, b): f"{one} * COUNT(CASE WHEN {counted[a]} IS NOT NULL THEN {counted[b]} END) {WINDOW}" for a, b in pairs}
    )
    if kind == "agreement":
        return _mean([f"{x} / {TOP}" for x in both.values()])
    n = steps.add({j: f"COUNT({x}) {WINDOW}" for j, x in counted.items()})
    shares = {(a, b): f"COALESCE({x} / NULLIF({n[a]} + {n[b]} - {x}, 0), 0e0)" for (a, b), x in both.items()}
    return _mean(list(steps.add(shares).values()))


def _mean(expressions: Sequence[str]) -> str:
    return expressions[0] if len(expressions) == 1 else f"({' + '.join(expressions)}) / {double(len(expressions))}"
