"""The contract of engines holds for those that run here, and catches bad ones."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path

import pytest

from oracles.opensearch_server import OpenSearchServer
from rankmax.engines.connectors.engine import Answer, Connection, Engine, Fusion
from rankmax.engines.connectors.opensearch import OpenSearch
from rankmax.engines.connectors.sqlite import SQLite
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import RetrievedMinMax
from rankmax.testing.engines import EngineContract

WORDS = ["wing", "flutter", "heat", "flow", "shock", "wave"]
DRAW = random.Random(3)
DOCUMENTS = {f"d{n}": (" ".join(DRAW.choices(WORDS, k=5 + n)), [DRAW.random() for _ in "abc"]) for n in range(30)}
VALUES = {"query": "wing heat", "vector": [0.5, 0.1, 0.9], "depth": 12}
DOT = "SELECT document, {sum} AS score FROM vectors GROUP BY document ORDER BY score DESC LIMIT $depth"


def sqlite_database(path: Path) -> str:
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE docs USING fts5(document UNINDEXED, body)")
    database.executemany("INSERT INTO docs VALUES (?, ?)", [(name, text) for name, (text, _) in DOCUMENTS.items()])
    database.execute("CREATE TABLE vectors (document, dimension, value)")
    rows = [(name, j, x) for name, (_, vector) in DOCUMENTS.items() for j, x in enumerate(vector)]
    database.executemany("INSERT INTO vectors VALUES (?, ?, ?)", rows)
    database.commit()
    database.close()
    return str(path)


SQLITE_TEMPLATES = {
    "bm25": "SELECT document, -1e6 * bm25(docs) AS score FROM docs WHERE docs MATCH any_word($query) "
    "ORDER BY score DESC LIMIT $depth;",
    "dense": "SELECT document, SUM(vectors.value * asked.value) AS score FROM vectors "
    "JOIN json_each($vector) AS asked ON vectors.dimension = asked.key GROUP BY document "
    "ORDER BY score DESC LIMIT $depth -- the nearest",
}


class TestSQLite(EngineContract):
    templates = SQLITE_TEMPLATES
    values = VALUES

    @pytest.fixture(autouse=True)
    def connected(self, tmp_path: Path) -> None:
        self.engine = SQLite(Connection(sqlite_database(tmp_path / "docs.db")))


class TestDuckDB(EngineContract):
    values = VALUES
    templates = {  # noqa: RUF012
        "titles": "SELECT document, jaccard(body, $query) AS score FROM docs "
        "ORDER BY score DESC, document DESC LIMIT $depth",
        "dense": "SELECT document, list_dot_product(embedding, CAST(CAST($vector AS JSON) AS DOUBLE[])) AS score "
        "FROM docs ORDER BY score DESC LIMIT $depth",
    }

    @pytest.fixture(autouse=True)
    def connected(self, tmp_path: Path) -> None:
        duckdb = pytest.importorskip("duckdb")
        from rankmax.engines.connectors.duckdb import DuckDB

        with duckdb.connect(str(tmp_path / "docs.duckdb")) as database:
            database.execute("CREATE TABLE docs (document TEXT, body TEXT, embedding DOUBLE[])")
            rows = [(name, text, vector) for name, (text, vector) in DOCUMENTS.items()]
            database.executemany("INSERT INTO docs VALUES (?, ?, ?)", rows)
        self.engine = DuckDB(Connection(str(tmp_path / "docs.duckdb")))


class TestOpenSearch(EngineContract):
    values = VALUES
    templates = {  # noqa: RUF012
        "bm25": {"query": {"match": {"body": "{query}"}}},
        "dense": json.dumps({"query": {"knn": {"embedding": {"vector": "{vector}", "k": "{depth}"}}}}),
    }

    @pytest.fixture(autouse=True)
    def connected(self, monkeypatch: pytest.MonkeyPatch):
        for name in ("RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"):
            monkeypatch.delenv(name, raising=False)
        server = OpenSearchServer({"docs": DOCUMENTS})
        self.engine = OpenSearch(Connection(server.url, "docs"))
        yield
        server.stop()


def failures(engine: Engine) -> set[str]:
    contract, found = EngineContract(), set()
    contract.engine, contract.templates, contract.values = engine, SQLITE_TEMPLATES, VALUES
    for test in (name for name in dir(EngineContract) if name.startswith("test_")):
        try:
            getattr(contract, test)()
        except (AssertionError, KeyError):
            found.add(test)
    return found


def test_bad_engines_are_caught(tmp_path: Path) -> None:
    class IgnoresWeights(SQLite):
        def put(self, fusion: Fusion) -> None:
            model = LinearModel([1.0, 1.0], fusion.model.feature_names, fusion.model.normalization)
            super().put(Fusion(fusion.name, model, fusion.templates, fusion.depth))

    class Normalizes(SQLite):
        def put(self, fusion: Fusion) -> None:
            assert isinstance(fusion.model, LinearModel)
            model = LinearModel(fusion.model.weights, fusion.model.feature_names, RetrievedMinMax())
            super().put(Fusion(fusion.name, model, fusion.templates, fusion.depth))

    class Keeps(SQLite):
        def remove(self, name: str) -> None:
            pass

    class Deep(SQLite):
        def search(self, template, values, depth) -> Answer:
            return super().search(template, {**values, "depth": 9}, 9)

    connection = Connection(sqlite_database(tmp_path / "docs.db"))
    assert failures(SQLite(connection)) == set()
    fused = "test_the_engine_fuses_as_the_model_does"
    assert failures(IgnoresWeights(connection)) == {fused}
    assert failures(Normalizes(connection)) == {fused}
    assert "test_no_more_documents_than_asked_for" in failures(Deep(connection))
    SQLite(connection).remove("contract")
    assert failures(Keeps(connection)) == {"test_a_fusion_can_be_taken_back"}
