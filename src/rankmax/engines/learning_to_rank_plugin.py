"""The models of the Learning to Rank plugin, which Elasticsearch and OpenSearch share.

The plugin computes in single precision, feature by feature in the order of the feature set:

    score(d) = Σ_j weight_j · normalized_j(x_j(d)),    normalized(x) = (x - minimum) / (maximum - minimum), if asked for

A range belongs to a feature, not to a query, so it changes no ranking, unlike min-max normalization within queries.

A sum of trees is written as XGBoost dumps it: a value goes to "yes" if it is less than the split condition. Newer
versions send a feature without a value to "missing", which is where 0 goes, as older ones took 0 for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np

from rankmax.engines.curves import trees_of_curves
from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.query_templates import WORDS
from rankmax.engines.requirements import engine_normalization, linear_terms, within_float32
from rankmax.engines.tree_ensembles import engine_trees, floored, folded, within_single
from rankmax.errors import counted
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.trees.structure import Tree


def plugin_target(engine: str, console: str) -> Target:
    """Return the plugin as an export target.

    Parameters
    ----------
    engine : str
        Name of the engine.
    console : str
        Name of the console that takes requests, in comments.
    """
    title = f"{engine}'s Learning to Rank plugin"

    def write(model: AnyModel, destination: Destination) -> Export:
        return plugin_export(model, destination, engine, console)

    def write_trees(model: TreeEnsembleModel, destination: Destination) -> Export:
        return plugin_trees(model, destination, engine, console)

    def write_additive(model: AdditiveModel, destination: Destination) -> Export:
        trees, remark = trees_of_curves(model, title, "script-score")
        return plugin_trees(trees, destination, engine, console, remark)

    name = f"{engine.lower()}-ltr"
    return Target(name, title, write, scales=True, write_trees=write_trees, write_additive=write_additive)


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
    create = _creation(destination, stored)
    below_zero = any(weight < 0 for weight in weights.values()) or bool(ranges)
    return _written(
        create, heading(model, f"Linear model for {title}"), list(weights), destination, console, below_zero
    )


def plugin_trees(
    model: TreeEnsembleModel, destination: Destination, engine: str, console: str, remark: str = ""
) -> Export:
    """Return the request that stores a sum of trees with the plugin, and a search that uses it.

    Parameters
    ----------
    model : TreeEnsembleModel
    destination : Destination
    engine, console : str
        As in :func:`plugin_export`.
    remark : str
        Added to the heading.

    Examples
    --------
    >>> from rankmax.models.trees.structure import Tree
    >>> stump = Tree([0], [0.5], [~0], [~1], [1.0, 2.0], [True], [2])
    >>> model = TreeEnsembleModel((stump,), ("clicks",))
    >>> request = plugin_trees(model, Destination("shop"), "OpenSearch", "Dev Tools").requests[0]
    >>> request.body["model"]["model"]["definition"]
    '[{"nodeid":0,"depth":0,"split":"clicks","split_condition":0.5000000596046448,"yes":1,"no":2,"missing":1,...'
    """
    title = f"{engine}'s Learning to Rank plugin"
    dumped = [_dumped(tree, model.feature_names) for tree in engine_trees(model, title)]
    definition = msgspec.json.encode(dumped).decode()
    create = _creation(destination, {"type": "model/xgboost+json", "definition": definition})
    what = heading(model, f"Sum of {counted(len(model.trees), 'tree', 'trees')} for {title}") + remark
    return _written(create, what, list(model.feature_names), destination, console, True)


def _dumped(tree: Tree, names: Sequence[str]) -> dict[str, Any]:
    thresholds = floored(tree.threshold)
    conditions = np.nextafter(thresholds, np.float32(np.inf)).tolist()  # x <= float is x < the next float
    values = within_single(tree.values).tolist()
    n_nodes = tree.feature.size

    def split(node: int, depth: int, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
        yes, no = left["nodeid"], right["nodeid"]
        return {
            "nodeid": node,
            "depth": depth,
            "split": names[tree.feature[node]],
            "split_condition": conditions[node],
            "yes": yes,
            "no": no,
            "missing": yes if conditions[node] > 0 else no,
            "children": [left, right],
        }

    return folded(tree, lambda leaf: {"nodeid": n_nodes + leaf, "leaf": values[leaf]}, split)


def _creation(destination: Destination, stored: Mapping[str, Any]) -> Request:
    return Request(
        "POST",
        f"_ltr/_featureset/{quote(destination.feature_set, safe='')}/_createmodel",
        {"model": {"name": destination.name, "model": stored}},
    )


def _written(
    create: Request, what: str, features: list[str], destination: Destination, console: str, below_zero: bool
) -> Export:
    lexical = [name for name in features if destination.template(name).kind_of(name) == "lexical"]
    field = next(filter(None, (destination.template(name).field for name in lexical)), "YOUR-FIELD")
    use = Request("POST", "YOUR-INDEX/_search", _search(destination.name, field))
    sinking = (
        " Documents below the window keep a score of 0, and this model's scores may be negative: let the window hold "
        "every document that you show."
        if below_zero
        else ""
    )
    before = commented(
        "#",
        what,
        f"Paste into {console}, or send with rankmax export --push. The feature set {destination.feature_set!r} must "
        f"exist and have features named {listed(features)}, which give the values that the model was trained on.",
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
