"""Sum of regression trees, as LightGBM, XGBoost and CatBoost learn them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64, I64
from rankmax._result_views import Block, Facts, Table
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.models.provenance import Provenance
from rankmax.models.ranking_model import MOST_SHOWN, RankingModel
from rankmax.models.trees.library_model import LibraryModel, tested_versions
from rankmax.models.trees.structure import MISSING_KINDS, Tree, joined
from rankmax.models.trees.tree_files import read_library_model
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged

_BLOCK = 1 << 14  # documents whose features are gathered at a time
_COMPARED = 5  # trees whose leaves tell whether data is that of the training


@dataclass(frozen=True, eq=False, repr=False)
class TreeEnsembleModel(RankingModel):
    """Scores documents by a sum of regression trees; :func:`~rankmax.api.load.load` reads one.

    Attributes
    ----------
    trees : tuple of Tree
        Features are numbered by their place in `feature_names`.
    feature_names : tuple of str
        The features that the trees split by.
    scale, offset : float
        The score is scale times the sum of the trees' values, plus the offset.
    single_features, single_sums : bool
        Whether features, and sums, are rounded to single precision, as XGBoost does (CatBoost: features alone).
    columns : tuple of int, or None
        For a model that knows its features by number: the column of each in the training data, from 0. Data must then
        have as many columns. ``feature_names`` are f1, f2, ... as of a LETOR file.
    n_columns : int or None
        Number of columns of the training data, for such a model.
    metric : str or None
        Metric that the number of trees was selected for.
    provenance : Provenance
        Origin of the model; its learner is the library.

    Examples
    --------
    >>> stump = Tree([0], [0.5], [~0], [~1], [-1.0, 2.0], [True], [2])
    >>> model = TreeEnsembleModel((stump, stump), ("bm25",), offset=0.25)
    >>> data = RankingDataset.from_arrays([[0.5], [0.75]], [0, 1], qid=[7, 7], feature_names=["bm25"])
    >>> model.scores(data)
    array([-1.75,  4.25])
    >>> TreeEnsembleModel.from_json(model.to_json()).scores(data)
    array([-1.75,  4.25])
    """

    schema: ClassVar[str] = "rankmax/tree-ensemble-model/1"

    trees: tuple[Tree, ...]
    feature_names: tuple[str, ...]
    scale: float = 1.0
    offset: float = 0.0
    single_features: bool = False
    single_sums: bool = False
    columns: tuple[int, ...] | None = None
    n_columns: int | None = None
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    normalization: Normalization = field(default_factory=Unchanged, init=False)

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        object.__setattr__(self, "feature_names", names)
        object.__setattr__(self, "trees", tuple(self.trees))
        if not self.trees:
            raise InvalidDataError("there are no trees")
        if len(set(names)) != len(names):
            raise InvalidDataError("a feature name occurs twice")
        if not np.isfinite([self.scale, self.offset]).all():
            raise InvalidDataError("scale and offset must be finite numbers")
        for number, tree in enumerate(self.trees):
            if tree.feature.size and not 0 <= tree.feature.min() <= tree.feature.max() < len(names):
                raise InvalidDataError(f"tree {number} splits by a feature that is not among the {len(names)}")
        if (self.columns is None) != (self.n_columns is None) or (
            self.columns is not None
            and not (len(self.columns) == len(names) and all(0 <= c < (self.n_columns or 0) for c in self.columns))
        ):
            raise InvalidDataError("columns must be as many as features, each below n_columns")

    @classmethod
    def of_library(cls, read: LibraryModel) -> Self:
        """Return the content of a library's file as a model.

        Parameters
        ----------
        read : LibraryModel
        """
        used = np.unique(np.concatenate([np.empty(0, np.int64), *(tree.feature for tree in read.trees)]))
        columns = tuple(used.tolist())
        names = tuple(read.columns[c] if read.named else f"f{c + 1}" for c in columns)
        return cls(
            tuple(replace(tree, feature=np.searchsorted(used, tree.feature)) for tree in read.trees),
            names,
            read.scale,
            read.offset,
            read.single_features,
            read.single_sums,
            None if read.named else columns,
            None if read.named else len(read.columns),
            provenance=Provenance(
                learner=read.library,
                parameters={
                    name: said
                    for name, said in (("objective", read.objective), ("version", read.version))
                    if said is not None
                },
            ),
        )

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    def first(self, n_trees: int) -> TreeEnsembleModel:
        """Return the model of the first trees, with the features that they use.

        Parameters
        ----------
        n_trees : int
        """
        kept = self.trees[:n_trees]
        used = np.unique(np.concatenate([tree.feature for tree in kept]))
        return replace(
            self,
            trees=tuple(replace(tree, feature=np.searchsorted(used, tree.feature)) for tree in kept),
            feature_names=tuple(self.feature_names[j] for j in used.tolist()),
            columns=None if self.columns is None else tuple(self.columns[j] for j in used.tolist()),
        )

    def with_origin(self, metric: str, provenance: Provenance) -> TreeEnsembleModel:
        """Return the same trees with another metric and provenance.

        Parameters
        ----------
        metric : str
        provenance : Provenance
        """
        return replace(self, metric=metric, provenance=provenance)

    def weight_columns(self) -> dict[str, F64]:
        """Return the number of splits by each feature."""
        splits = [tree.feature for tree in self.trees]
        return {"splits": np.bincount(np.concatenate(splits), minlength=len(self.feature_names)).astype(np.float64)}

    @property
    def blocks(self) -> list[Block]:
        """The model's size and origin, and the features with the most splits."""
        splits = self.weight_columns()["splits"].astype(np.int64)
        order = np.argsort(-splits, kind="stable")[:MOST_SHOWN].tolist()
        n_hidden = len(self.feature_names) - len(order)
        hidden = [f"{n_hidden} features with fewer splits are not shown"] if n_hidden else []
        return [
            Facts(self.size_facts()),
            Table(["feature", "splits"], [[self.feature_names[j], f"{splits[j]:,}"] for j in order]),
            *hidden,
        ]

    def size_facts(self) -> dict[str, str]:
        """Return what there is to say of the model beside its features."""
        facts = {
            "model": "sum of regression trees",
            "trees": f"{len(self.trees):,}",
            "leaves": f"{self.n_leaves:,}",
            "features": f"{len(self.feature_names):,} used"
            + (f", known by their columns ({self.n_columns})" if self.columns is not None else ""),
            "learner": self.provenance.learner,
            **{f"  {name}": str(value) for name, value in self.provenance.parameters.items()},
            "metric": self.metric,
            "untested": self._untested(),
        }
        return {name: fact for name, fact in facts.items() if fact is not None}

    def _untested(self) -> str | None:
        tested = tested_versions(self.provenance.learner, str(self.provenance.parameters.get("version") or "") or None)
        return tested and f"files of this version; tested are {tested}: compare scores with the library's own"

    def named_by(self, data: RankingDataset) -> TreeEnsembleModel:
        """Return the model with features known by name: those of the data's columns, where it has numbers alone.

        Parameters
        ----------
        data : RankingDataset
            Data with the training data's columns, in their order. Columns that begin with an unused one more, as
            readers of LETOR files that count features from 0 make them, are the data's, too.
        """
        if self.columns is None:
            return self
        skipped = int(data.n_features + 1 == self.n_columns and 0 not in self.columns)
        if data.n_features + skipped != self.n_columns:
            raise IncompatibleError(
                f"the model knows its features by number, of {self.n_columns} columns, and the data has "
                f"{data.n_features}: give data with the columns of the training data, or train with feature names"
            )
        names = tuple(data.feature_names[column - skipped] for column in self.columns)
        return replace(self, feature_names=names, columns=None, n_columns=None)

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document: the library's raw score, or margin.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature, under its name or in its column. NaN is a missing value.
        """
        from rankmax._kernels.trees.tree_sums import add_trees

        arrays = joined(self.trees)
        start = self.offset if self.single_sums else 0.0
        sums = np.full(data.n_documents, start)
        for first, rows in self.feature_rows(data):
            add_trees(rows, arrays, sums[first : first + len(rows)], single=self.single_sums)
        return sums if self.single_sums else self.scale * sums + self.offset

    def feature_rows(self, data: RankingDataset, size: int = _BLOCK) -> Iterator[tuple[int, F64]]:
        """Yield the used features of blocks of documents, as the trees see them: the first document, and the rows.

        Parameters
        ----------
        data : RankingDataset
        size : int
            Number of documents of a block.
        """
        named = self.named_by(data)
        features = data.select_features(named.feature_names).features
        dense = features if isinstance(features, np.ndarray) else features.toarray(order="F")
        for first in range(0, max(data.n_documents, 1), size):
            rows = np.ascontiguousarray(dense[first : first + size], np.float64)
            if self.single_features:
                with np.errstate(over="ignore"):
                    rows = rows.astype(np.float32).astype(np.float64)
            yield first, rows if rows.flags.writeable else rows.copy()

    def was_trained_on(self, data: RankingDataset) -> bool:
        """Return whether the data puts as many documents into every leaf as the file says that the training data did.

        Parameters
        ----------
        data : RankingDataset
        """
        from rankmax._kernels.trees.tree_sums import find_leaves

        compared = self.trees[:_COMPARED]
        if any(tree.counts is None or tree.counts.sum() != data.n_documents for tree in compared):
            return False
        leaves: I64 = np.empty((data.n_documents, len(compared)), np.int64)
        for first, rows in self.feature_rows(data):
            find_leaves(rows, joined(compared), leaves[first : first + len(rows)])
        n_leaves = sum(tree.n_leaves for tree in compared)
        found = np.bincount(leaves.ravel(), minlength=n_leaves)
        return bool((found == np.concatenate([tree.counts for tree in compared])).all()) and n_leaves > len(compared)

    def to_json(self) -> bytes:
        """Return the model as JSON, a tree in each line."""
        document = self._document()
        head = msgspec.json.encode(msgspec.structs.replace(document, trees=[]))
        trees = b",\n".join(msgspec.json.encode(tree) for tree in document.trees)
        return head.removesuffix(b"[]}") + b"[\n" + trees + b"\n]}\n"

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            features=list(self.feature_names),
            columns=None if self.columns is None else list(self.columns),
            n_columns=self.n_columns,
            scale=self.scale,
            offset=self.offset,
            single_features=self.single_features,
            single_sums=self.single_sums,
            provenance=self.provenance,
            trees=[_Tree.of(tree) for tree in self.trees],
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        return cls(
            tuple(tree.tree() for tree in document.trees),
            tuple(document.features),
            document.scale,
            document.offset,
            document.single_features,
            document.single_sums,
            None if document.columns is None else tuple(document.columns),
            document.n_columns,
            document.metric,
            document.provenance,
        )


def tree_model(content: bytes, source: str | os.PathLike[str]) -> TreeEnsembleModel:
    """Return a model from the content of a library's file.

    Parameters
    ----------
    content : bytes
    source : path
        Path to name in error messages.
    """
    return TreeEnsembleModel.of_library(read_library_model(content, source))


class _Tree(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    default_left: list[bool]
    missing: list[str]
    values: list[float]
    counts: list[float] | None = None

    @classmethod
    def of(cls, tree: Tree) -> _Tree:
        return cls(
            tree.feature.tolist(),
            tree.threshold.tolist(),
            tree.left.tolist(),
            tree.right.tolist(),
            tree.default_left.tolist(),
            [MISSING_KINDS[kind] for kind in tree.missing.tolist()],
            tree.values.tolist(),
            None if tree.counts is None else tree.counts.tolist(),
        )

    def tree(self) -> Tree:
        unknown = [kind for kind in self.missing if kind not in MISSING_KINDS]
        if unknown:
            raise InvalidDataError(f"missing is {unknown[0]!r}; expected one of {', '.join(MISSING_KINDS)}")
        try:
            return Tree(
                _integers(self.feature),
                np.array(self.threshold),
                _integers(self.left),
                _integers(self.right),
                np.array(self.values),
                np.array(self.default_left, bool),
                np.array([MISSING_KINDS.index(kind) for kind in self.missing], np.uint8),
                None if self.counts is None else np.array(self.counts),
            )
        except OverflowError:
            raise InvalidDataError("a number of a node or feature is too large") from None


def _integers(values: Sequence[int]) -> I64:
    return np.array(values, np.int64)


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    features: list[str]
    scale: float
    offset: float
    single_features: bool
    single_sums: bool
    columns: list[int] | None
    n_columns: int | None
    provenance: Provenance
    trees: list[_Tree]
