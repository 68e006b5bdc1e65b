"""Qdrant: its Rust core in this process (qdrant-edge), and the client's own local mode in Python."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from oracles.engines import requests_in
from oracles.replay.lists import DEPTH, Lists, Ranking, Search


@contextmanager
def qdrant_edge_replay(lists: Lists) -> Iterator[Search]:
    """Fill a shard: a sparse vector for each system, in which query i is dimension i."""
    qdrant = pytest.importorskip("qdrant_edge", reason="make engines fetches qdrant-edge-py")
    queries, documents = _numbered(lists)
    points = [
        qdrant.Point(number, {name: qdrant.SparseVector(*vector) for name, vector in vectors.items()}, {})
        for number, vectors in _points(lists, queries, documents)
    ]
    with tempfile.TemporaryDirectory() as folder:
        sparse = {name: qdrant.EdgeSparseVectorParams() for name in lists}
        shard = qdrant.EdgeShard.create(folder, qdrant.EdgeConfig(sparse_vectors=sparse))
        shard.update(qdrant.UpdateOperation.upsert_points(points))

        def search(text: str, query: str) -> Ranking:
            body = _body(text)
            vector = qdrant.SparseVector([queries.index(query)], [1.0])
            prefetches = [
                qdrant.Prefetch(limit=one["limit"], query=qdrant.Query.Nearest(vector, using=one["using"]))
                for one in body["prefetch"]
            ]
            request = qdrant.QueryRequest(
                limit=body["limit"], prefetches=prefetches, query=_edge_fusion(qdrant, body["query"])
            )
            return [(documents[point.id], point.score) for point in shard.query(request)]

        yield search
        shard.close()


@contextmanager
def qdrant_client_replay(lists: Lists) -> Iterator[Search]:
    """Fill collections of the client's local mode, which reads the request as a server does.

    Each query has its own, in which it is dimension 0, as a search takes time for every document.
    """
    qdrant = pytest.importorskip("qdrant_client", reason="make engines fetches qdrant-client")
    models = qdrant.models
    queries, documents = _numbered(lists)
    client = qdrant.QdrantClient(":memory:")
    for i, query in enumerate(queries):
        client.create_collection(f"c{i}", sparse_vectors_config={name: models.SparseVectorParams() for name in lists})
        asked = {name: {query: found.get(query, {})} for name, found in lists.items()}
        points = [
            models.PointStruct(
                id=number, vector={n: models.SparseVector(indices=v[0], values=v[1]) for n, v in vectors.items()}
            )
            for number, vectors in _points(asked, [query], documents)
        ]
        client.upsert(f"c{i}", points)

    def search(text: str, query: str) -> Ranking:
        body = _body(text)
        for prefetch in body["prefetch"]:
            prefetch["query"] = {"indices": [0], "values": [1.0]}
        request = models.QueryRequest.model_validate(body)
        collection = f"c{queries.index(query)}"
        found = client.query_points(collection, prefetch=request.prefetch, query=request.query, limit=request.limit)
        return [(documents[point.id], point.score) for point in found.points]

    yield search
    client.close()


def _body(text: str) -> dict[str, Any]:
    ((_, path, body),) = requests_in(text)
    assert path == "collections/YOUR-COLLECTION/points/query"
    assert all(prefetch["limit"] == DEPTH for prefetch in body["prefetch"])
    return body


def _edge_fusion(qdrant: Any, query: dict[str, Any]) -> Any:
    if "rrf" in query:
        return qdrant.Fusion.Rrf(**query["rrf"])
    terms = [
        qdrant.Expression.Mult([qdrant.Expression.Constant(weight), qdrant.Expression.Variable(score)])
        for weight, score in (term["mult"] for term in query["formula"]["sum"])
    ]
    return qdrant.Formula(qdrant.Expression.Sum(terms), query["defaults"])


def _numbered(lists: Lists) -> tuple[list[str], list[str]]:
    queries = sorted({query for found in lists.values() for query in found})
    documents = {document for found in lists.values() for scores in found.values() for document in scores}
    return queries, sorted(documents, reverse=True)  # equal scores go by number: here, by id, descending


def _points(
    lists: Lists, queries: list[str], documents: list[str]
) -> Iterator[tuple[int, dict[str, tuple[list[int], list[float]]]]]:
    for number, document in enumerate(documents):
        vectors = {}
        for name, found in lists.items():
            scores = [(i, found[q][document]) for i, q in enumerate(queries) if document in found.get(q, {})]
            if scores:
                vectors[name] = ([i for i, _ in scores], [score for _, score in scores])
        if vectors:
            yield number, vectors
