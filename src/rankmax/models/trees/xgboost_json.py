"""XGBoost's JSON format of models, as ``Booster.save_model("model.json")`` writes it.

Features, thresholds and sums have single precision: a value x goes left if float(x) < threshold, that is, if it is at
most the next lower float. NaN is missing, and takes the default side. Split conditions of leaves are their values.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import msgspec
import numpy as np

from rankmax._arrays import F32, F64
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models.trees.library_model import LibraryModel
from rankmax.models.trees.structure import MISSING_KINDS, Tree

_NO_CHILD = -1


class _TreeParam(msgspec.Struct):
    size_leaf_vector: str = "1"


class _Tree(msgspec.Struct):
    left_children: list[int]
    right_children: list[int]
    split_indices: list[int]
    split_conditions: list[float]
    default_left: list[int | bool]
    split_type: list[int] = []
    tree_param: _TreeParam = msgspec.field(default_factory=_TreeParam)


class _Trees(msgspec.Struct):
    trees: list[_Tree]


class _Booster(msgspec.Struct):
    name: str = "gbtree"
    model: _Trees | None = None
    gbtree: _Booster | None = None
    weight_drop: list[float] = []


class _BoosterName(msgspec.Struct):
    name: str = "gbtree"


class _NamedLearner(msgspec.Struct):
    gradient_booster: _BoosterName


class _NamedFile(msgspec.Struct):
    learner: _NamedLearner


class _Objective(msgspec.Struct):
    name: str = ""


class _LearnerParam(msgspec.Struct):
    base_score: str
    num_feature: str
    num_class: str = "0"
    num_target: str = "1"


class _Learner(msgspec.Struct):
    gradient_booster: _Booster
    learner_model_param: _LearnerParam
    feature_names: list[str] = []
    objective: _Objective = msgspec.field(default_factory=_Objective)


class _File(msgspec.Struct):
    learner: _Learner
    version: list[int] = []


def read_xgboost(content: bytes, source: str | os.PathLike[str]) -> LibraryModel:
    """Read a model of XGBoost.

    Parameters
    ----------
    content : bytes
        Content of the JSON file.
    source : path
        Path to name in error messages.
    """
    try:
        booster = msgspec.json.decode(content, type=_NamedFile).learner.gradient_booster.name
        if booster == "gblinear":
            raise InvalidDataError("a linear booster has no trees: train with booster=gbtree, or rankmax train")
        return _read(msgspec.json.decode(content, type=_File))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidDataError) as error:
        raise DataFormatError(source, f"not an XGBoost model that can be read: {error}") from None


def _read(file: _File) -> LibraryModel:
    learner = file.learner
    parameters, booster = learner.learner_model_param, learner.gradient_booster
    if parameters.num_class not in ("0", "1") or parameters.num_target not in ("0", "1"):
        raise InvalidDataError(
            f"num_class is {parameters.num_class} and num_target {parameters.num_target}; a ranking has one score: "
            "train with objective=rank:ndcg"
        )
    inner = booster.gbtree or booster
    if inner.model is None or not inner.model.trees:
        raise InvalidDataError("there are no trees")
    n_columns = _whole(parameters.num_feature, "num_feature")
    names = learner.feature_names
    if names and len(names) != n_columns:
        raise InvalidDataError(f"{len(names)} feature_names for {n_columns} features")
    weights = booster.weight_drop or [1.0] * len(inner.model.trees)
    if len(weights) != len(inner.model.trees):
        raise InvalidDataError(f"{len(weights)} weights (weight_drop) for {len(inner.model.trees)} trees")
    trees = []
    n_known = max(n_columns, 1)
    for number, (tree, weight) in enumerate(zip(inner.model.trees, weights, strict=True)):
        try:
            trees.append(_tree(tree, weight, n_known))
        except InvalidDataError as error:
            raise InvalidDataError(f"tree {number}: {error}") from None
    objective = learner.objective.name
    return LibraryModel(
        "XGBoost",
        ".".join(map(str, file.version)) or None,
        objective or None,
        tuple(names) or tuple(str(column) for column in range(n_columns)),
        bool(names),
        tuple(trees),
        offset=_margin(parameters.base_score, objective),
        single_features=True,
        single_sums=True,
    )


def _tree(tree: _Tree, weight: float, n_columns: int) -> Tree:
    n = len(tree.left_children)
    listed = (tree.right_children, tree.split_indices, tree.split_conditions, tree.default_left)
    if not n or any(len(values) != n for values in listed):
        raise InvalidDataError(f"lists of different lengths for {n} nodes")
    if tree.tree_param.size_leaf_vector not in ("0", "1"):
        raise InvalidDataError(
            "leaves hold vectors; a ranking has one score: train with multi_strategy=one_output_per_tree"
        )
    if any(tree.split_type):
        raise InvalidDataError(
            "it splits by categories, which data of numbers does not have: train without enable_categorical, with a "
            "feature for each category"
        )
    left, right, feature = (_integers(v) for v in (tree.left_children, tree.right_children, tree.split_indices))
    is_leaf = left == _NO_CHILD
    if ((right == _NO_CHILD) != is_leaf).any() or (np.minimum(left, right) < _NO_CHILD).any():
        raise InvalidDataError("a node has one child")
    if (np.maximum(left, right) >= n).any():
        raise InvalidDataError(f"a child is not among the {n} nodes")
    nodes = ~is_leaf
    if ((feature[nodes] < 0) | (feature[nodes] >= n_columns)).any():
        raise InvalidDataError(f"a split is by a feature beyond the {n_columns} of the model")
    number = np.where(is_leaf, ~(np.cumsum(is_leaf) - 1), np.cumsum(nodes) - 1)
    if is_leaf[0] and n > 1 and nodes.any():
        raise InvalidDataError("the root is a leaf among other nodes")
    conditions = _single(tree.split_conditions)
    if not np.isfinite(conditions).all():
        raise InvalidDataError("split_conditions must be finite numbers")
    return Tree(
        feature[nodes],
        below(conditions[nodes]),
        number[left[nodes]],
        number[right[nodes]],
        (conditions[is_leaf] * np.float32(weight)).astype(np.float64),
        np.array(tree.default_left, bool)[nodes],
        np.full(int(nodes.sum()), MISSING_KINDS.index("missing-if-nan"), np.uint8),
    )


def below(thresholds: F32) -> F64:
    """Return the greatest floats below thresholds: x < threshold for floats is x <= the float below.

    Parameters
    ----------
    thresholds : array of float32

    Examples
    --------
    >>> below(np.array([1.0], np.float32))
    array([0.99999994])
    """
    return np.nextafter(thresholds, np.float32(-np.inf)).astype(np.float64)


def _margin(text: str, objective: str) -> float:
    """Return the score that sums start from: base_score is a mean of the labels, before the objective's link."""
    try:
        score = float(text.strip("[]"))
    except ValueError:
        raise InvalidDataError(f"base_score is {text!r}; expected a number") from None
    if objective in ("binary:logistic", "reg:logistic", "binary:logitraw"):
        margin = -math.log(1 / score - 1) if 0 < score < 1 else math.nan
    elif objective.startswith("count:") or objective in ("reg:gamma", "reg:tweedie"):
        margin = math.log(score) if score > 0 else math.nan
    else:
        margin = score
    if not math.isfinite(margin):
        raise InvalidDataError(f"base_score {text!r} does not fit the objective {objective!r}")
    return float(np.float32(margin))


def _integers(values: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    try:
        return np.array(values, np.int64)
    except OverflowError:
        raise InvalidDataError("a number of a node or feature is too large") from None


def _single(values: Sequence[float]) -> F32:
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(np.float32)


def _whole(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidDataError(f"{name} is {text!r}; expected a whole number")
    return int(text)
