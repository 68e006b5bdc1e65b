"""Sums of trees as models: a plain walk through the nodes as oracle, names of features, ranking and commands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmax
from oracles.tree_models import FILES, NAMES, written
from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.models import TreeEnsembleModel
from rankmax.models.model_files import load_model, load_scoring_model
from rankmax.models.trees.structure import Tree


def walked(tree: Tree, row: F64) -> float:
    """Return the value of a document's leaf, straight from the definition."""
    at = 0 if tree.feature.size else ~0
    while at >= 0:
        x = row[tree.feature[at]]
        kind = int(tree.missing[at])
        if np.isnan(x) and kind < 2:
            x = 0.0
        is_missing = np.isnan(x) if kind == 2 else kind == 1 and abs(x) <= 1e-35
        left = tree.default_left[at] if is_missing else x <= tree.threshold[at]
        at = int(tree.left[at] if left else tree.right[at])
    return float(tree.values[~at])


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Return a tree whose nodes are in any order below the root."""
    n_nodes = draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    left, right = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    open_ends: list[tuple[Any, int]] = []
    for node in range(n_nodes):
        if node:
            side, parent = open_ends.pop(int(rng.integers(len(open_ends))))
            side[parent] = node
        open_ends += [(left, node), (right, node)]
    for leaf, (side, parent) in enumerate(open_ends):
        side[parent] = ~leaf
    values = rng.normal(size=n_nodes + 1).round(2)
    grid = rng.choice([-1.0, 0.0, 0.5, 1.0], size=n_nodes)
    kinds = rng.integers(0, 3, n_nodes)
    return Tree(rng.integers(0, 2, n_nodes), grid, left, right, values, rng.random(n_nodes) < 0.5, kinds)


@given(st.lists(trees(), min_size=1, max_size=4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_scores_are_sums_over_a_walk_through_each_tree(several: list[Tree], single: bool) -> None:
    model = TreeEnsembleModel(tuple(several), ("a", "b"), 1.0 if single else 2.0, 0.25, single, single)
    values = np.array([-1.0, 0.0, 1e-36, 0.5, 0.75, 1.0, np.nan])
    X = np.asfortranarray(np.array(np.meshgrid(values, values)).reshape(2, -1).T)
    blank = RankingDataset.from_arrays(np.zeros_like(X), np.zeros(len(X)), qid=np.zeros(len(X)), feature_names="ab")
    data = RankingDataset(X, ("a", "b"), blank.judgments)
    seen = X.astype(np.float32).astype(np.float64) if single else X
    if single:
        sums = np.full(len(X), np.float32(0.25))
        for tree in several:
            sums = sums + np.array([walked(tree, row) for row in seen], np.float32)
        # a leaf's value is a float in the files that are read; here it is rounded by the sum alone
        np.testing.assert_allclose(model.scores(data), sums, atol=1e-6)
    else:
        expected = 2.0 * sum(np.array([walked(tree, row) for row in seen]) for tree in several) + 0.25
        np.testing.assert_allclose(model.scores(data), expected, rtol=1e-14, atol=1e-14)
    assert TreeEnsembleModel.from_json(model.to_json()).to_json() == model.to_json()


def test_blocks_of_documents_and_sparse_features_change_nothing() -> None:
    from scipy.sparse import csc_array

    model = written("lightgbm.txt").model
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40_000, 5)) < 0.5, 0.0, rng.normal(size=(40_000, 5)))
    qid = np.arange(len(X)) // 100
    dense = model.scores(RankingDataset.from_arrays(X, np.zeros(len(X)), qid=qid))
    sparse = model.scores(RankingDataset.from_arrays(csc_array(X), np.zeros(len(X)), qid=qid))
    np.testing.assert_array_equal(dense, sparse)
    some = RankingDataset.from_arrays(X[20_000:20_100], np.zeros(100), qid=np.zeros(100))
    np.testing.assert_array_equal(model.scores(some), dense[20_000:20_100])


def data_of(X: F64, names: Any = None) -> RankingDataset:
    return RankingDataset.from_arrays(X, np.zeros(len(X)), qid=np.zeros(len(X)), feature_names=names)


def test_columns_without_names_are_those_of_the_data() -> None:
    model = written("lightgbm.txt").model
    X = np.random.default_rng(1).normal(size=(30, 5))
    plain = model.scores(data_of(X))
    np.testing.assert_array_equal(model.scores(data_of(X, ["v", "w", "x", "y", "z"])), plain)
    assert model.named_by(data_of(X, ["v", "w", "x", "y", "z"])).feature_names[0] == "v"
    with pytest.raises(IncompatibleError, match=r"of 5 columns, and the data has 4: .* train with feature names"):
        model.scores(data_of(X[:, :4]))


def test_a_first_column_that_no_tree_uses_may_be_that_of_a_letor_file_read_from_0() -> None:
    stump = Tree([1], [0.5], [~0], [~1], [0.0, 1.0], [True], [2])
    counted_from_0 = TreeEnsembleModel((replace(stump, feature=np.array([0])),), ("f2",), columns=(1,), n_columns=3)
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert counted_from_0.scores(data_of(X)).tolist() == [0.0, 1.0]  # column 1 of 3 is the data's first of 2
    assert counted_from_0.scores(data_of(np.c_[X, X[:, :1]])).tolist() == [1.0, 0.0]


def test_named_features_are_found_by_name() -> None:
    model = written("lightgbm-named.txt").model
    found = written("lightgbm-named.txt").data
    order = list(reversed(found.feature_names))
    np.testing.assert_array_equal(model.scores(found.select_features(order)), model.scores(found))
    with pytest.raises(InvalidDataError, match="the data lacks"):
        model.scores(data_of(np.zeros((2, 2)), ["age", "x"]))


def test_training_data_is_recognized_by_the_documents_in_its_leaves() -> None:
    stump = Tree([0], [0.5], [~0], [~1], [0.0, 1.0], [True], [2], [3.0, 1.0])
    model = TreeEnsembleModel((stump,), ("x",))
    assert model.was_trained_on(data_of(np.array([[0.0], [0.1], [0.5], [0.7]]), ["x"]))
    assert not model.was_trained_on(data_of(np.array([[0.0], [0.1], [0.6], [0.7]]), ["x"]))
    assert not model.was_trained_on(data_of(np.array([[0.0], [0.1], [0.5], [0.7], [0.0]]), ["x"]))


def test_it_shows_itself() -> None:
    model = written("xgboost-logistic.json").model
    text = str(model)
    assert all(part in text for part in ("XGBoost", "binary:logistic", "splits"))
    assert list(model.to_frame()["feature"]) == list(model.feature_names)


@pytest.mark.parametrize("name", NAMES)
def test_models_are_read_by_content_in_every_way(name: str) -> None:
    assert isinstance(rankmax.load(FILES / name), TreeEnsembleModel)
    assert isinstance(load_scoring_model(FILES / name), TreeEnsembleModel)
    with pytest.raises(IncompatibleError, match="a sum of trees has no weights"):
        load_model(FILES / name)
