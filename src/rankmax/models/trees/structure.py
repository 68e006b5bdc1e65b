"""Regression trees as arrays, checked once where they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64, I64, U8, Bool, readonly
from rankmax.errors import InvalidDataError

if TYPE_CHECKING:
    from rankmax._kernels.trees.tree_sums import TreeArrays

MISSING_KINDS = ("zero-if-missing", "missing-if-zero", "missing-if-nan")
"""What NaN is to a node, in the order of the kernel's numbers."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A regression tree. A value x of a node's feature goes left if x <= threshold.

    Children are numbers of nodes, or the complement ``~leaf`` of the number of a leaf. The root is node 0; a tree
    without nodes is its only leaf.

    Attributes
    ----------
    feature : array of int64, shape (n_nodes,)
        Place of the feature among the names of the model.
    threshold : array of float64, shape (n_nodes,)
    left, right : array of int64, shape (n_nodes,)
    values : array of float64, shape (n_leaves,)
    default_left : array of bool, shape (n_nodes,)
        Whether missing values go left.
    missing : array of uint8, shape (n_nodes,)
        Place in :data:`MISSING_KINDS`.
    counts : array of float64, shape (n_leaves,), or None
        Number of training documents in each leaf, where the file has it.

    Examples
    --------
    >>> Tree([0], [0.5], [~0], [~1], [1.0, 2.0], [True], [2]).n_leaves
    2
    """

    feature: I64
    threshold: F64
    left: I64
    right: I64
    values: F64
    default_left: Bool
    missing: U8
    counts: F64 | None = None

    def __post_init__(self) -> None:
        kinds = {
            "feature": np.int64,
            "threshold": np.float64,
            "left": np.int64,
            "right": np.int64,
            "values": np.float64,
            "default_left": np.bool_,
            "missing": np.uint8,
        }
        for name, kind in kinds.items():
            object.__setattr__(self, name, readonly(np.array(getattr(self, name), kind).reshape(-1)))
        n_nodes, n_leaves = self.feature.size, self.values.size
        for name in ("threshold", "left", "right", "default_left", "missing"):
            if getattr(self, name).size != n_nodes:
                raise InvalidDataError(f"{getattr(self, name).size} of {name} for {n_nodes} nodes")
        if not n_leaves:
            raise InvalidDataError("a tree has at least one leaf")
        if not np.isfinite(self.values).all() or not np.isfinite(self.threshold).all():
            raise InvalidDataError("thresholds and values of leaves must be finite numbers")
        if self.counts is not None:
            counts = readonly(np.array(self.counts, np.float64))
            if counts.shape != (n_leaves,):
                raise InvalidDataError(f"{counts.size} counts for {n_leaves} leaves")
            object.__setattr__(self, "counts", counts)
        if (self.missing >= len(MISSING_KINDS)).any():
            raise InvalidDataError(f"missing must be a number below {len(MISSING_KINDS)}")
        children = np.concatenate([self.left, self.right])
        if (children >= n_nodes).any() or (~children >= n_leaves).any():
            raise InvalidDataError(f"a child is not among the {n_nodes} nodes and {n_leaves} leaves")
        parents = np.bincount(children[children >= 0], minlength=n_nodes)
        if n_nodes and (parents[0] or (parents > 1).any() or (np.bincount(~children[children < 0]) > 1).any()):
            raise InvalidDataError("a node or leaf has two parents, or the root has one: not a tree")

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.values.size


def joined(trees: Sequence[Tree]) -> TreeArrays:
    """Return trees in the form of the kernels.

    Parameters
    ----------
    trees : sequence of Tree

    Examples
    --------
    >>> stump = Tree([0], [0.5], [~0], [~1], [1.0, 2.0], [True], [2])
    >>> joined([stump, stump]).right
    array([-2, -4])
    """
    from rankmax._kernels.trees.tree_sums import TreeArrays

    roots: list[int] = []
    left: list[I64] = []
    right: list[I64] = []
    n_nodes = n_leaves = 0
    for tree in trees:
        roots.append(n_nodes if tree.feature.size else ~n_leaves)
        for children, all_children in ((tree.left, left), (tree.right, right)):
            all_children.append(np.where(children >= 0, children + n_nodes, children - n_leaves))
        n_nodes += tree.feature.size
        n_leaves += tree.n_leaves

    def together(arrays: list[I64]) -> I64:
        return np.concatenate([np.empty(0, np.int64), *arrays])

    return TreeArrays(
        np.array(roots, np.int64),
        together([tree.feature for tree in trees]),
        np.concatenate([np.empty(0), *(tree.threshold for tree in trees)]),
        together(left),
        together(right),
        np.concatenate([np.empty(0, np.uint8), *(tree.default_left.astype(np.uint8) for tree in trees)]),
        np.concatenate([np.empty(0, np.uint8), *(tree.missing for tree in trees)]),
        np.concatenate([np.empty(0), *(tree.values for tree in trees)]),
    )
