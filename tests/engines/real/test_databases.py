"""What PostgreSQL, DuckDB and SQLite make of the exported hybrid query, on runs that they return as they are."""

from __future__ import annotations

import importlib.util
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from oracles.databases import duckdb_database, postgresql_server
from oracles.replay.databases import by_position, duckdb_replay, postgresql_replay, sqlite_replay
from oracles.replay.lists import NEGATIVE, TIED, Replay, check_ranks_as_the_model_does, deep_learning_lists
from rankmax.data.runs import Run
from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel, Provenance
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax, RetrievedZScore

DATABASES = pytest.mark.parametrize(
    ("target", "replay"),
    [("postgresql-hybrid", postgresql_replay), ("duckdb-hybrid", duckdb_replay), ("sqlite-hybrid", sqlite_replay)],
)
NORMALIZATIONS = [RetrievedMinMax(), ReciprocalRank(), Unchanged(), RetrievedZScore()]


@DATABASES
def test_real_runs(target: str, replay: Replay, shared_data: Path) -> None:
    lists = deep_learning_lists(shared_data / "runs" / "dl19-passage", n_queries=3)
    with replay(lists) as search:
        for systems in (("bm25", "e5"), ("bm25", "colbert", "splade")):
            chosen = {name: lists[name] for name in systems}
            for normalization in NORMALIZATIONS:
                found = check_ranks_as_the_model_does(search, chosen, target, normalization, precision=1e-12)
                assert found.is_whole
                assert found.largest_difference < 1e-12


@DATABASES
def test_ties_zeros_missing_documents_and_negative_scores(target: str, replay: Replay) -> None:
    for lists in (TIED, NEGATIVE):
        with replay(lists) as search:
            for normalization in NORMALIZATIONS:
                found = check_ranks_as_the_model_does(search, lists, target, normalization, precision=1e-12)
                assert found.n_same == found.n_rankings or normalization == RetrievedZScore()
                assert found.is_whole


TEXTS = {"d1": "red apple pie", "d2": "green apple", "d3": "blue sky and red sun", "d4": "apple apple red", "d5": "sea"}
VECTORS = {"d1": [1.0, 0.0], "d2": [0.6, 0.8], "d3": [0.0, 1.0], "d4": [-1.0, 0.0], "d5": [0.8, 0.6]}
MODEL = LinearModel([0.25, 0.75], ("bm25", "e5"), RetrievedMinMax(), provenance=Provenance(parameters={"depth": 4}))
COSINES = {"d1": 0.8, "d2": 0.96, "d3": 0.6, "d4": -0.8, "d5": 1.0}  # with [0.8, 0.6]


def templates(table: str, vectors: str) -> Destination:
    e5 = SystemTemplate(table=vectors, field="embedding", dimension=2)
    return Destination(templates={"bm25": SystemTemplate(table=table, field="body"), "e5": e5})


def check_retrieves_and_fuses(rows: list[tuple[Any, ...]], words: dict[str, float]) -> None:
    """Compare with the fusion of what each part returns alone: scores of words, and the four nearest vectors."""
    nearest = dict(sorted(COSINES.items(), key=lambda one: -one[1])[:4])
    runs = {"bm25": Run.from_dict({"q": words}), "e5": Run.from_dict({"q": nearest})}
    expected = fuse_runs(MODEL, runs).to_dict()["q"]
    assert len(words) >= 2
    assert [document for _, document, _ in rows] == sorted(expected, key=lambda d: (expected[d], d), reverse=True)
    assert [score for *_, score in rows] == pytest.approx(sorted(expected.values(), reverse=True), abs=1e-6)


def test_postgresql_retrieves_by_words_and_vectors() -> None:
    with postgresql_server() as connect, closing(connect()) as connection:
        try:
            connection.execute("CREATE EXTENSION vector")
        except Exception as error:
            pytest.skip(f"no pgvector here: {error}")
        connection.execute("CREATE TABLE docs (id TEXT, body TEXT, embedding vector(2))")
        for name, text in TEXTS.items():
            connection.execute("INSERT INTO docs VALUES (%s, %s, %s)", (name, text, str(VECTORS[name])))
        match = "websearch_to_tsquery('english', 'red apple') @@ to_tsvector('english', body)"
        rank = "ts_rank_cd(to_tsvector('english', body), websearch_to_tsquery('english', 'red apple'))"
        words = dict(connection.execute(f"SELECT id, {rank} FROM docs WHERE {match}").fetchall())
        text = export_model(MODEL, "postgresql-hybrid", templates("docs", "docs")).text
        check_retrieves_and_fuses(by_position(connection, text, ["red apple", "[0.8, 0.6]"]), words)


def test_duckdb_retrieves_by_words_and_vectors() -> None:
    with duckdb_database() as database:
        connection = database.connection
        extension = importlib.util.find_spec("duckdb_extension_fts")
        if extension is None:
            pytest.skip("make engines fetches duckdb-extension-fts")
        (file,) = Path(extension.submodule_search_locations[0]).rglob("*.duckdb_extension")
        connection.execute(f"LOAD '{file}'")
        connection.execute("CREATE TABLE docs (id TEXT, body TEXT, embedding FLOAT[2])")
        connection.executemany("INSERT INTO docs VALUES (?, ?, ?)", [(d, TEXTS[d], VECTORS[d]) for d in TEXTS])
        connection.execute("PRAGMA create_fts_index('docs', 'id', 'body')")
        scored = connection.execute("SELECT id, fts_main_docs.match_bm25(id, 'red apple') FROM docs").fetchall()
        words = {document: score for document, score in scored if score is not None}
        text = export_model(MODEL, "duckdb-hybrid", templates("docs", "docs")).text
        check_retrieves_and_fuses(connection.execute(text, ["red apple", [0.8, 0.6]]).fetchall(), words)


def test_sqlite_retrieves_by_words_and_vectors() -> None:
    sqlite_vec = pytest.importorskip("sqlite_vec", reason="make engines fetches sqlite-vec")
    sqlite: Any = sqlite3
    if not hasattr(sqlite3.Connection, "enable_load_extension"):  # Python may be built without it
        sqlite = pytest.importorskip("pysqlite3", reason="make engines fetches pysqlite3-binary")
    with closing(sqlite.connect(":memory:")) as connection:
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, body)")
        connection.execute("CREATE VIRTUAL TABLE v USING vec0(id TEXT, embedding FLOAT[2] distance_metric=cosine)")
        for name, text in TEXTS.items():
            connection.execute("INSERT INTO words VALUES (?, ?)", (name, text))
            connection.execute("INSERT INTO v (id, embedding) VALUES (?, ?)", (name, str(VECTORS[name])))
        found = connection.execute("SELECT id, -bm25(words) FROM words WHERE body MATCH 'red OR apple'")
        words = dict(found.fetchall())
        text = export_model(MODEL, "sqlite-hybrid", templates("words", "v")).text
        parameters = {"1": "red OR apple", "2": "[0.8, 0.6]"}
        check_retrieves_and_fuses(connection.execute(text, parameters).fetchall(), words)
