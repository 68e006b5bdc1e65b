"""Milvus: the edition that runs in a process of its own (milvus-lite), through its client."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oracles.replay.lists import Lists, Ranking, Search
from oracles.replay.pipelines import executed


@contextmanager
def milvus_replay(lists: Lists) -> Iterator[Search]:
    """Fill a collection for each query, as a search takes time for every document: a sparse vector for each system.

    Milvus has no document without a vector: all have a value in dimension 0, which no query asks for; scores are in
    dimension 1.
    """
    pymilvus = pytest.importorskip("pymilvus", reason="make engines fetches pymilvus and milvus-lite")
    pytest.importorskip("milvus_lite", reason="make engines fetches pymilvus and milvus-lite")
    queries = sorted({query for found in lists.values() for query in found})
    collections = {query: f"query{i}" for i, query in enumerate(queries)}
    with tempfile.TemporaryDirectory() as folder:
        client = pymilvus.MilvusClient(str(Path(folder) / "milvus.db"))
        try:
            schema = client.create_schema()
            schema.add_field("id", pymilvus.DataType.VARCHAR, is_primary=True, max_length=64)
            index = client.prepare_index_params()
            for name in lists:
                schema.add_field(name, pymilvus.DataType.SPARSE_FLOAT_VECTOR)
                index.add_index(name, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
            for query, collection in collections.items():
                client.create_collection(collection, schema=schema, index_params=index)
                client.insert(collection, _rows({name: found.get(query, {}) for name, found in lists.items()}))
                client.load_collection(collection)

            def search(text: str, query: str) -> Ranking:
                found = executed(text)["search"](client, collections[query], {name: {1: 1.0} for name in lists})
                return [(hit["id"], hit["distance"]) for hit in found]

            yield search
        finally:
            client.close()


def _rows(found: dict[str, dict[str, float]]) -> list[dict[str, object]]:
    """Return the documents that systems found for a query, with a vector for each system."""
    documents = sorted({document for scores in found.values() for document in scores}, reverse=True)
    return [
        {"id": d, **{name: {0: 1.0, **({1: scores[d]} if d in scores else {})} for name, scores in found.items()}}
        for d in documents
    ]
