"""Elasticsearch's and OpenSearch's searches, against servers that keep what they are sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from rankmax.engines.connectors.elasticsearch import Elasticsearch
from rankmax.engines.connectors.engine import Connection, Engine, Fusion, Hit
from rankmax.engines.connectors.opensearch import OpenSearch
from rankmax.engines.connectors.solr import Solr
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError, ServerError, TransientServerError
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import L2

VALUES = {"query": "wing", "vector": [1.0, 2.0], "depth": 5}


class Keeper:
    """A server that answers as told, and keeps what it was sent."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, Any]] = []
        self.answers: list[Any] = []
        state = self

        class Handler(BaseHTTPRequestHandler):
            def respond(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                state.got.append((self.command, self.path, body))
                answer = state.answers.pop(0)
                status, content = answer if isinstance(answer, tuple) else (200, answer)
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PUT = do_DELETE = respond  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def connected(self, engine: type[Engine]) -> Engine:
        return engine(Connection(f"http://127.0.0.1:{self.server.server_port}", "my docs/1"))


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    for name in ("RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    server = Keeper()
    yield server
    server.server.shutdown()
    server.server.server_close()


def hits(*found: tuple[str, float]) -> dict[str, Any]:
    return {
        "hits": {"hits": [{"_id": name, "_score": score} for name, score in found]},
        "_shards": {"total": 2, "failed": 0},
    }


class TestElasticsearch:
    def test_a_search_is_the_filled_template(self, keeper: Keeper) -> None:
        keeper.answers = [hits(("d1", 2.5))]
        answer = keeper.connected(Elasticsearch).search({"query": {"match": {"body": "{query}"}}}, VALUES, 5)
        assert (answer.hits, answer.shards) == ((Hit("d1", 2.5),), 2)
        body = {"_source": False, "query": {"match": {"body": "wing"}}, "size": 5}
        assert keeper.got == [("POST", "/my%20docs%2F1/_search", body)]

    def test_a_fused_search_has_the_filled_templates_as_retrievers(self, keeper: Keeper) -> None:
        keeper.answers = [hits(("d1", 2.5))]
        templates = {
            "bm25": {"query": {"match": {"body": "{query}"}}},
            "dense": {"knn": {"field": "v", "query_vector": "{vector}", "k": "{depth}", "num_candidates": 50}},
            "own": {"retriever": {"standard": {"query": {"term": {"x": "{query}"}}}}},
        }
        engine = keeper.connected(Elasticsearch)
        fusion = Fusion("f", LinearModel([0.5, 0.25, 0.25], tuple(templates), L2()), templates, 5)
        engine.fused_search(fusion, {**dict.fromkeys(templates, VALUES), "dense": {**VALUES, "vector": [3.0]}}, 3)
        ((_, _, body),) = keeper.got
        assert body["size"] == 3
        assert [one["retriever"] for one in body["retriever"]["linear"]["retrievers"]] == [
            {"standard": {"query": {"match": {"body": "wing"}}}},
            {"knn": {"field": "v", "query_vector": [3.0], "k": 5, "num_candidates": 50}},
            {"standard": {"query": {"term": {"x": "wing"}}}},
        ]
        assert [one["weight"] for one in body["retriever"]["linear"]["retrievers"]] == [0.5, 0.25, 0.25]

    def test_nothing_can_be_stored(self, keeper: Keeper) -> None:
        fusion = Fusion("f", LinearModel([1.0], ("bm25",), L2()), {}, 5)
        with pytest.raises(IncompatibleError, match="rankmax export writes"):
            keeper.connected(Elasticsearch).put(fusion)

    def test_what_a_retriever_cannot_hold_is_refused(self) -> None:
        with pytest.raises(
            InvalidParameterError, match="the template has query, sort; expected query or knn or retriever"
        ):
            Elasticsearch.checked({"query": {}, "sort": []})


class TestResponses:
    TEMPLATE: dict[str, Any] = {"query": {"match": {"body": "{query}"}}}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("answer", "kind", "words"),
        [
            ({"timed_out": True, **hits()}, TransientServerError, "a part of the results"),
            ({**hits(), "_shards": {"total": 2, "failed": 1}}, TransientServerError, "a part of the results"),
            ((429, {}), TransientServerError, "answered 429"),
            ((400, {"error": "parsing_exception"}), ServerError, "answered 400 Bad Request.*parsing_exception"),
            (b"<html>", ServerError, "did not answer in JSON"),
            ({"hits": {"hits": [{"_id": "d1", "_score": None}]}}, ServerError, "did not answer as expected"),
            ({"hits": 3}, ServerError, "did not answer as expected"),
        ],
    )
    def test_what_is_no_answer(self, keeper: Keeper, answer: Any, kind: type[ServerError], words: str) -> None:
        keeper.answers = [answer]
        with pytest.raises(kind, match=words) as error:
            keeper.connected(OpenSearch).search(self.TEMPLATE, VALUES, 5)
        assert type(error.value) is kind

    def test_what_is_no_address(self) -> None:
        with pytest.raises(RankmaxError, match="not the address of an engine"):
            OpenSearch(Connection("localhost:9200", "docs"))


class TestSolr:
    TEMPLATES: dict[str, Any] = {  # noqa: RUF012
        "bm25": {"query": "{!edismax qf=body v=$words}", "params": {"words": "{query}"}},
        "dense": {"query": "{!knn f=v topK={depth}}{vector}"},
    }
    FOUND: dict[str, Any] = {"response": {"docs": [{"id": "d1", "score": 2.5}]}}  # noqa: RUF012

    def test_a_search_is_the_filled_template(self, keeper: Keeper) -> None:
        keeper.answers = [self.FOUND, self.FOUND]
        engine = keeper.connected(Solr)
        assert engine.search(self.TEMPLATES["bm25"], VALUES, 5).hits == (Hit("d1", 2.5),)
        engine.search(self.TEMPLATES["dense"], VALUES, 5)
        fields = {"limit": 5, "fields": ["id", "score"]}
        assert [body for _, _, body in keeper.got] == [
            {"query": "{!edismax qf=body v=$words}", "params": {"words": "wing"}, **fields},
            {"query": "{!knn f=v topK=5}[1.0,2.0]", **fields},
        ]

    def test_a_model_is_replaced(self, keeper: Keeper) -> None:
        keeper.answers = [{"models": [{"name": "f"}]}, {}, {}]
        keeper.connected(Solr).put(Fusion("f", LinearModel([1.0, 2.0], ("bm25", "dense")), self.TEMPLATES, 5))
        store = "/my%20docs%2F1/schema/model-store"
        assert [(method, path) for method, path, _ in keeper.got] == [
            ("GET", store),
            ("DELETE", f"{store}/f"),
            ("PUT", store),
        ]
        assert keeper.got[2][2]["params"] == {"weights": {"bm25": 1.0, "dense": 2.0}}

    def test_a_fused_search_reranks_the_union(self, keeper: Keeper) -> None:
        keeper.answers = [self.FOUND]
        fusion = Fusion("f", LinearModel([1.0, 2.0], ("bm25", "dense")), self.TEMPLATES, 5)
        keeper.connected(Solr).fused_search(fusion, dict.fromkeys(self.TEMPLATES, VALUES), 3)
        ((_, _, body),) = keeper.got
        assert body["query"] == "{!bool should=$retriever0 should=$retriever1}"
        assert body["params"]["rq"] == "{!ltr model=f reRankDocs=10 efi.query=$query_text}"
        assert body["params"]["retriever1"] == "{!knn f=v topK=5}[1.0,2.0]"

    def test_a_part_of_the_results_is_no_answer(self, keeper: Keeper) -> None:
        keeper.answers = [{**self.FOUND, "responseHeader": {"partialResults": True}}]
        with pytest.raises(TransientServerError, match="a part of the results"):
            keeper.connected(Solr).search(self.TEMPLATES["bm25"], VALUES, 5)
