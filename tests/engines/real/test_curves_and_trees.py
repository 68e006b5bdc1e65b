"""Additive models and sums of trees in real engines, against what `rankmax rank` writes: runs are fields there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from engines import opensearch
from engines.replay import OpenSearchReplay, Ranking, Runs, SolrReplay, agreement, in_single_precision, predicted
from engines.server import call
from oracles.engines import requests_in
from rankmax.engines.curves import lowest_score
from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import export_model
from rankmax.formats.trec import read_run
from rankmax.models import AdditiveModel, LinearModel, TreeEnsembleModel
from rankmax.models.additive_model import Product
from rankmax.models.curve import Curve
from rankmax.models.ranking_model import RankingModel
from rankmax.models.trees.structure import Tree

FOLDER = Path(__file__).parents[3] / ".engines" / "opensearch"
SYSTEMS = {"first": "bm25", "second": "splade", "third": "monot5"}  # by names that are no guess of a kind
TEMPLATES = {name: SystemTemplate(field=f"score_{name}") for name in SYSTEMS}
N_QUERIES = 12
SINGLE = 1e-5


@pytest.fixture(scope="module")
def runs(shared_data: Path) -> Runs:
    folder = shared_data / "runs" / "dl19-passage"
    found = {name: read_run(folder / f"{system}.run.gz").to_dict() for name, system in SYSTEMS.items()}
    queries = sorted(found["first"])[:N_QUERIES]
    return in_single_precision({name: {q: run[q] for q in queries} for name, run in found.items()}, depth=50)


def values_of(runs: Runs, name: str) -> np.ndarray:
    return np.unique([score for hits in runs[name].values() for score in hits.values()])


def curves(runs: Runs, kind: str) -> AdditiveModel:
    """Return curves with knots at values of the runs, so that comparisons with them are exact or wrong."""
    rng = np.random.default_rng(5)
    made = []
    for name in runs:
        values = values_of(runs, name)
        knots = np.unique(rng.choice(values, 12, replace=False))
        made.append(Curve(knots, rng.normal(size=knots.size + (kind == "constant")).round(3), kind))  # type: ignore[arg-type]
    return AdditiveModel(made, tuple(runs), metric="AP")


def with_products(model: AdditiveModel) -> AdditiveModel:
    return AdditiveModel(model.curves, model.feature_names, [Product("first", "third", 0.5)])


def trees(runs: Runs) -> TreeEnsembleModel:
    """Return trees of depth 3 whose thresholds are values of the runs, and floats beside them."""
    rng = np.random.default_rng(6)
    names = tuple(runs)
    made = []
    for _ in range(20):
        feature = rng.integers(0, len(names), 7)
        near = [float(rng.choice(values_of(runs, names[f]))) for f in feature]
        thresholds = [x if rng.random() < 0.5 else float(np.nextafter(np.float32(x), np.float32(0))) for x in near]
        left, right = [1, 3, 5, ~0, ~2, ~4, ~6], [2, 4, 6, ~1, ~3, ~5, ~7]
        made.append(Tree(feature, thresholds, left, right, rng.normal(size=8), np.ones(7, bool), np.zeros(7)))  # type: ignore[arg-type]
    return TreeEnsembleModel(tuple(made), names)


def check(found: dict[str, Ranking], model: RankingModel, runs: Runs, shift: float = 0.0) -> None:
    expected = {
        query: [(document, score + shift) for document, score in ranking]
        for query, ranking in predicted(model, runs).items()  # type: ignore[arg-type]
    }
    compared = agreement(found, expected)
    assert compared.alike == compared.queries == N_QUERIES
    assert compared.difference < SINGLE


@pytest.fixture(scope="module")
def solr(solr_address: str, runs: Runs) -> SolrReplay:
    call(f"{solr_address}/update?commit=true&wt=json", "POST", {"delete": {"query": "*:*"}})
    return SolrReplay(solr_address, runs)


def solr_functions(replay: SolrReplay, model: Any) -> dict[str, Ranking]:
    ((_, _, body),) = requests_in(export_model(model, "solr-function", Destination(templates=TEMPLATES)).text)
    found = {}
    for query in replay.queries:
        sent = {**body, "filter": f"query:{query}", "fields": "document,score", "limit": 60}
        answer = call(f"{replay.address}/query?wt=json", "POST", sent)
        found[query] = [(hit["document"], hit["score"]) for hit in answer["response"]["docs"]]
    return found


def test_solr_reranks_by_trees_and_steps(solr: SolrReplay, runs: Runs) -> None:
    check(solr.reranked(trees(runs), name="trees"), trees(runs), runs)  # type: ignore[arg-type]
    steps = curves(runs, "constant")
    check(solr.reranked(steps, name="steps"), steps, runs)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["constant", "linear"])
def test_solr_s_functions(solr: SolrReplay, runs: Runs, kind: str) -> None:
    model = with_products(curves(runs, kind))
    check(solr_functions(solr, model), model, runs, -min(lowest_score(model), 0.0))


def test_solr_s_functions_of_weights(solr: SolrReplay, runs: Runs) -> None:
    model = LinearModel([0.5, -1e-3, -0.25], tuple(runs))
    expected = {
        query: [(d, s + 1 if s >= 0 else 1 / (1 - s)) for d, s in ranking]
        for query, ranking in predicted(model, runs).items()
    }
    compared = agreement(solr_functions(solr, model), expected)
    assert compared.alike == compared.queries
    assert compared.difference < SINGLE


@pytest.fixture(scope="module")
def replay(opensearch_address: str, runs: Runs) -> OpenSearchReplay:
    call(f"{opensearch_address}/curves*", "DELETE")
    return OpenSearchReplay(opensearch_address, runs, index="curves")


def searched(replay: OpenSearchReplay, model: Any, target: str) -> dict[str, Ranking]:
    """Return the rankings by the exported search, over all candidates of a query."""
    ((_, path, body),) = requests_in(export_model(model, target, Destination(templates=TEMPLATES)).text)
    (scored,) = body["query"].values()
    found = {}
    for query in replay.queries:
        scored["query"] = {"bool": {"filter": [{"term": {"query": query}}]}}
        answer = call(f"{replay.address}/{path.replace('YOUR-INDEX', 'curves')}", "POST", {**body, "size": 60})
        found[query] = [(hit["_source"]["document"], hit["_score"]) for hit in answer["hits"]["hits"]]
    return found


@pytest.mark.parametrize("kind", ["constant", "linear"])
def test_a_script_in_opensearch(replay: OpenSearchReplay, runs: Runs, kind: str) -> None:
    model = with_products(curves(runs, kind))
    check(searched(replay, model, "script-score"), model, runs, -min(lowest_score(model), 0.0))


def test_weights_of_ranges_in_opensearch(replay: OpenSearchReplay, runs: Runs) -> None:
    model = curves(runs, "constant")
    shift = 1.0 - sum(float(curve.values.min()) for curve in model.curves)
    check(searched(replay, model, "function-score"), model, runs, shift)


@pytest.mark.parametrize("target", ["script-score", "function-score"])
def test_weights_in_opensearch(replay: OpenSearchReplay, runs: Runs, target: str) -> None:
    model = LinearModel([0.5, 1e-3, 0.25], tuple(runs))
    check(searched(replay, model, target), model, runs, 1.0)


def test_a_script_reads_the_score_of_the_query(replay: OpenSearchReplay) -> None:
    model = AdditiveModel([Curve([1.0, 3.0], [0.0, 4.0])], ("bm25",))
    ((_, path, body),) = requests_in(export_model(model, "script-score").text)
    inner = {"function_score": {"query": {"match_all": {}}, "functions": [{"weight": 2.5}], "boost_mode": "replace"}}
    body["query"]["script_score"]["query"] = inner
    answer = call(f"{replay.address}/{path.replace('YOUR-INDEX', 'curves')}", "POST", {**body, "size": 1})
    assert answer["hits"]["hits"][0]["_score"] == 3.0


@pytest.mark.skipif(
    not opensearch.is_installed(FOLDER) or opensearch.LEARNING_TO_RANK not in opensearch.plugins(FOLDER),
    reason=f"no Learning to Rank plugin, which package repositories lack: {opensearch.PLUGINS} may name a folder",
)
def test_the_plugin_reranks_by_trees_and_steps(replay: OpenSearchReplay, runs: Runs) -> None:
    for model in (trees(runs), curves(runs, "constant")):
        check(replay.reranked(model), model, runs)  # type: ignore[arg-type]


def test_names_of_fields_stay_names(solr_address: str) -> None:
    """A field that does not exist is an error that names it, and not a function that runs."""
    name = 'x"),product(1,2'
    ((_, _, body),) = requests_in(export_model(LinearModel([1.0], (name,)), "solr-function").text)
    with pytest.raises(Exception, match=r"undefined field|400"):
        call(f"{solr_address}/query?wt=json&q={quote('*:*')}", "POST", json.loads(json.dumps(body)))
