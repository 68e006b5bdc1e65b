"""LanceDB: its own fusion of two tables of results, which hold a list as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from oracles.replay.lists import Lists, Ranking, Search
from oracles.replay.pipelines import executed, in_order


@contextmanager
def lancedb_replay(lists: Lists) -> Iterator[Search]:
    """Give LanceDB's fusion the first system's list as that of a full text search, the second's of a vector search."""
    pytest.importorskip("lancedb", reason="make engines fetches lancedb")
    import pyarrow as pa
    from lancedb.query import LanceHybridQueryBuilder

    documents = sorted({d for found in lists.values() for scores in found.values() for d in scores}, reverse=True)
    numbers = {document: number for number, document in enumerate(documents)}

    class Results:
        """What a table's hybrid search is asked, step by step."""

        def __init__(self, query: str) -> None:
            self.asked: dict[str, Any] = {"query": query}

        def search(self, query_type: str) -> Results:
            assert query_type == "hybrid"
            return self

        def text(self, words: str) -> Results:
            self.asked["words"] = self.table(words, "_score", 1.0)
            return self

        def vector(self, vector: str) -> Results:
            self.asked["vectors"] = self.table(vector, "_distance", -1.0)
            return self

        def limit(self, limit: int) -> Results:
            self.asked["limit"] = limit
            return self

        def rerank(self, reranker: Any, normalize: str) -> Results:
            self.asked |= {"reranker": reranker, "norm": normalize}
            return self

        def table(self, system: str, column: str, sign: float) -> Any:
            hits = in_order(lists[system].get(self.asked["query"], {}))
            scores = pa.array([sign * score for _, score in hits], pa.float32())
            return pa.table({"_rowid": pa.array([numbers[d] for d, _ in hits], pa.uint64()), column: scores})

        def to_list(self) -> list[dict[str, Any]]:
            asked = self.asked
            fused = LanceHybridQueryBuilder._combine_hybrid_results(
                asked["words"], asked["vectors"], asked["norm"], "", asked["reranker"], 2 * asked["limit"], True
            )
            return list(fused.to_pylist())

    def search(text: str, query: str) -> Ranking:
        module = executed(text)
        words, vectors = module["SYSTEMS"]
        found = module["search"](Results(query), words, vectors)
        return [(documents[row["_rowid"]], row["_relevance_score"]) for row in found]

    yield search
