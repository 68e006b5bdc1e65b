"""Apache Solr's learning to rank, as a LinearModel or a MultipleAdditiveTreesModel.

In single precision, in the order of the model's features:

    score(d) = Σ_j normalized_j(x_j(d)) · weight_j,    normalized(x) = (x - min) / (max - min), if asked for

Every feature has a weight; a normalizer's parameters are strings. In a tree, a value goes left if it is at most the
threshold, to which Solr adds 1e-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmax._arrays import F32
from rankmax.engines.curves import trees_of_curves
from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.learning_to_rank_plugin import scaled
from rankmax.engines.requirements import engine_normalization, linear_terms, within_float32
from rankmax.engines.tree_ensembles import engine_trees, floored, folded, within_single
from rankmax.errors import counted
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.trees.structure import Tree

_TITLE = "Solr's learning to rank"
_SLACK = np.float32(1e-6)


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    engine_normalization(model, _TITLE, {"none": "none"})
    weights, ranges = scaled(weights, destination.ranges or {})
    body = {
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": destination.name,
        "store": destination.feature_set,
        "features": [_feature(name, ranges.get(name)) for name in weights],
        "params": {"weights": within_float32(weights)},
    }
    return _written(body, heading(model, f"Linear model for {_TITLE}"), list(weights), destination)


def _trees(model: TreeEnsembleModel, destination: Destination, remark: str = "") -> Export:
    trees = [{"weight": "1", "root": _nested(tree, model.feature_names)} for tree in engine_trees(model, _TITLE)]
    body = {
        "class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
        "name": destination.name,
        "store": destination.feature_set,
        "features": [_feature(name, None) for name in model.feature_names],
        "params": {"trees": trees},
    }
    what = heading(model, f"Sum of {counted(len(model.trees), 'tree', 'trees')} for {_TITLE}") + remark
    return _written(body, what, list(model.feature_names), destination)


def _nested(tree: Tree, names: Sequence[str]) -> dict[str, Any]:
    thresholds = [repr(threshold) for threshold in before_slack(floored(tree.threshold)).tolist()]
    values = [repr(value) for value in within_single(tree.values).tolist()]

    def split(node: int, depth: int, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
        return {"feature": names[tree.feature[node]], "threshold": thresholds[node], "left": left, "right": right}

    return folded(tree, lambda leaf: {"value": values[leaf]}, split)


def before_slack(thresholds: F32) -> F32:
    """Return the floats that become the thresholds when Solr adds 1e-6, or the nearest below where there is none.

    Parameters
    ----------
    thresholds : array of float32

    Examples
    --------
    >>> before_slack(np.array([0.5], np.float32)) + np.float32(1e-6)
    array([0.5], dtype=float32)
    """
    best = thresholds - _SLACK
    for _ in range(2):
        best = np.nextafter(best, np.float32(np.inf))
    for _ in range(5):
        best = np.where(best + _SLACK > thresholds, np.nextafter(best, np.float32(-np.inf)), best)
    return best


def _written(body: dict[str, Any], what: str, features: list[str], destination: Destination) -> Export:
    upload = Request("PUT", "schema/model-store", body)
    before = commented(
        "//",
        what,
        f"The feature store {destination.feature_set!r} must have features named {listed(features)}, which give "
        "the values that the model was trained on. Upload this file (Solr's parser skips comments), or send it "
        "with rankmax export --push http://HOST:8983/solr/COLLECTION:",
        "curl -X PUT http://HOST:8983/solr/COLLECTION/schema/model-store\n"
        "  -H Content-type:application/json --data-binary @THIS-FILE",
        f"Then rerank with rq={{!ltr model={destination.name} reRankDocs=1000}}.",
    )
    return Export(f"{before}\n{upload.json}\n", (upload,))


def _feature(name: str, limits: tuple[float, float] | None) -> dict[str, Any]:
    if limits is None:
        return {"name": name}
    parameters = {"min": repr(limits[0]), "max": repr(limits[1])}
    return {"name": name, "norm": {"class": "org.apache.solr.ltr.norm.MinMaxNormalizer", "params": parameters}}


def _write_additive(model: AdditiveModel, destination: Destination) -> Export:
    trees, remark = trees_of_curves(model, _TITLE, "solr-function")
    return _trees(trees, destination, remark)


SOLR = Target("solr", _TITLE, _write, scales=True, write_trees=_trees, write_additive=_write_additive)
