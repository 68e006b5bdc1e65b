"""Connection to a DuckDB database."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from rankmax.engines.connectors.engine import Connection
from rankmax.engines.connectors.sql_engine import SQLEngine
from rankmax.errors import MissingDependencyError, ServerError


class DuckDB(SQLEngine):
    """Connection to DuckDB, which must be installed.

    Parameters
    ----------
    connection : Connection
        Path of the database, which must exist; no other process may have it open.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        try:
            import duckdb
        except ImportError:
            raise MissingDependencyError("duckdb", "duckdb", "searching DuckDB") from None
        if not os.path.isfile(connection.address):
            raise ServerError(f"{connection.address} is no database: there is no such file")
        self._error: type[Exception] = duckdb.Error
        try:
            self._database = duckdb.connect(connection.address)
        except self._error as error:
            raise ServerError(f"{connection.address}: {error}") from None

    def rows(self, statement: str, values: Mapping[str, Any]) -> Iterable[tuple[Any, ...]]:
        """Run a statement that returns rows."""
        try:
            with self._database.cursor() as cursor:  # one per thread
                found: list[tuple[Any, ...]] = cursor.execute(statement, dict(values)).fetchall()
                return found
        except self._error as error:
            raise ServerError(f"{self.connection.address}: {error}, in: {statement[:300]}") from None

    def write(self, statement: str, values: Mapping[str, Any]) -> None:
        """Run a statement that changes the database."""
        self.rows(statement, values)
