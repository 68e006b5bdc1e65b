"""What is wrong with a tree model file is said with the file's name; nothing else is raised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankmax
from oracles.tree_models import FILES
from rankmax.errors import DataFormatError
from rankmax.models.model_files import load_any_model
from rankmax.models.tree_ensemble_model import tree_model


def refused(content: bytes, expected: str) -> None:
    with pytest.raises(DataFormatError, match=expected) as error:
        tree_model(content, "model.file")
    assert str(error.value).startswith("model.file")


LIGHTGBM = (FILES / "lightgbm.txt").read_text()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("num_class=1", "num_class=3", r"model\.file:3: .*num_class is 3; a ranking has one score"),
        ("end of trees", "", "the line 'end of trees' is missing: the file is cut off"),
        ("num_leaves=6", "num_leaves=1000000000000", r"model\.file:\d+: .*has \d+ values; expected"),
        ("num_leaves=6", "num_leaves=5", "values; expected 5"),
        ("left_child=", "left_child=99 ", "values; expected 5"),
        ("is_linear=0", "is_linear=1", "train with linear_tree=false"),
        ("leaf_value=", "leaf_value=x", "holds what is no number"),
        ("threshold=", "threshold=nan", "values; expected|no number|finite"),
        ("max_feature_idx=4", "max_feature_idx=7", "5 feature_names for 8 features"),
        ("split_feature=", "split=", "tree 0 has no split_feature"),
    ],
)
def test_lightgbm(old: str, new: str, expected: str) -> None:
    assert old in LIGHTGBM
    refused(LIGHTGBM.replace(old, new, 1).encode(), expected)


def lightgbm_with(key: str, change: Callable[[list[str]], list[str]]) -> bytes:
    lines = LIGHTGBM.split("\n")
    place = next(i for i, line in enumerate(lines) if line.startswith(f"{key}="))
    lines[place] = f"{key}={' '.join(change(lines[place].partition('=')[2].split()))}"
    return "\n".join(lines).encode()


def test_lightgbm_s_nodes() -> None:
    refused(lightgbm_with("left_child", lambda nodes: ["0", *nodes[1:]]), "not a tree")
    refused(lightgbm_with("left_child", lambda nodes: ["77", *nodes[1:]]), "a child is not among the 5 nodes")
    refused(lightgbm_with("left_child", lambda nodes: ["-77", *nodes[1:]]), "and 6 leaves")
    refused(lightgbm_with("left_child", lambda nodes: ["1.5", *nodes[1:]]), "whole numbers")
    refused(lightgbm_with("split_feature", lambda nodes: ["5", *nodes[1:]]), "must be below 5")
    refused(
        lightgbm_with("decision_type", lambda nodes: ["1", *nodes[1:]]), "splits by categories .*categorical_feature"
    )
    refused(lightgbm_with("decision_type", lambda nodes: ["12", *nodes[1:]]), "decision_type of tree 0 is unknown")
    refused(lightgbm_with("threshold", lambda nodes: ["inf", *nodes[1:]]), "finite")


def changed(name: str, change: Callable[[Any], None]) -> bytes:
    content = json.loads((FILES / name).read_text())
    change(content)
    return json.dumps(content).encode()


def xgboost_tree(content: Any) -> Any:
    return content["learner"]["gradient_booster"]["model"]["trees"][1]


XGBOOST: list[tuple[str, Callable[[Any], Any]]] = [
    ("tree 1: lists of different lengths", lambda c: xgboost_tree(c)["left_children"].append(-1)),
    ("tree 1: .*enable_categorical", lambda c: xgboost_tree(c)["split_type"].__setitem__(0, 1)),
    ("tree 1: a child is not among", lambda c: xgboost_tree(c)["left_children"].__setitem__(0, 999)),
    ("tree 1: .*not a tree", lambda c: xgboost_tree(c)["left_children"].__setitem__(0, 0)),
    ("tree 1: .*one child", lambda c: xgboost_tree(c)["left_children"].__setitem__(0, -1)),
    ("tree 1: .*beyond the 5", lambda c: xgboost_tree(c)["split_indices"].__setitem__(0, 5)),
    ("too large", lambda c: xgboost_tree(c)["split_indices"].__setitem__(0, 2**70)),
    ("finite", lambda c: xgboost_tree(c)["split_conditions"].__setitem__(0, 1e300)),
    ("one_output_per_tree", lambda c: xgboost_tree(c)["tree_param"].__setitem__("size_leaf_vector", "3")),
    ("a ranking has one score", lambda c: c["learner"]["learner_model_param"].__setitem__("num_class", "3")),
    ("base_score is 'x'", lambda c: c["learner"]["learner_model_param"].__setitem__("base_score", "x")),
    ("num_feature is '1e9'", lambda c: c["learner"]["learner_model_param"].__setitem__("num_feature", "1e9")),
    ("booster has no trees", lambda c: c["learner"]["gradient_booster"].__setitem__("name", "gblinear")),
    ("there are no trees", lambda c: c["learner"]["gradient_booster"]["model"].__setitem__("trees", [])),
    ("2 feature_names for 5", lambda c: c["learner"].__setitem__("feature_names", ["a", "b"])),
    ("Expected `array`", lambda c: xgboost_tree(c).__setitem__("default_left", "no")),
]


@pytest.mark.parametrize(("expected", "change"), XGBOOST, ids=[expected for expected, _ in XGBOOST])
def test_xgboost(expected: str, change: Callable[[Any], Any]) -> None:
    refused(changed("xgboost.json", change), expected)


CATBOOST: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("catboost.json", "OneHotFeature.*cat_features", lambda c: split(c).__setitem__("split_type", "OneHotFeature")),
    ("catboost.json", "feature 9 of 5", lambda c: split(c).__setitem__("float_feature_index", 9)),
    ("catboost.json", "finite", lambda c: split(c).__setitem__("border", 1e300)),
    ("catboost.json", "7 values of leaves for 3 splits", lambda c: c["oblivious_trees"][0]["leaf_values"].pop()),
    ("catboost.json", "a ranking has one", lambda c: c.__setitem__("scale_and_bias", [1, [0, 0]])),
    ("catboost.json", "there are no trees", lambda c: c.__setitem__("oblivious_trees", [])),
    ("catboost-depthwise.json", "a split has one side", lambda c: c["trees"][0].pop("left")),
    ("catboost-depthwise.json", "neither a split nor", lambda c: c["trees"][0].pop("split")),
    ("catboost.json", "number the features", lambda c: c["features_info"]["float_features"].pop(0)),
]


def split(content: Any) -> Any:
    return content["oblivious_trees"][0]["splits"][0]


@pytest.mark.parametrize(("name", "expected", "change"), CATBOOST, ids=[expected for _, expected, _ in CATBOOST])
def test_catboost(name: str, expected: str, change: Callable[[Any], Any]) -> None:
    refused(changed(name, change), expected)


def test_nested_without_end() -> None:
    deep = b'{"features_info": {}, "trees": [' + b'{"left": ' * 100_000 + b"{}" + b"}" * 100_000 + b"]}"
    refused(deep, "CatBoost|not a model")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"CBM1x\x1b\x00", 'save_model."model.json", format="json"'),
        (b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner", "UBJSON"),
        (b"\x80\x04\x95", "a pickle, which could run any program"),
        (b'{"name": "tree", "tree_info": []}', "a dump of LightGBM's model"),
        (b"booster[0]:\n0:[f0<0.5] yes=1,no=2,missing=1\n", 'a dump of XGBoost\'s trees: .*save_model."model.json"'),
        (b'[\n  { "nodeid": 0, "leaf": 0.5 }\n]', "a dump of XGBoost's trees"),
        (b"## LambdaMART\n## No. of trees = 1\n<ensemble>", "a model of RankLib"),
        (b'{"class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"}', "as Solr stores it"),
        (b"0 qid:3 1:0.5\n", "not a model of LightGBM"),
        (b"", "not a model of LightGBM"),
    ],
)
def test_other_formats_say_how_to_save(content: bytes, expected: str) -> None:
    refused(content, expected)


@pytest.mark.parametrize(("name", "library"), [("xgboost.json", "XGBoost"), ("catboost.json", "CatBoost")])
def test_a_file_that_is_cut_off_names_its_library(name: str, library: str) -> None:
    content = (FILES / name).read_bytes()
    for size in (200, len(content) // 2, content.rindex(b"}")):
        refused(content[:size], f"a model of {library}, and no complete JSON .*: write it again with save_model")


def test_what_is_no_model_at_all_is_told_what_is(tmp_path: Path) -> None:
    (tmp_path / "model.pmml").write_text("<PMML></PMML>")
    for load in (rankmax.load, load_any_model):
        with pytest.raises(DataFormatError, match=r"model\.pmml: .*LightGBM \(text\), XGBoost or CatBoost \(JSON\)"):
            load(tmp_path / "model.pmml")
