"""CatBoost's JSON format of models, as ``save_model("model.json", format="json")`` writes it.

Features and borders have single precision: a value x goes right if float(x) > border. NaN goes left, or right where
the feature treats it as greater than all numbers. An oblivious tree has one split for each level, and split i gives
bit i of the leaf's number; trees grown otherwise are nested nodes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models.trees.library_model import LibraryModel, are_numbers
from rankmax.models.trees.structure import MISSING_KINDS, Tree

_DEEPEST = 24  # of an oblivious tree; CatBoost allows 16
_NAN_GOES_RIGHT = "AsTrue"


class _Split(msgspec.Struct):
    split_type: str = "FloatFeature"
    border: float = 0.0
    float_feature_index: int = -1


class _ObliviousTree(msgspec.Struct):
    leaf_values: list[float]
    splits: list[_Split] | None = None
    leaf_weights: list[float] = []


class _Node(msgspec.Struct):
    split: _Split | None = None
    left: _Node | None = None
    right: _Node | None = None
    value: float | None = None
    weight: float | None = None


class _Feature(msgspec.Struct):
    feature_id: str = ""
    flat_feature_index: int = -1
    nan_value_treatment: str = "AsIs"


class _OtherFeature(msgspec.Struct):
    flat_feature_index: int = -1


class _Features(msgspec.Struct):
    float_features: list[_Feature] = []
    categorical_features: list[_OtherFeature] = []
    text_features: list[_OtherFeature] = []
    embedding_features: list[_OtherFeature] = []


class _File(msgspec.Struct):
    features_info: _Features
    scale_and_bias: tuple[float, list[float]] = (1.0, [0.0])
    oblivious_trees: list[_ObliviousTree] = []
    trees: list[_Node] = []
    model_info: dict[str, Any] = {}


def read_catboost(content: bytes, source: str | os.PathLike[str]) -> LibraryModel:
    """Read a model of CatBoost.

    Parameters
    ----------
    content : bytes
        Content of the JSON file.
    source : path
        Path to name in error messages.
    """
    try:
        return _read(msgspec.json.decode(content, type=_File))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidDataError) as error:
        raise DataFormatError(source, f"not a CatBoost model that can be read: {error}") from None


def _read(file: _File) -> LibraryModel:
    scale, bias = file.scale_and_bias
    if len(bias) != 1 or not np.isfinite([scale, *bias]).all():
        raise InvalidDataError(
            f"{len(bias)} scores for a document; a ranking has one: train with loss_function=YetiRank"
        )
    info = file.features_info
    others = [*info.categorical_features, *info.text_features, *info.embedding_features]
    n_columns = len(info.float_features) + len(others)
    places = [feature.flat_feature_index for feature in info.float_features]
    if sorted([*places, *(other.flat_feature_index for other in others)]) != list(range(n_columns)):
        raise InvalidDataError("flat_feature_index must number the features from 0")
    columns = [str(column) for column in range(n_columns)]
    for feature in info.float_features:
        columns[feature.flat_feature_index] = feature.feature_id or str(feature.flat_feature_index)
    to_right = [feature.nan_value_treatment == _NAN_GOES_RIGHT for feature in info.float_features]
    trees = []
    known: list[_ObliviousTree | _Node] = [*file.oblivious_trees, *file.trees]
    for number, tree in enumerate(known):
        try:
            made = _oblivious(tree) if isinstance(tree, _ObliviousTree) else _nested(tree)
            trees.append(_tree(*made, places, to_right))
        except InvalidDataError as error:
            raise InvalidDataError(f"tree {number}: {error}") from None
    if not trees:
        raise InvalidDataError("there are no trees")
    return LibraryModel(
        "CatBoost",
        _version(file.model_info),
        _loss(file.model_info),
        tuple(columns),
        not are_numbers(columns),
        tuple(trees),
        scale,
        bias[0],
        single_features=True,
    )


def _version(info: dict[str, Any]) -> str | None:
    found = re.search(r"release (\d+(?:\.\d+)*)", str(info.get("catboost_version_info", "")), re.ASCII)
    return found[1] if found else None


def _loss(info: dict[str, Any]) -> str | None:
    params = info.get("params")
    loss = params.get("loss_function") if isinstance(params, dict) else None
    kind = loss.get("type") if isinstance(loss, dict) else None
    return kind if isinstance(kind, str) else None


def _oblivious(tree: _ObliviousTree) -> tuple[list[_Split], list[int], list[int], list[float], list[float] | None]:
    """Return a complete binary tree, whose root gives the highest bit of a leaf's number."""
    splits = tree.splits or []
    if len(splits) > _DEEPEST or len(tree.leaf_values) != 1 << len(splits):
        raise InvalidDataError(
            f"{len(tree.leaf_values)} values of leaves for {len(splits)} splits; expected 2 to that power"
        )
    nodes = [split for level, split in enumerate(reversed(splits)) for _ in range(1 << level)]
    n_nodes = len(nodes)
    children = [child if child < n_nodes else ~(child - n_nodes) for child in range(1, 2 * n_nodes + 1)]
    counts = tree.leaf_weights or None
    if counts is not None and len(counts) != len(tree.leaf_values):
        raise InvalidDataError(f"{len(counts)} leaf_weights for {len(tree.leaf_values)} leaves")
    return nodes, children[::2], children[1::2], tree.leaf_values, counts


def _nested(root: _Node) -> tuple[list[_Split], list[int], list[int], list[float], list[float] | None]:
    """Return nodes in the order in which they are found from the root."""
    splits: list[_Split] = []
    left: list[int] = []
    right: list[int] = []
    values: list[float] = []
    weights: list[float | None] = []
    waiting: list[tuple[_Node, list[int], int]] = [(root, [0], 0)]
    while waiting:
        node, children, place = waiting.pop()
        if node.split is None:
            if node.value is None or node.left is not None or node.right is not None:
                raise InvalidDataError("a node has neither a split nor a value")
            children[place] = ~len(values)
            values.append(node.value)
            weights.append(node.weight)
            continue
        if node.left is None or node.right is None:
            raise InvalidDataError("a split has one side")
        children[place] = len(splits)
        splits.append(node.split)
        left.append(0)
        right.append(0)
        waiting += [(node.right, right, len(right) - 1), (node.left, left, len(left) - 1)]
    counts = [weight for weight in weights if weight is not None]
    return splits, left, right, values, counts if len(counts) == len(values) else None


def _tree(
    splits: list[_Split],
    left: list[int],
    right: list[int],
    values: list[float],
    counts: list[float] | None,
    places: Sequence[int],
    to_right: Sequence[bool],
) -> Tree:
    for split in splits:
        if split.split_type != "FloatFeature":
            raise InvalidDataError(
                f"it splits by {split.split_type}, which data of numbers does not have: train without cat_features and "
                "text_features, with a feature for each category"
            )
        if not 0 <= split.float_feature_index < len(places):
            raise InvalidDataError(f"a split is by feature {split.float_feature_index} of {len(places)}")
    with np.errstate(over="ignore"):
        borders: F64 = np.array([split.border for split in splits]).astype(np.float32).astype(np.float64)
    features = [split.float_feature_index for split in splits]
    return Tree(
        np.array([places[feature] for feature in features], np.int64),
        borders,
        np.array(left, np.int64),
        np.array(right, np.int64),
        np.array(values),
        np.array([not to_right[feature] for feature in features], bool),
        np.full(len(splits), MISSING_KINDS.index("missing-if-nan"), np.uint8),
        None if counts is None else np.array(counts),
    )
