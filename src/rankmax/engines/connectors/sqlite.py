"""Connection to a SQLite database.

Statements have one more function: ``any_word(text)``, a query to FTS5 for documents with any word of a text.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rankmax.engines.connectors.engine import Connection
from rankmax.engines.connectors.sql_engine import TABLE, SQLEngine
from rankmax.errors import ServerError, TransientServerError


class SQLite(SQLEngine):
    """Connection to SQLite.

    Parameters
    ----------
    connection : Connection
        Path of the database, which must exist.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._local = threading.local()
        if not os.path.isfile(connection.address):
            raise ServerError(f"{connection.address} is no database: there is no such file")

    def rows(self, statement: str, values: Mapping[str, Any]) -> Iterable[tuple[Any, ...]]:
        """Run a statement that returns rows; the database is read-only to it."""
        return self._run(self._connected("ro"), statement, values)

    def write(self, statement: str, values: Mapping[str, Any]) -> None:
        """Run a statement that changes the database."""
        self._run(self._connected("rw"), statement, values)

    def stored(self, name: str) -> str | None:
        """Return the statement of a fusion, or None."""
        there = self.rows("SELECT 1 FROM sqlite_master WHERE name = $table", {"table": TABLE})
        found = list(self.rows(f"SELECT statement FROM {TABLE} WHERE name = $name", {"name": name})) if there else []
        return str(found[0][0]) if found else None

    def _connected(self, mode: str) -> sqlite3.Connection:
        """Return this thread's connection."""
        database: sqlite3.Connection | None = getattr(self._local, mode, None)
        if database is None:
            path = Path(self.connection.address).absolute().as_uri()
            try:
                database = sqlite3.connect(
                    f"{path}?mode={mode}", uri=True, timeout=self.connection.timeout, isolation_level=None
                )
            except sqlite3.Error as error:
                raise ServerError(f"{self.connection.address}: {error}") from None
            database.create_function("any_word", 1, any_word, deterministic=True)
            setattr(self._local, mode, database)
        return database

    def _run(self, database: sqlite3.Connection, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        try:
            return database.execute(statement, dict(values)).fetchall()
        except sqlite3.OperationalError as error:
            kind = TransientServerError if "locked" in str(error) else ServerError
            raise kind(f"{self.connection.address}: {error}, in: {statement[:300]}") from None
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise ServerError(f"{self.connection.address}: {error}, in: {statement[:300]}") from None


def any_word(text: str) -> str:
    """Return a query to FTS5 for documents with any word of a text; without words, one that nothing matches.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> any_word('Say "NEAR" AND more.')
    '"Say" OR "NEAR" OR "AND" OR "more"'
    """
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", str(text)))) or '""'
