"""Searches of Elasticsearch or OpenSearch that compute a model: script_score in Painless, and function_score.

A document without a value has 0, as in the data that rankmax reads. Scores may not be negative. From those of an
additive model the lowest possible one is taken off; a weighted sum s, which has no lowest value, becomes s + 1, or
1 / (1 - s) below 0. Neither changes a ranking.

script_score computes any curves, in double precision. function_score adds up weights of ranges of fields, or fields
times nonnegative weights, without a script; it has no straight lines and no products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmax.engines.curves import lowest_score, require_plain_features, require_steps, used_curves, used_products
from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading
from rankmax.engines.query_templates import WORDS
from rankmax.engines.requirements import engine_normalization, linear_terms, require_nonnegative
from rankmax.engines.score_sources import ScoreSources, score_sources
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.models.ranking_model import RankingModel

_SCRIPT = "script_score of Elasticsearch and OpenSearch"
_FUNCTIONS = "function_score of Elasticsearch and OpenSearch"
_AT = """double at(double x, List knots, List values, boolean steps) {
  int low = 0;
  int high = knots.size();
  while (low < high) {
    int middle = (low + high) / 2;
    if (knots.get(middle) < x) { low = middle + 1; } else { high = middle; }
  }
  if (steps) { return values.get(low); }
  if (low == 0) { return values.get(0); }
  if (low == knots.size()) { return values.get(low - 1); }
  double share = (x - knots.get(low - 1)) / (knots.get(low) - knots.get(low - 1));
  return values.get(low - 1) + (values.get(low) - values.get(low - 1)) * share;
}
"""
_SUM = """double total = 0;
double[] found = new double[params.curves.size()];
for (int i = 0; i < found.length; ++i) {
  Map curve = params.curves.get(i);
  double x = 0;
  FIND
  found[i] = at(x, curve.knots, curve.values, curve.steps);
  total += found[i];
}
for (Map product : params.products) {
  total += found[product.first] * found[product.second] * product.weight;
}
return Math.max(total - params.lowest, 0);
"""
_WEIGHTED = """double total = 0;
for (Map term : params.terms) {
  double x = 0;
  FIND
  total += term.weight * x;
}
return total >= 0 ? total + 1 : 1 / (1 - total);
"""
_OF_FIELD = "if (doc.containsKey(curve.field) && doc[curve.field].size() > 0) { x = doc[curve.field].value; }"
_OF_SCORE = "if (curve.field == null) { x = _score; } else "


def _write_weights(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _SCRIPT)
    engine_normalization(model, _SCRIPT, {"none": "none"})
    sources = score_sources(weights, destination, _SCRIPT)
    terms = [{"field": sources.fields[name], "weight": weight} for name, weight in weights.items()]
    source = _WEIGHTED.replace("FIND", _found(sources).replace("curve", "term"))
    return _script(model, source, {"terms": terms}, sources)


def _write_script(model: AdditiveModel, destination: Destination) -> Export:
    require_plain_features(model, _SCRIPT)
    curves = used_curves(model)
    sources = score_sources(curves, destination, _SCRIPT)
    places = {name: place for place, name in enumerate(curves)}
    parameters = {
        "lowest": min(lowest_score(model), 0.0),
        "curves": [
            {
                "field": sources.fields[name],
                "steps": curve.kind == "constant",
                "knots": curve.knots.tolist(),
                "values": curve.values.tolist(),
            }
            for name, curve in curves.items()
        ],
        "products": [
            {"first": places[first], "second": places[second], "weight": weight}
            for first, second, weight in used_products(model)
        ],
    }
    return _script(model, _AT + _SUM.replace("FIND", _found(sources)), parameters, sources)


def _found(sources: ScoreSources) -> str:
    return (_OF_SCORE if None in sources.fields.values() else "") + _OF_FIELD


def _script(model: RankingModel, source: str, parameters: dict[str, Any], sources: ScoreSources) -> Export:
    query = {"match": {sources.text_field: WORDS}}
    body = {"query": {"script_score": {"query": query, "script": {"source": source, "params": parameters}}}}
    return _written(model, _SCRIPT, body, sources)


def _write_factors(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _FUNCTIONS)
    engine_normalization(model, _FUNCTIONS, {"none": "none"})
    require_nonnegative(weights, _FUNCTIONS)
    sources = score_sources(weights, destination, _FUNCTIONS)
    own = [weights[name] for name, field in sources.fields.items() if field is None]
    functions = [
        {"field_value_factor": {"field": field, "factor": weights[name], "missing": 0}}
        for name, field in sources.fields.items()
        if field is not None
    ]
    boosted = {"query": WORDS, "boost": own[0]} if own else WORDS
    return _functions(model, functions, boosted, "sum" if own else "replace", sources)


def _functions(
    model: RankingModel, functions: list[dict[str, Any]], words: Any, boost_mode: str, sources: ScoreSources
) -> Export:
    always = {"weight": 1.0}  # where no function matches, the score would be that of the query
    scored = {
        "query": {"match": {sources.text_field: words}},
        "functions": [always, *functions],
        "score_mode": "sum",
        "boost_mode": boost_mode,
    }
    return _written(model, _FUNCTIONS, {"query": {"function_score": scored}}, sources)


def _write_functions(model: AdditiveModel, destination: Destination) -> Export:
    require_steps(model, _FUNCTIONS, "script-score")
    curves = used_curves(model)
    sources = score_sources(curves, destination, _FUNCTIONS)
    functions: list[dict[str, Any]] = []
    for name, curve in curves.items():
        field = sources.fields[name]
        if field is None:
            raise IncompatibleError(
                f"{_FUNCTIONS} cannot compare the score of the query, as {name!r} seems to be, with thresholds: export "
                "to script-score"
            )
        functions += _ranges(curve, field)
    return _functions(model, functions, WORDS, "replace", sources)


def _ranges(curve: Curve, field: str) -> list[dict[str, Any]]:
    """Return a weight for each interval in which the curve is above its lowest value, equal neighbors joined."""
    values = (curve.values - curve.values.min()).tolist()
    at_zero = float(curve.at(np.zeros(1))[0] - curve.values.min())
    if curve.kind == "linear":  # it is flat
        values = values[:1]
    knots = curve.knots.tolist() if len(values) > 1 else []
    borders = [None, *knots, None]
    joined: list[tuple[float | None, float | None, float]] = []
    for low, high, value in zip(borders, borders[1:], values, strict=False):
        if joined and joined[-1][2] == value:
            joined[-1] = (joined[-1][0], high, value)
        else:
            joined.append((low, high, value))
    found = []
    for low, high, value in joined:
        if value:
            limits = {name: limit for name, limit in (("gt", low), ("lte", high)) if limit is not None}
            span: dict[str, Any] = {"range": {field: limits}} if limits else {"exists": {"field": field}}
            found.append({"filter": span, "weight": value})
    if at_zero:
        found.append({"filter": {"bool": {"must_not": {"exists": {"field": field}}}}, "weight": at_zero})
    return found


def _written(model: RankingModel, title: str, body: dict[str, Any], sources: ScoreSources) -> Export:
    search = Request("POST", "YOUR-INDEX/_search", body)
    own = next((name for name, field in sources.fields.items() if field is None), None)
    before = commented(
        "#",
        heading(model, f"Search with {title}"),
        "Nothing is stored in the engine: this is the body of each search. Features are numeric fields of the index"
        + ("" if own is None else f", but for {own!r}, which is the score of the query itself")
        + ". Name their fields with --templates where they have other names. All documents that the query finds get "
        "a score, which is the model's but for what keeps it from being negative.",
    )
    return Export(f"{before}\n{search.text}\n", search=search)


SCRIPT_SCORE = Target("script-score", _SCRIPT, _write_weights, write_additive=_write_script)
FUNCTION_SCORE = Target("function-score", _FUNCTIONS, _write_factors, write_additive=_write_functions)
