"""Statements of SQL as retrievers, in SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rankmax.engines.connectors.engine import Connection, Fusion
from rankmax.engines.connectors.sqlite import SQLite, any_word
from rankmax.errors import IncompatibleError, InvalidParameterError, ServerError
from rankmax.models import LinearModel


@pytest.fixture
def engine(tmp_path: Path) -> SQLite:
    with sqlite3.connect(tmp_path / "docs.db") as database:
        database.execute("CREATE TABLE docs (document, price)")
        database.executemany("INSERT INTO docs VALUES (?, ?)", [("a", 1), ("b", 2), ("c", 3)])
    database.close()
    return SQLite(Connection(str(tmp_path / "docs.db")))


def test_parameters_are_found_outside_strings_names_and_comments(engine: SQLite) -> None:
    statement = """SELECT '$vector it''s', "$x" -- $y\n, $query /* $z */ LIMIT $depth"""
    assert engine.placeholders(statement) == {"query", "depth"}


@pytest.mark.parametrize(
    ("template", "words"),
    [({"query": 1}, "expected a SELECT statement"), ("SELECT $qurey", r"has a parameter \$qurey; known are \$query")],
)
def test_templates_that_are_refused(template: object, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        SQLite.checked(template)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM docs", "DROP TABLE docs", "INSERT INTO docs VALUES ('d', 4)", "SELECT 1; DELETE FROM docs"],
)
def test_a_retriever_cannot_write(engine: SQLite, statement: str) -> None:
    with pytest.raises(ServerError):
        engine.search(statement, {"query": ""}, 10)
    assert len(engine.search("SELECT document, price FROM docs", {"query": ""}, 10).hits) == 3


@pytest.mark.parametrize("statement", ["SELECT document FROM docs", "SELECT document, 'x' FROM docs", "SELECT NULL, 1"])
def test_rows_that_are_no_hits(engine: SQLite, statement: str) -> None:
    with pytest.raises(InvalidParameterError, match="returns document and score"):
        engine.search(statement, {}, 10)


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"absent\.db is no database"):
        SQLite(Connection(str(tmp_path / "absent.db")))
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(ServerError, match="not a database"):
        SQLite(Connection(str(tmp_path / "text.db"))).search("SELECT name, 1 FROM sqlite_master", {}, 1)


def test_a_fusion_that_was_not_pushed(engine: SQLite) -> None:
    fusion = Fusion("f", LinearModel([1.0], ("a",)), {"a": "SELECT document, price FROM docs"}, 3)
    with pytest.raises(IncompatibleError, match="run rankmax push first"):
        engine.fused_search(fusion, {"a": {"query": ""}}, 3)


def test_each_retriever_has_its_own_vector(engine: SQLite) -> None:
    statement = (
        "SELECT document, price * json_extract($vector, '$[0]') FROM docs WHERE '$vector' <> $query LIMIT $depth"
    )
    templates = {"a": statement, "b": statement}
    fusion = Fusion("it's", LinearModel([1.0, 1.0], ("a", "b")), templates, 3)
    engine.put(fusion)
    values = {"a": {"query": "x", "vector": [10]}, "b": {"query": "y", "vector": [-1]}}
    assert engine.fused_search(fusion, values, 2).hits == (("c", 27.0), ("b", 18.0))
    other = Fusion("it's", LinearModel([2.0, 1.0], ("a", "b")), templates, 3)
    assert engine.weighted_search(other, values, 2).hits == (("c", 57.0), ("b", 38.0))
    assert engine.fused_search(fusion, values, 2).hits == (("c", 27.0), ("b", 18.0))  # what is kept stays
    assert engine.export(fusion).text == f"{engine.stored(fusion.name)};\n"


@pytest.mark.parametrize(
    ("text", "found"), [('"', 0), ("", 0), ("x\0b", 1), ("NOT (", 1), ("x NEAR y*", 1), ("bod: x", 0), ("größe", 0)]
)
def test_any_text_is_a_query_to_fts5(text: str, found: int) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE docs USING fts5(body)")
    database.execute("INSERT INTO docs VALUES ('not near a b')")
    query = "SELECT count(*) FROM docs WHERE docs MATCH ?"
    assert database.execute(query, [any_word(text)]).fetchone() == (found,)
    database.close()
