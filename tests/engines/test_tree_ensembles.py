"""Sums of trees for engines, evaluated as the engines evaluate them, against the model on single-precision features."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.tree_models import NAMES, dataset, written
from rankmax._arrays import F32, F64
from rankmax.data.synthetic import planted_linear
from rankmax.engines.export_target import AnyModel, Destination
from rankmax.engines.registry import TARGETS, export_model
from rankmax.engines.solr_ltr import before_slack
from rankmax.engines.tree_ensembles import floored
from rankmax.errors import IncompatibleError
from rankmax.learners import AdditiveRanker
from rankmax.models import TreeEnsembleModel
from rankmax.models.trees.structure import Tree

STUMP = Tree([0], [0.5], [~0], [~1], [1.0, 2.0], [True], [2])
SLACK = np.float32(1e-6)
single = st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**100), max_value=2.0**100)


def engine_data(name: str) -> tuple[TreeEnsembleModel, F32, F64]:
    """Return a model, features as engines have them, and the model's scores: without missing values."""
    found = written(name)
    X = np.nan_to_num(np.asarray(found.data.features), nan=0.25).astype(np.float32)
    model = found.model.named_by(found.data)
    return model, X, model.scores(dataset(X.astype(np.float64)))


def by_plugin(node: dict[str, Any], row: dict[str, np.float32]) -> np.float32:
    """Return the value that the Learning to Rank plugin gives: yes if the condition is greater than the value."""
    while "leaf" not in node:
        yes, no = node["children"]
        assert (node["yes"], node["no"]) == (yes["nodeid"], no["nodeid"])
        assert node["missing"] == (node["yes"] if node["split_condition"] > 0 else node["no"])
        node = yes if np.float32(node["split_condition"]) > row[node["split"]] else no
    return np.float32(node["leaf"])


def by_solr(node: dict[str, Any], row: dict[str, np.float32]) -> np.float32:
    """Return the value that Solr gives: left if the value is at most the threshold and a slack."""
    while "value" not in node:
        left = row[node["feature"]] <= np.float32(node["threshold"]) + SLACK
        node = node["left"] if left else node["right"]
    return np.float32(node["value"])


FEATURES = ("bm25", "age", "links", "clicks", "one")


def computed(target: str, model: AnyModel | TreeEnsembleModel, X: F32, names: tuple[str, ...] = FEATURES) -> F64:
    (request,) = export_model(model, target).requests
    if target == "solr":
        assert request.body["class"].endswith(".MultipleAdditiveTreesModel")
        roots, value = [tree["root"] for tree in request.body["params"]["trees"]], by_solr
    else:
        stored = request.body["model"]["model"]
        assert stored["type"] == "model/xgboost+json"
        roots, value = json.loads(stored["definition"]), by_plugin
    rows = [dict(zip(names, row, strict=True)) for row in X]
    return np.array([np.sum([value(root, row) for root in roots], dtype=np.float32) for row in rows], np.float64)


@pytest.mark.parametrize("target", ["elasticsearch-ltr", "opensearch-ltr", "solr"])
@pytest.mark.parametrize("name", [name for name in NAMES if "zero-as-missing" not in name])
def test_an_engine_computes_the_model_s_scores(name: str, target: str) -> None:
    model, X, scores = engine_data(name)
    np.testing.assert_allclose(computed(target, model, X), scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["opensearch-ltr", "solr"])
def test_an_engine_ranks_exactly_by_learned_steps(target: str) -> None:
    data = planted_linear(40, 25, 4, noise=0.5, seed=2).data
    model = AdditiveRanker("AP", curves="steps", n_knots=8).fit_dataset(data).model_
    found = computed(target, model, np.asarray(data.features, np.float32), model.feature_names)
    for query in np.split(np.arange(data.n_documents), data.query_offsets[1:-1]):
        ours, engine = (np.argsort(-scores[query], kind="stable") for scores in (model.scores(data), found))
        assert ours.tolist() == engine.tolist()
    assert "Straight lines" not in export_model(model, target).text


def test_zero_that_is_missing_is_refused_with_the_remedy() -> None:
    model = written("lightgbm-zero-as-missing.txt").model
    with pytest.raises(
        IncompatibleError, match=r"Solr's learning to rank compares 0 .* train with zero_as_missing=false"
    ):
        export_model(model, "solr")


def test_other_targets_and_ranges_are_refused_with_the_remedy() -> None:
    model = TreeEnsembleModel((STUMP,), ("bm25",))
    for name in TARGETS.names():
        if name not in ("elasticsearch-ltr", "opensearch-ltr", "solr"):
            with pytest.raises(IncompatibleError, match="has no sums of trees: export to elasticsearch-ltr"):
                export_model(model, name)
    with pytest.raises(IncompatibleError, match="leave the ranges out"):
        export_model(model, "solr", Destination(ranges={"bm25": (0.0, 1.0)}))


def test_a_chain_of_many_nodes_is_refused() -> None:
    n = 500
    chain = Tree(np.zeros(n), np.arange(n), ~np.arange(n), [*range(1, n), ~n], np.zeros(n + 1), np.ones(n), np.zeros(n))
    with pytest.raises(IncompatibleError, match="levels deep: train with a smaller max_depth"):
        export_model(TreeEnsembleModel((chain,), ("x",)), "solr")


def test_values_beyond_single_precision_are_refused() -> None:
    huge = Tree([0], [0.5], [~0], [~1], [1e300, 2.0], [True], [2])
    with pytest.raises(IncompatibleError, match="beyond the range of single precision"):
        export_model(TreeEnsembleModel((huge,), ("x",)), "opensearch-ltr")


@given(st.text(min_size=1), st.text(min_size=1))
def test_hostile_names_stay_names(feature: str, model_name: str) -> None:
    model = TreeEnsembleModel((STUMP,), (feature,), metric="AP\nEVIL")
    for target in ("solr", "opensearch-ltr"):
        export = export_model(model, target, Destination(model_name))
        mark = "//" if target == "solr" else "#"
        comments = [line for line in export.text.splitlines() if line.startswith(mark)]
        body = export.text[export.text.index("{\n") :]
        decoded, _ = json.JSONDecoder().raw_decode(body)
        assert decoded == json.loads(export.requests[0].json)
        assert not any(line.startswith("EVIL") for line in export.text.splitlines())
        assert comments


@given(single, st.integers(-3, 3))
def test_floored_thresholds_compare_floats_as_the_doubles_do(x: float, step: int) -> None:
    threshold = x
    for _ in range(abs(step)):
        threshold = float(np.nextafter(threshold, np.sign(step) * np.inf))
    found = floored(np.array([threshold]))[0]
    near = [x, *(float(np.nextafter(np.float32(x), np.float32(end))) for end in (-np.inf, np.inf))]
    assert [value <= threshold for value in near] == [np.float32(value) <= found for value in near]


@given(single)
def test_solr_s_slack_is_taken_off(threshold: float) -> None:
    wanted = np.float32(threshold)
    found = before_slack(np.array([wanted]))[0]
    above = np.nextafter(found, np.float32(np.inf))
    assert found + SLACK <= wanted < above + SLACK
