"""A small server with OpenSearch's search and pipeline interface, whose fusion is written out in plain Python.

It can be slow, busy, broken, killed and restarted, and can make the mistakes that `rankmax confirm` has to find.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Hits = dict[str, float]


class OpenSearchServer:
    """A server with indexes of documents, each with words and a vector."""

    def __init__(self, indexes: dict[str, dict[str, tuple[str, list[float]]]]) -> None:
        self.indexes = indexes
        self.pipelines: dict[str, Any] = {}
        self.answered: Counter[str] = Counter()  # searches by body
        self.requests = 0
        self.troubles: deque[str] = deque()  # one for each of the next requests; or none
        self.seconds = 0.0
        self.mistakes: dict[str, Any] = {}
        self.shards = 1
        self._server: ThreadingHTTPServer | None = None
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def search(self, index: str, body: dict[str, Any], pipeline: str | None) -> Hits:
        documents = self.indexes[self.mistakes.get("index", index)]
        query, size = body["query"], body["size"]
        if "hybrid" not in query:
            return top(clause_hits(documents, query), size)
        window = self.mistakes.get("window", query["hybrid"]["pagination_depth"])
        lists = [top(clause_hits(documents, clause), window) for clause in query["hybrid"]["queries"]]
        temporary = body.get("search_pipeline")
        assert (pipeline is None) != (temporary is None)
        (processor,) = (temporary or self.pipelines[pipeline or ""])["phase_results_processors"]
        return top(self.fuse(processor, lists), size)

    def fuse(self, processor: dict[str, Any], lists: list[Hits]) -> Hits:
        ((kind, settings),) = processor.items()
        combination = settings["combination"]
        weights = combination["parameters"]["weights"]
        if self.mistakes.get("ignores weights"):
            weights = [1 / len(weights)] * len(weights)
        if self.mistakes.get("swaps weights"):
            weights = weights[::-1]
        technique = "rrf" if kind == "score-ranker-processor" else settings["normalization"]["technique"]
        technique = self.mistakes.get("technique", technique)
        fused: Hits = {}
        for weight, hits in zip(weights, lists, strict=True):
            for document, score in normalized(technique, hits, combination.get("rank_constant", 60)).items():
                fused[document] = fused.get(document, 0.0) + weight * score
        return fused


def normalized(technique: str, hits: Hits, rank_constant: int) -> Hits:
    """Return the scores of one clause as OpenSearch normalizes them."""
    if not hits:
        return {}
    low, high = min(hits.values()), max(hits.values())
    if technique == "min_max":
        if low == high:
            return dict.fromkeys(hits, 1.0)
        return {d: (s - low) / (high - low) or 0.001 for d, s in hits.items()}
    if technique == "l2":
        length = sum(s * s for s in hits.values()) ** 0.5
        return {d: s / length for d, s in hits.items()}
    if technique == "z_score":
        mean = sum(hits.values()) / len(hits)
        deviation = (sum((s - mean) ** 2 for s in hits.values()) / (len(hits) - 1)) ** 0.5
        return {d: max((s - mean) / deviation, 0.001) for d, s in hits.items()}
    assert technique == "rrf"
    return {d: 1 / (rank_constant + rank) for rank, d in enumerate(hits, 1)}


def clause_hits(documents: dict[str, tuple[str, list[float]]], clause: dict[str, Any]) -> Hits:
    """Return the scores of the documents that a clause finds."""
    ((kind, asked),) = clause.items()
    ((field, wanted),) = asked.items()
    if kind == "match":
        words = (wanted["query"] if isinstance(wanted, dict) else wanted).split()
        found = {
            d: sum(text.split().count(word) / (1 + len(text)) for word in words) for d, (text, _) in documents.items()
        }
        return {d: s for d, s in found.items() if s > 0}
    assert (kind, field) == ("knn", "embedding")
    near = {d: sum(a * b for a, b in zip(wanted["vector"], v, strict=True)) for d, (_, v) in documents.items()}
    return top(near, wanted["k"])


def top(hits: Hits, n: int) -> Hits:
    """Return the n best, the best first."""
    return dict(sorted(hits.items(), key=lambda item: (item[1], item[0]), reverse=True)[:n])


def _handler(state: OpenSearchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _respond(self) -> None:
            state.requests += 1
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            time.sleep(state.seconds)
            trouble = state.troubles.popleft() if state.troubles else None
            if trouble in ("drop", "die"):
                if trouble == "die":
                    state.stop()
                self.connection.close()
                return
            if trouble == "partial":
                self._send(200, {"timed_out": True, "hits": {"hits": []}})
                return
            if trouble not in (None, "none"):
                status, _, after = trouble.partition(" ")
                self._send(int(status), {"error": "busy"}, {"Retry-After": after} if after else {})
                return
            self._send(*self._answer(body))

        do_GET = do_POST = do_PUT = do_DELETE = _respond  # noqa: N815

        def _answer(self, body: dict[str, Any]) -> tuple[int, Any]:
            parts = urlsplit(self.path)
            path = [unquote(part) for part in parts.path.strip("/").split("/")]
            if path[:2] == ["_search", "pipeline"]:
                if self.command == "PUT":
                    state.pipelines[path[2]] = body
                    return 200, {"acknowledged": True}
                if path[2] not in state.pipelines:
                    return 404, {}
                if self.command == "DELETE":
                    del state.pipelines[path[2]]
                    return 200, {"acknowledged": True}
                return 200, {path[2]: state.pipelines[path[2]]}
            if path[0] not in state.indexes or path[1:] != ["_search"]:
                return 404, {"error": "index_not_found_exception"}
            pipeline = parse_qs(parts.query).get("search_pipeline", [None])[0]
            if state.mistakes.get("keeps to the stored pipeline") and pipeline is None and "search_pipeline" in body:
                pipeline = next(iter(state.pipelines))
                body = {key: value for key, value in body.items() if key != "search_pipeline"}
            hits = state.search(path[0], body, pipeline)
            state.answered[json.dumps(body, sort_keys=True)] += 1
            found = [{"_id": document, "_score": score} for document, score in hits.items()]
            return 200, {"timed_out": False, "_shards": {"total": state.shards, "failed": 0}, "hits": {"hits": found}}

        def _send(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
            raw = json.dumps(content).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            with suppress(BrokenPipeError, ConnectionResetError):  # the client has given up
                self.end_headers()
                self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
