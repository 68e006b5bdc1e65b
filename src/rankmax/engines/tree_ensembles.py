"""Sums of trees for engines that compute them in single precision: nested nodes, thresholds, missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from rankmax._arrays import F32, F64
from rankmax.errors import IncompatibleError
from rankmax.models.stacked_model import StackedModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.trees.structure import MISSING_KINDS, Tree
from rankmax.preprocessing.feature_normalization import Unchanged

_Node = TypeVar("_Node")
_LARGEST = 1e38  # of thresholds: there are floats above and below
_DEEPEST = 400  # nested objects that parsers of JSON take


def folded(tree: Tree, leaf: Callable[[int], _Node], split: Callable[[int, int, _Node, _Node], _Node]) -> _Node:
    """Return a tree as nested objects, built from the leaves up.

    Parameters
    ----------
    tree : Tree
    leaf : callable (leaf) -> object
    split : callable (node, depth, left, right) -> object

    Examples
    --------
    >>> stump = Tree([0], [0.5], [~0], [~1], [1.0, 2.0], [True], [2])
    >>> folded(stump, lambda leaf: f"{stump.values[leaf]:g}", lambda node, depth, left, right: f"({left} {right})")
    '(1 2)'
    """
    root = 0 if tree.feature.size else ~0
    order: list[tuple[int, int]] = []
    waiting = [(root, 0)]
    while waiting:
        at, depth = waiting.pop()
        if depth > _DEEPEST:
            raise IncompatibleError(f"a tree is more than {_DEEPEST} levels deep: train with a smaller max_depth")
        order.append((at, depth))
        if at >= 0:
            waiting += [(int(tree.left[at]), depth + 1), (int(tree.right[at]), depth + 1)]
    made: dict[int, _Node] = {}
    for at, depth in reversed(order):
        if at < 0:
            made[at] = leaf(~at)
        else:
            made[at] = split(at, depth, made.pop(int(tree.left[at])), made.pop(int(tree.right[at])))
    return made[root]


def engine_trees(model: TreeEnsembleModel, title: str) -> list[Tree]:
    """Return the trees with the model's scale and offset in their leaves, or refuse what engines cannot compute.

    A value of a feature is a number there: where there is none, it is 0, as in the data that rankmax reads.

    Parameters
    ----------
    model : TreeEnsembleModel
    title : str
        Of the target, for messages.
    """
    trees = []
    for tree in model.trees:
        zero_moves = (tree.threshold >= 0) != tree.default_left
        if (zero_moves & (tree.missing == MISSING_KINDS.index("missing-if-zero"))).any():
            raise IncompatibleError(
                f"{title} compares 0 with thresholds as any number, and to the model it is a missing value: train with "
                "zero_as_missing=false"
            )
        trees.append(_scaled(tree, model.scale))
    if model.offset:
        none = np.empty(0)
        trees.append(Tree(none, none, none, none, np.array([model.offset]), none, none))  # type: ignore[arg-type]
    return trees


def _scaled(tree: Tree, scale: float) -> Tree:
    if scale == 1:
        return tree
    return Tree(
        tree.feature, tree.threshold, tree.left, tree.right, tree.values * scale, tree.default_left, tree.missing
    )


def merged(stack: StackedModel, title: str) -> TreeEnsembleModel:
    """Return a stack of sums of trees as one, for engines, or refuse one that is no sum of trees.

    Parameters
    ----------
    stack : StackedModel
    title : str
        Of the target, for messages.
    """
    if stack.normalization != Unchanged():
        raise IncompatibleError(
            f"{title} cannot normalize the scores of the {len(stack.names)} models of a stack by "
            f"{stack.normalization.name!r}: tune with --normalize none, or rank by rankmax rank"
        )
    trees: list[Tree] = []
    names: dict[str, int] = {}
    offset = 0.0
    for name, weight, model in zip(stack.names, stack.weights.tolist(), stack.models, strict=True):
        if not weight:
            continue
        if not isinstance(model, TreeEnsembleModel):
            raise IncompatibleError(
                f"{title} takes one model, and {name!r} of the stack is no sum of trees to add to the others: export "
                "the models one by one, or rank by rankmax rank"
            )
        places = np.array([names.setdefault(one, len(names)) for one in model.feature_names], np.int64)
        offset += weight * model.offset
        for tree in model.trees:
            scaled = _scaled(tree, weight * model.scale)
            trees.append(replace(scaled, feature=places[scaled.feature], counts=None))
    if not trees:
        raise IncompatibleError("every weight of the stack is 0: it ranks nothing")
    return TreeEnsembleModel(
        tuple(trees), tuple(names), offset=offset, metric=stack.metric, provenance=stack.provenance
    )


def floored(thresholds: F64) -> F32:
    """Return the greatest floats that are at most the thresholds: x <= threshold is x <= float for floats x.

    Parameters
    ----------
    thresholds : array of float64

    Examples
    --------
    >>> floored(np.array([0.3])) <= 0.3
    array([ True])
    """
    nearest = np.clip(thresholds, -_LARGEST, _LARGEST).astype(np.float32)
    return np.where(nearest > thresholds, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def within_single(values: F64) -> F32:
    """Return values of leaves in single precision, or refuse those beyond its range.

    Parameters
    ----------
    values : array of float64
    """
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        raise IncompatibleError("a leaf's value is beyond the range of single precision, in which engines compute")
    return single
