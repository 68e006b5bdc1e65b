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
    """Fill a collection: a sparse vector for each system, in which query i is dimension i + 1.

    Milvus has no document without a vector: all have a value in dimension 0, which no query asks for.
    """
    pymilvus = pytest.importorskip("pymilvus", reason="make engines fetches pymilvus and milvus-lite")
    pytest.importorskip("milvus_lite", reason="make engines fetches pymilvus and milvus-lite")
    queries = sorted({query for found in lists.values() for query in found})
    documents = sorted({d for found in lists.values() for scores in found.values() for d in scores}, reverse=True)
    with tempfile.TemporaryDirectory() as folder:
        client = pymilvus.MilvusClient(str(Path(folder) / "milvus.db"))
        schema = client.create_schema()
        schema.add_field("id", pymilvus.DataType.VARCHAR, is_primary=True, max_length=64)
        index = client.prepare_index_params()
        for name in lists:
            schema.add_field(name, pymilvus.DataType.SPARSE_FLOAT_VECTOR)
            index.add_index(name, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        client.create_collection("c", schema=schema, index_params=index)
        rows = [
            {"id": document, **{name: {0: 1.0, **_scores(found, queries, document)} for name, found in lists.items()}}
            for document in documents
        ]
        client.insert("c", rows)
        client.load_collection("c")

        def search(text: str, query: str) -> Ranking:
            vector = {queries.index(query) + 1: 1.0}
            found = executed(text)["search"](client, "c", dict.fromkeys(lists, vector))
            return [(hit["id"], hit["distance"]) for hit in found]

        try:
            yield search
        finally:
            client.close()


def _scores(found: dict[str, dict[str, float]], queries: list[str], document: str) -> dict[int, float]:
    return {i: found[q][document] for i, q in enumerate(queries, 1) if document in found.get(q, {})}
