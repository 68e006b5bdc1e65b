from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from oracles.engines import hybrid_scores, requests_in
from oracles.exported import Problem, check_same_order, linear_problems
from rankmax.engines.export_target import Destination
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel, Provenance
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged
from rankmax.preprocessing.run_normalization import L2, OpenSearchMinMax, OpenSearchZScore, ReciprocalRank

EXPRESSIBLE = [OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank(60)]


@settings(max_examples=25)
@given(linear_problems(EXPRESSIBLE, negative_weights=False, missing=True))
def test_ranks_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "opensearch-hybrid", hybrid_scores)


def test_the_lowest_hit_stands_above_documents_that_are_no_hits() -> None:
    model = LinearModel([1.0], ("bm25",), OpenSearchMinMax())
    scores = hybrid_scores(export_model(model, "opensearch-hybrid").text, {"bm25": [5.0, 2.0, 0.0]})
    assert scores == pytest.approx([1.0, 0.001, 0.0])


def test_weights_add_up_to_one() -> None:
    model = LinearModel([3e307, 0.0, 9e307], ("bm25", "unused", "e5"), L2())
    written = export_model(model, "opensearch-hybrid", Destination("my pipeline"))
    (method, path, body), (_, search, _) = requests_in(written.text)
    assert (method, path) == ("PUT", "_search/pipeline/my%20pipeline")
    assert search.endswith("?search_pipeline=my%20pipeline")
    assert body == written.requests[0].body
    (processor,) = body["phase_results_processors"]
    parameters = processor["normalization-processor"]["combination"]["parameters"]
    assert parameters["weights"] == pytest.approx([0.25, 0.75])


def test_a_single_system_has_a_weight_that_reads_as_a_double() -> None:
    text = export_model(LinearModel([4], ("bm25",), L2()), "opensearch-hybrid").text
    assert re.search(r'"weights": \[\s+1\.0\s+\]', text)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearModel([1.0, -0.5], ("bm25", "age"), L2()), "no negative weight, and that of 'age' is -0.5"),
        (LinearModel([1.0], ("bm25",), Unchanged()), "cannot apply the normalization 'none'"),
        (LinearModel([1.0], ("bm25",), MinMax()), "learn with rankmax tune --engine opensearch"),
        (LinearModel([1.0], ("bm25",), ReciprocalRank(20_000)), "from 1 to 10000 as rank constant"),
        (LinearModel([1.0] * 6, tuple("abcdef"), L2()), "at most 5 clauses, and the model weighs 6 systems"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "opensearch-hybrid")


def test_as_many_documents_as_the_runs_had_on_each_shard() -> None:
    model = LinearModel([1.0, 1.0], ("bm25", "e5"), L2(), provenance=Provenance(parameters={"depth": 50}))
    text = export_model(model, "opensearch-hybrid").text
    _, (_, _, search) = requests_in(text)
    assert search["query"]["hybrid"]["pagination_depth"] == 50
    assert "on each shard, for each clause" in " ".join(text.replace("#", "").split())


def test_clauses_fit_the_systems() -> None:
    systems = ("bm25", "e5", "splade", "monot5", "clicks")
    text = export_model(LinearModel([1.0] * 5, systems, L2()), "opensearch-hybrid").text
    _, (_, _, search) = requests_in(text)
    clauses = search["query"]["hybrid"]["queries"]
    assert [next(iter(clause)) for clause in clauses] == ["match", "knn", "neural_sparse", "match", "match"]
    assert "No clause of a hybrid query reranks, as monot5" in text
