"""Leaves of regression trees that documents reach, and the sum of their values.

A document with value x of a node's feature goes left if x <= threshold. A missing value takes the node's default side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankmax._arrays import F64, I64, U8
from rankmax._kernels.compilation import njit
from rankmax._kernels.threads import in_threads, stretches

ZERO_IF_MISSING, MISSING_IF_ZERO, MISSING_IF_NAN = 0, 1, 2
"""What NaN is to a node: the number 0; missing, as 0 is; or missing, as 0 is not."""
ZERO = float(np.float32(1e-35))
"""The largest magnitude that LightGBM counts as 0."""
_WORTH_THREADS = 200_000  # documents times trees; below that, waking threads costs more than they save


class TreeArrays(NamedTuple):
    """Trees in arrays; children are nodes, or leaves as their complement ``~leaf``.

    Attributes
    ----------
    roots : int64, (n_trees,)
        A node, or ~leaf of a tree that is one leaf.
    feature, left, right : int64, (n_nodes,)
    threshold : float64, (n_nodes,)
    default_left, missing : uint8, (n_nodes,)
        Whether missing values go left, and which values are missing.
    values : float64, (n_leaves,)
    """

    roots: I64
    feature: I64
    threshold: F64
    left: I64
    right: I64
    default_left: U8
    missing: U8
    values: F64


def add_trees(rows: F64, trees: TreeArrays, sums: F64, *, single: bool) -> None:
    """Add the trees' values to `sums`, tree after tree.

    Parameters
    ----------
    rows : float64, (n_documents, n_features)
        Features, a document in each row.
    trees : TreeArrays
    sums : float64, (n_documents,)
    single : bool
        Whether each addition is rounded to single precision, as by a sum of floats.
    """
    worth = len(rows) * trees.roots.size >= _WORTH_THREADS
    in_threads(_add_trees, stretches(len(rows), threads=worth), rows, trees, single, sums)


def find_leaves(rows: F64, trees: TreeArrays, leaves: I64) -> None:
    """Fill `leaves` with the leaf of each document in each tree.

    Parameters
    ----------
    rows : float64, (n_documents, n_features)
    trees : TreeArrays
    leaves : int64, (n_documents, n_trees)
    """
    _find_leaves(rows, trees, leaves)


@njit(cache=True, nogil=True)
def _leaf(row: F64, trees: TreeArrays, root: int) -> Any:
    at = root
    while at >= 0:
        x = row[trees.feature[at]]
        kind = trees.missing[at]
        is_nan = x != x
        if is_nan and kind != MISSING_IF_NAN:
            x = 0.0
        if (kind == MISSING_IF_NAN and is_nan) or (kind == MISSING_IF_ZERO and -ZERO <= x <= ZERO):
            goes_left = trees.default_left[at] != 0
        else:
            goes_left = x <= trees.threshold[at]
        at = trees.left[at] if goes_left else trees.right[at]
    return ~at


@njit(cache=True, nogil=True)
def _add_trees(first: int, stop: int, rows: F64, trees: TreeArrays, single: bool, sums: F64) -> None:
    for i in range(first, stop):
        total = sums[i]
        for root in trees.roots:
            total += trees.values[_leaf(rows[i], trees, root)]
            if single:  # a float64 sum of two floats, rounded to a float, is their float32 sum
                total = np.float64(np.float32(total))
        sums[i] = total


@njit(cache=True, nogil=True)
def _find_leaves(rows: F64, trees: TreeArrays, leaves: I64) -> None:
    for i in range(len(rows)):
        for t in range(trees.roots.size):
            leaves[i, t] = _leaf(rows[i], trees, trees.roots[t])
