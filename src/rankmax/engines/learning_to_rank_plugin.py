"""The linear models of the Learning to Rank plugin, which Elasticsearch and OpenSearch share.

The plugin computes in single precision, feature by feature in the order of the feature set:

    score(d) = Σ_j weight_j · normalized_j(x_j(d)),    normalized(x) = (x - minimum) / (maximum - minimum), if asked for

A range belongs to a feature, not to a query, so it changes no ranking, unlike min-max normalization within queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from rankmax.engines.export_target import AnyModel, Destination, Export, Request
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.query_templates import WORDS
from rankmax.engines.requirements import engine_normalization, linear_terms, within_float32


def plugin_export(model: AnyModel, destination: Destination, engine: str, console: str) -> Export:
    """Return the request that stores a model with the plugin, and a search that uses it.

    Parameters
    ----------
    model : LinearModel
    destination : Destination
    engine : str
        Name of the engine in comments.
    console : str
        Name of the console that takes requests.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> model = LinearModel([0.3, 0.7], ("title_bm25", "clicks"))
    >>> request = plugin_export(model, Destination("shop"), "OpenSearch", "Dev Tools").requests[0]
    >>> request.path
    '_ltr/_featureset/rankmax/_createmodel'
    >>> request.body["model"]["model"]["definition"]
    '{"title_bm25":0.3,"clicks":0.7}'
    """
    title = f"{engine}'s Learning to Rank plugin"
    weights = linear_terms(model, title)
    engine_normalization(model, title, {"none": "none"})
    weights, ranges = scaled(weights, destination.ranges or {})
    stored: dict[str, Any] = {"type": "model/linear"}
    if ranges:
        stored["feature_normalizers"] = {
            name: {"min_max": {"minimum": low, "maximum": high}} for name, (low, high) in ranges.items()
        }
    stored["definition"] = msgspec.json.encode(within_float32(weights)).decode()
    create = Request(
        "POST",
        f"_ltr/_featureset/{quote(destination.feature_set, safe='')}/_createmodel",
        {"model": {"name": destination.name, "model": stored}},
    )
    lexical = [name for name in weights if destination.template(name).kind_of(name) == "lexical"]
    field = next(filter(None, (destination.template(name).field for name in lexical)), "YOUR-FIELD")
    use = Request("POST", "YOUR-INDEX/_search", _search(destination.name, field))
    sinking = (
        " Documents below the window keep a score of 0, and this model's scores may be negative: let the window hold "
        "every document that you show."
        if any(weight < 0 for weight in weights.values()) or ranges
        else ""
    )
    before = commented(
        "#",
        heading(model, f"Linear model for {title}"),
        f"Paste into {console}, or send with rankmax export --push. The feature set {destination.feature_set!r} must "
        f"exist and have features named {listed(list(weights))}, which give the values that the model was trained on.",
    )
    after = commented(
        "#",
        "Then rerank by it. With query_weight 0 the model alone decides." + sinking,
    )
    return Export(f"{before}\n{create.text}\n\n{after}\n{use.text}\n", (create,))


def scaled(
    weights: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return weights for features scaled to [0, 1], and the ranges of those that can be scaled.

    w x = w (high - low) · (x - low) / (high - low) + w low, and the last term is the same for all documents.

    Parameters
    ----------
    weights : mapping from feature name to weight
    ranges : mapping from feature name to (lowest, highest)

    Examples
    --------
    >>> scaled({"clicks": 0.5, "age": 1.0}, {"clicks": (100.0, 300.0), "age": (2.0, 2.0)})
    ({'clicks': 100.0, 'age': 1.0}, {'clicks': (100.0, 300.0)})
    """
    used = {name: ranges[name] for name in weights if name in ranges and ranges[name][0] < ranges[name][1]}
    larger = {name: w * (used[name][1] - used[name][0]) if name in used else w for name, w in weights.items()}
    return larger, used


def _search(name: str, field: str) -> dict[str, Any]:
    return {
        "query": {"match": {field: WORDS}},
        "rescore": {
            "window_size": 1000,
            "query": {
                "query_weight": 0,
                "rescore_query_weight": 1,
                "rescore_query": {"sltr": {"model": name, "params": {"keywords": WORDS}}},
            },
        },
    }
