"""LightGBM's text format of models, as ``Booster.save_model`` writes it.

A header of ``key=value`` lines is followed by a block for each tree, that begins with ``Tree=number``, and by ``end of
trees``. Children of a node are nodes, or ``~leaf``. A node's decision_type has the bits

    1   by category          2   missing values go left          4, 8   missing is: nothing, 0, NaN

A value x goes left if x <= threshold, in double precision.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models.trees.library_model import LibraryModel, are_numbers
from rankmax.models.trees.structure import Tree

FIRST_LINE = b"tree\n"
_BY_CATEGORY, _DEFAULT_LEFT = 1, 2
_LARGEST = 2**53  # whole numbers beyond it are no numbers of nodes


class _Block:
    """The ``key=value`` lines of a header or tree, each with its line's number."""

    def __init__(self, source: str, line: int, name: str) -> None:
        self.source, self.line, self.name = source, line, name
        self.fields: dict[str, tuple[int, str]] = {}

    def error(self, reason: str, key: str | None = None) -> DataFormatError:
        line = self.fields[key][0] if key in self.fields else self.line
        return DataFormatError(self.source, f"not a LightGBM model: {reason}", line=line)

    def text(self, key: str) -> str:
        if key not in self.fields:
            raise self.error(f"{self.name} has no {key}")
        return self.fields[key][1]

    def numbers(self, key: str, n: int) -> F64:
        try:
            values = np.array([float(word) for word in self.text(key).split()])
        except ValueError:
            raise self.error(f"{key} of {self.name} holds what is no number", key) from None
        if values.size != n:
            raise self.error(f"{key} of {self.name} has {values.size} values; expected {n}", key)
        return values

    def integers(self, key: str, n: int) -> I64:
        values = self.numbers(key, n)
        if not (np.abs(values) < _LARGEST).all() or (values % 1 != 0).any():
            raise self.error(f"{key} of {self.name} must be whole numbers", key)
        return values.astype(np.int64)

    def integer(self, key: str) -> int:
        return int(self.integers(key, 1)[0])


def read_lightgbm(content: bytes, source: str | os.PathLike[str]) -> LibraryModel:
    """Read a model of LightGBM.

    Parameters
    ----------
    content : bytes
        Content of the text file.
    source : path
        Path to name in error messages.
    """
    header, blocks, is_complete = _blocks(content, os.fspath(source))
    if not is_complete:
        raise header.error("the line 'end of trees' is missing: the file is cut off")
    for key in ("num_class", "num_tree_per_iteration"):
        if header.integer(key) != 1:
            raise header.error(
                f"{key} is {header.text(key)}; a ranking has one score: train with objective=lambdarank", key
            )
    columns = tuple(header.text("feature_names").split())
    if header.integer("max_feature_idx") + 1 != len(columns):
        raise header.error(f"{len(columns)} feature_names for {header.integer('max_feature_idx') + 1} features")
    trees = tuple(_tree(block, len(columns)) for block in blocks)
    if not trees:
        raise header.error("there are no trees")
    averaged = "average_output" in header.fields
    return LibraryModel(
        "LightGBM",
        header.fields.get("version", (0, ""))[1] or None,
        header.fields.get("objective", (0, ""))[1] or None,
        columns,
        not are_numbers(columns),
        trees,
        scale=1 / len(trees) if averaged else 1.0,
    )


def _blocks(content: bytes, source: str) -> tuple[_Block, list[_Block], bool]:
    """Return the header, the trees, and whether their end was found."""
    header = _Block(source, 1, "the header")
    block = header
    trees: list[_Block] = []
    for number, raw in enumerate(content.splitlines(), 1):
        try:
            line = raw.decode().strip()
        except UnicodeDecodeError:
            raise DataFormatError(source, "not a LightGBM model: not UTF-8 text", line=number) from None
        if line == "end of trees":
            return header, trees, True
        key, _, value = line.partition("=")
        if key == "Tree":
            block = _Block(source, number, f"tree {value}")
            trees.append(block)
        elif line:
            block.fields[key] = (number, value)
    return header, trees, False


def _tree(block: _Block, n_features: int) -> Tree:
    n_leaves = block.integer("num_leaves")
    if n_leaves < 1:
        raise block.error("a tree has at least one leaf", "num_leaves")
    if "is_linear" in block.fields and block.integer("is_linear"):
        raise block.error(f"{block.name} has linear functions in its leaves: train with linear_tree=false", "is_linear")
    n_nodes = n_leaves - 1
    values = block.numbers("leaf_value", n_leaves)
    counts = block.numbers("leaf_count", n_leaves) if _is_given(block.fields, "leaf_count") else None
    if not n_nodes:
        return _checked(block, {}, values, counts)
    feature = block.integers("split_feature", n_nodes)
    decisions = block.integers("decision_type", n_nodes)
    if (decisions & _BY_CATEGORY).any():
        by_category = int(feature[np.flatnonzero(decisions & _BY_CATEGORY)[0]])
        raise block.error(
            f"{block.name} splits by categories (feature {by_category}), which data of numbers does not have: train "
            "without categorical_feature, with a feature for each category",
            "decision_type",
        )
    if (feature < 0).any() or (feature >= n_features).any():
        raise block.error(f"split_feature of {block.name} must be below {n_features}", "split_feature")
    if (decisions < 0).any() or (decisions >> 2 > 2).any():
        raise block.error(f"decision_type of {block.name} is unknown", "decision_type")
    nodes = {
        "feature": feature,
        "threshold": block.numbers("threshold", n_nodes),
        "left": block.integers("left_child", n_nodes),
        "right": block.integers("right_child", n_nodes),
        "default_left": decisions & _DEFAULT_LEFT != 0,
        "missing": decisions >> 2,
    }
    return _checked(block, nodes, values, counts)


def _is_given(fields: Mapping[str, tuple[int, str]], key: str) -> bool:
    return key in fields and bool(fields[key][1].strip())


def _checked(block: _Block, nodes: Mapping[str, I64 | F64], values: F64, counts: F64 | None) -> Tree:
    arrays = {name: np.empty(0) for name in ("feature", "threshold", "left", "right", "default_left", "missing")}
    try:
        return Tree(**{**arrays, **nodes}, values=values, counts=counts)  # type: ignore[arg-type]
    except InvalidDataError as error:
        raise block.error(f"{block.name}: {error}") from None
