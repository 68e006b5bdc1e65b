"""PostgreSQL, DuckDB and SQLite: runs in a table, which the exported query joins, normalizes and adds up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from oracles.databases import Database, PostgreSQLByLocale, duckdb_database, postgresql_server, sqlite_database
from oracles.replay.lists import Lists, Ranking, Search


@contextmanager
def postgresql_replay(lists: Lists) -> Iterator[Search]:
    with postgresql_server() as connect, closing(connect()) as connection:
        yield replayed(
            PostgreSQLByLocale(connection), lists, lambda text, query: by_position(connection, text, [query])
        )


@contextmanager
def duckdb_replay(lists: Lists) -> Iterator[Search]:
    with duckdb_database() as database:
        connection = database.connection
        yield replayed(database, lists, lambda text, query: connection.execute(text, [query]).fetchall())


@contextmanager
def sqlite_replay(lists: Lists) -> Iterator[Search]:
    with sqlite_database() as database:
        connection = database.connection
        yield replayed(database, lists, lambda text, query: connection.execute(text, {"1": query}).fetchall())


def by_position(connection: Any, text: str, parameters: list[str]) -> list[tuple[Any, ...]]:
    """Run a query with parameters $1, $2 and so on in PostgreSQL."""
    from psycopg import RawCursor

    return list(RawCursor(connection).execute(text, parameters).fetchall())


def replayed(database: Database, lists: Lists, run: Any) -> Search:
    rows = [
        (name, query, document, score)
        for name, found in lists.items()
        for query, scores in found.items()
        for document, score in scores.items()
    ]
    cursor = database.connection.cursor()
    cursor.execute(f"CREATE TABLE runs (system TEXT, query TEXT, document TEXT, score {database.number})")
    cursor.executemany(f"INSERT INTO runs VALUES ({', '.join([database.mark] * 4)})", rows)

    def search(text: str, query: str) -> Ranking:
        return [(document, score) for _, document, score in run(text, query)]

    return search
