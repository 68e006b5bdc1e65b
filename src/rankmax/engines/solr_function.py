"""Apache Solr's function queries: a model as sums, products and decisions between constants, in single precision.

Scores may not be negative: as in script_score, the lowest possible one is taken off, and a weighted sum s becomes
s + 1, or 1 / (1 - s) below 0. A document without a value has 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rankmax.engines.curves import (
    Piece,
    decided,
    lowest_score,
    require_plain_features,
    used_curves,
    used_products,
)
from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading
from rankmax.engines.formulas import number
from rankmax.engines.query_templates import WORDS
from rankmax.engines.requirements import engine_normalization, linear_terms
from rankmax.engines.score_sources import ScoreSources, score_sources
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.ranking_model import RankingModel

_TITLE = "Solr's function queries"
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    engine_normalization(model, _TITLE, {"none": "none"})
    sources = score_sources(weights, destination, _TITLE)
    terms = [f"product({number(weight)},${_value(place)})" for place, weight in enumerate(weights.values())]
    functions = {"sum": _sum(terms), "score": "if(gte($sum,0),sum($sum,1),div(1,sub(1,$sum)))"}
    return _written(model, functions, sources)


def _write_additive(model: AdditiveModel, destination: Destination) -> Export:
    require_plain_features(model, _TITLE)
    curves = used_curves(model)
    sources = score_sources(curves, destination, _TITLE)
    functions = {}
    places = {name: f"curve{place}" for place, name in enumerate(curves, 1)}
    for place, (name, curve) in enumerate(curves.items()):
        x = f"${_value(place)}"
        functions[places[name]] = decided(curve, partial(_piece, x), partial(_split, x))
    products = [f"product(${places[one]},${places[two]},{number(w)})" for one, two, w in used_products(model)]
    terms = [number(-min(lowest_score(model), 0.0)), *(f"${name}" for name in places.values()), *products]
    return _written(model, {**functions, "score": _sum(terms)}, sources)


def _piece(x: str, piece: Piece) -> str:
    if not piece.rise:
        return number(piece.value)
    share = f"div(sub({x},{number(piece.start)}),{number(piece.length)})"
    return f"sum({number(piece.value)},product({number(piece.rise)},{share}))"


def _split(x: str, knot: float, low: str, high: str) -> str:
    return f"if(lte({x},{number(knot)}),{low},{high})"


def _sum(terms: list[str]) -> str:
    return f"sum({','.join(terms)})" if len(terms) > 1 else terms[0]


def _value(place: int) -> str:
    return f"value{place + 1}"


def _written(model: RankingModel, functions: dict[str, str], sources: ScoreSources) -> Export:
    values = {
        _value(place): "query($words,0)" if field is None else f'def(field("{_quoted(field)}"),0)'
        for place, field in enumerate(sources.fields.values())
    }
    found: dict[str, Any] = {"words": f"{{!edismax qf={sources.text_field} v=$q.words}}", "q.words": WORDS}
    parameters = {**found, **values, **functions}
    search = Request(
        "POST",
        "solr/YOUR-COLLECTION/query",
        {"query": "{!func v=$score}", "filter": "{!query v=$words}", "fields": "id,score", "params": parameters},
    )
    own = next((name for name, field in sources.fields.items() if field is None), None)
    before = commented(
        "#",
        heading(model, f"Search with {_TITLE}"),
        "Nothing is stored in the engine: this is the body of each search. The filter chooses the documents, the "
        "function ranks them. Features are numeric fields of the index"
        + ("" if own is None else f", but for {own!r}, which is the score of the words")
        + ". Name their fields with --templates where they have other names. Scores are the model's but for what "
        "keeps them from being negative.",
    )
    return Export(f"{before}\n{search.text}\n", search=search)


def _quoted(field: str) -> str:
    return "".join(_ESCAPED.get(c, c) for c in field)


SOLR_FUNCTION = Target("solr-function", _TITLE, _write, write_additive=_write_additive)
