from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from hypothesis import given, settings

from oracles.engines import requests_in, retriever_scores
from oracles.exported import Problem, check_same_order, linear_problems
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel, Provenance
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged, ZScore
from rankmax.preprocessing.run_normalization import (
    L2,
    ElasticsearchMinMax,
    OpenSearchMinMax,
    ReciprocalRank,
    RetrievedMinMax,
)

# The fields of the request, after elasticsearch-specification's Retriever.ts and the reference pages.
LINEAR = {"retrievers": list, "rank_window_size": int, "query": str, "fields": list, "normalizer": str}
LINEAR_ENTRY = {"retriever": dict, "weight": float, "normalizer": str}
RRF = {"retrievers": list, "rank_constant": int, "rank_window_size": int, "query": str, "fields": list}
RRF_ENTRY = {"retriever": dict, "weight": float}
BASE = {"filter": dict, "min_score": float, "_name": str}
KNN = BASE | {"field": str, "query_vector_builder": dict, "k": int, "num_candidates": int}
RERANKER = BASE | {"retriever": dict, "field": str, "inference_id": str, "inference_text": str, "rank_window_size": int}
STANDARD = BASE | {"query": dict, "search_after": list, "terminate_after": int, "sort": list, "collapse": dict}
OF_LISTS = [Unchanged(), ElasticsearchMinMax(), RetrievedMinMax(), L2(), ReciprocalRank(20)]


@settings(max_examples=25)
@given(linear_problems(OF_LISTS, negative_weights=False, missing=True))
def test_ranks_lists_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "elasticsearch-retriever", retriever_scores)


def test_scores_that_differ_by_less_than_a_millionth_are_equal() -> None:
    model = LinearModel([1.0, 1.0], ("bm25", "e5"), ElasticsearchMinMax())
    columns = {"bm25": [3e-7, 0.0, 7e-7], "e5": [1.0, 1.000002, 0.0]}
    problem = Problem(model, columns)
    assert problem.scores.tolist() == [1.0, 1.0, 1.0]
    assert retriever_scores(export_model(model, "elasticsearch-retriever").text, columns) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("normalization", "kind", "fields", "entry"),
    [(L2(), "linear", LINEAR, LINEAR_ENTRY), (ReciprocalRank(60), "rrf", RRF, RRF_ENTRY)],
)
def test_fields_are_those_of_the_specification(
    normalization: Any, kind: str, fields: dict[str, type], entry: dict[str, type]
) -> None:
    systems = ("bm25", "e5", "splade", "monot5")
    text = export_model(LinearModel([1.0, 3.0, 2.0, 5.0], systems, normalization), "elasticsearch-retriever").text
    ((_, _, body),) = requests_in(text)
    combined = body["retriever"][kind]
    check_fields(combined, BASE | fields)
    for component in combined["retrievers"]:
        check_fields(component, entry)
        ((name, retriever),) = component["retriever"].items()
        check_fields(retriever, {"standard": STANDARD, "knn": KNN, "text_similarity_reranker": RERANKER}[name])
    kinds = [next(iter(component["retriever"])) for component in combined["retrievers"]]
    assert kinds == ["standard", "knn", "standard", "text_similarity_reranker"]
    assert "sparse_vector" in combined["retrievers"][2]["retriever"]["standard"]["query"]


def check_fields(given_: dict[str, Any], allowed: dict[str, type]) -> None:
    assert {name: type(value) for name, value in given_.items() if allowed.get(name) is not type(value)} == {}


@pytest.fixture
def received() -> Iterator[tuple[str, list[Any]]]:
    """Start a server that keeps what it gets; yield its address and the bodies."""
    bodies: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            answer = b'{"hits": {"hits": []}}'
            self.send_response(200)
            for name, value in {
                "X-Elastic-Product": "Elasticsearch",
                "Content-Type": "application/json",
                "Content-Length": str(len(answer)),
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", bodies
        server.shutdown()


def test_the_official_client_sends_it_unchanged(received: tuple[str, list[Any]]) -> None:
    elasticsearch = pytest.importorskip("elasticsearch")
    model = LinearModel([0.25, 0.75], ("bm25", "e5"), RetrievedMinMax())
    ((_, _, body),) = requests_in(export_model(model, "elasticsearch-retriever").text)
    url, bodies = received
    with elasticsearch.Elasticsearch(url) as client:
        client.search(index="books", **body)
    assert bodies == [body]


def test_the_official_client_knows_the_queries() -> None:
    query = pytest.importorskip("elasticsearch.dsl").query
    ((_, _, body),) = requests_in(export_model(LinearModel([1.0], ("bm25",)), "elasticsearch-retriever").text)
    inner = body["retriever"]["linear"]["retrievers"][0]["retriever"]["standard"]["query"]
    assert query.Q(inner).to_dict() == inner


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            LinearModel([1.0, -0.5], ("bm25", "age")),
            r"'age' is -0.5: .*--space simplex",
        ),
        (LinearModel([1.0], ("bm25",), ZScore()), r"'z-score'.*: learn with rankmax tune --engine elasticsearch"),
        (LinearModel([1.0], ("bm25",), OpenSearchMinMax()), "'opensearch-min-max'"),
        (
            LinearModel([1.0], ("bm25",), MinMax()),
            "'min-max'.*--normalize retrieved-min-max: .*only those that it returns",
        ),
        (LinearModel([1.0], ("bm25",), ReciprocalRank(0.5)), "takes a positive integer as rank constant"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "elasticsearch-retriever")


def test_huge_weights_stay_within_single_precision() -> None:
    text = export_model(LinearModel([1e200, 3e200], ("bm25", "e5")), "elasticsearch-retriever").text
    assert retriever_scores(text, {"bm25": [3.0, 1.0], "e5": [1.0, 3.0]}) == pytest.approx([2.0, 10 / 3])


@pytest.mark.parametrize(
    ("normalization", "since"), [(L2(), "8.19, 9.1"), (ElasticsearchMinMax(), "8.18, 9.0"), (ReciprocalRank(), "9.2")]
)
def test_it_says_which_release_knows_it(normalization: Any, since: str) -> None:
    text = export_model(LinearModel([1.0], ("bm25",), normalization), "elasticsearch-retriever").text
    assert f"(Elasticsearch {since} or later)" in text


def test_as_many_documents_as_the_runs_had() -> None:
    model = LinearModel([1.0, 1.0], ("bm25", "e5"), provenance=Provenance(parameters={"depth": 1000}))
    ((_, _, body),) = requests_in(export_model(model, "elasticsearch-retriever").text)
    linear = body["retriever"]["linear"]
    assert linear["rank_window_size"] == linear["retrievers"][1]["retriever"]["knn"]["k"] == 1000
    deep = LinearModel([1.0], ("bm25",), provenance=Provenance(parameters={"depth": 20_000}))
    assert "index.max_result_window" in export_model(deep, "elasticsearch-retriever").text
