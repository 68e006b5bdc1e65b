"""What databases share: retrievers are SELECT statements, and their fusion is one statement, kept in a table.

A retriever's statement returns document and score, with the parameters $query, $vector (as JSON) and $depth. The fusion
joins what the retrievers return and ranks it with the SQL that the model is exported as.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from rankmax.engines.connectors.engine import Answer, Engine, Fusion, Hit
from rankmax.engines.connectors.query_placeholders import PLACEHOLDERS, Template
from rankmax.engines.export_target import Destination, Export
from rankmax.engines.registry import TARGETS
from rankmax.engines.requirements import linear_terms
from rankmax.engines.sql.dialect import ANY
from rankmax.errors import IncompatibleError, InvalidParameterError

TABLE = "rankmax_fusions"
"""Table that keeps the statements of fusions by name."""

# Strings, quoted names and comments are passed over.
_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w+)""", re.S)
_PAIR_COLUMNS = 2


class SQLEngine(Engine):
    """Base of databases.

    Parameters
    ----------
    connection : Connection
        Its address is the path of the database.
    """

    tuned_as: ClassVar[str] = "sql"
    target: ClassVar[str] = "sql"
    ties_by_id: ClassVar[bool] = True

    @classmethod
    def checked(cls, template: Template) -> Template:
        """Return the statement, or refuse one with unknown parameters."""
        if not isinstance(template, str):
            raise InvalidParameterError("the template is a table; expected a SELECT statement as text")
        unknown = cls.placeholders(template) - set(PLACEHOLDERS)
        if unknown:
            raise InvalidParameterError(
                f"the statement has a parameter ${min(unknown)}; known are {', '.join(f'${p}' for p in PLACEHOLDERS)}"
            )
        return template.strip().rstrip(";")

    @classmethod
    def placeholders(cls, template: Template) -> set[str]:
        """Return the names of the statement's parameters."""
        return {found[1] for found in _TOKEN.finditer(str(template)) if found[1]}

    def search(self, template: Template, values: Mapping[str, Any], depth: int) -> Answer:
        """Return the documents that one retriever finds."""
        given = {name: _bound({**values, "depth": depth}[name]) for name in self.placeholders(template)}
        return _answer(self.rows(str(template), given), depth)

    def export(self, fusion: Fusion) -> Export:
        """Return the statement of the fusion."""
        return Export(f"{self._statement(fusion)};\n")

    def described(self, fusion: Fusion) -> str:
        """Return the statement of the fusion, and where it is kept."""
        return f"-- kept in the table {TABLE} under the name {fusion.name!r}\n{self._statement(fusion)}"

    def put(self, fusion: Fusion) -> None:
        """Keep the statement of the fusion in a table of the database."""
        self.write(f"CREATE TABLE IF NOT EXISTS {TABLE} (name TEXT PRIMARY KEY, statement TEXT NOT NULL)", {})
        kept = {"name": fusion.name, "statement": self._statement(fusion)}
        self.write(f"DELETE FROM {TABLE} WHERE name = $name", {"name": fusion.name})
        self.write(f"INSERT INTO {TABLE} VALUES ($name, $statement)", kept)

    def stored(self, name: str) -> str | None:
        """Return the statement of a fusion, or None."""
        if not list(self.rows("SELECT 1 FROM information_schema.tables WHERE table_name = $table", {"table": TABLE})):
            return None
        found = list(self.rows(f"SELECT statement FROM {TABLE} WHERE name = $name", {"name": name}))
        return str(found[0][0]) if found else None

    def remove(self, name: str) -> None:
        """Remove the statement of a fusion."""
        if self.stored(name) is not None:
            self.write(f"DELETE FROM {TABLE} WHERE name = $name", {"name": name})

    def fused_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by the statement that the database keeps."""
        statement = self.stored(fusion.name)
        if statement is None:
            raise IncompatibleError(f"the database keeps no fusion {fusion.name!r}: run rankmax push first")
        return self._ranked(statement, fusion, values, size)

    def weighted_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by the statement of the fusion, which is not kept."""
        return self._ranked(self._statement(fusion), fusion, values, size)

    def _ranked(self, statement: str, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        known: dict[str, Any] = {"depth": fusion.depth, "size": size}
        for number, name in enumerate(fusion.templates):
            known |= {f"{key}{number}": value for key, value in values[name].items()}
        given = {}
        for name in self.placeholders(statement):
            if name not in known:
                raise IncompatibleError(f"the fusion that the database keeps has an unknown parameter ${name}")
            given[name] = _bound(known[name])
        return _answer(self.rows(statement, given), size)

    @abstractmethod
    def rows(self, statement: str, values: Mapping[str, Any]) -> Iterable[tuple[Any, ...]]:
        """Run a statement that returns rows.

        Parameters
        ----------
        statement : str
        values : mapping of str to object
            Values of its parameters.
        """

    @abstractmethod
    def write(self, statement: str, values: Mapping[str, Any]) -> None:
        """Run a statement that changes the database.

        Parameters
        ----------
        statement : str
        values : mapping of str to object
            Values of its parameters.
        """

    def _statement(self, fusion: Fusion) -> str:
        """Return one statement: a common table expression per retriever, their join, then the exported ranking."""
        used = list(linear_terms(fusion.model, "SQL"))
        text = TARGETS.load(self.target).export(fusion.model, Destination(fusion.name)).text
        ranking = "\n".join(line for line in text.splitlines() if not line.startswith("--")).strip().removesuffix(";")
        assert ranking.startswith("WITH ")
        numbers = {name: number for number, name in enumerate(fusion.templates)}
        own = {name: _numbered(str(fusion.templates[name]), numbers[name]) for name in used}
        parts = [f"retriever{numbers[name]} (document, score) AS (\n{own[name]}\n)" for name in used]
        rows = [
            f"  SELECT document, {', '.join('score' if other == name else 'NULL' for other in used)} "
            f"FROM retriever{numbers[name]}"
            for name in used
        ]
        columns = ", ".join(f"c{number}" for number in range(len(used)))
        parts.append(f"retrieved (document, {columns}) AS (\n" + "\n  UNION ALL\n".join(rows) + "\n)")
        best = ", ".join(f"MAX(c{number})" for number in range(len(used)))
        names = ", ".join(ANY.name(name) for name in used)
        joined = f"SELECT 1, document, {best} FROM retrieved GROUP BY document"
        parts.append(f'"candidates" (query, document, {names}) AS (\n  {joined}\n)')
        listed = ",\n".join(parts)
        return (
            f"SELECT document, score FROM (\nWITH {listed},\n{ranking.removeprefix('WITH ')}\n) AS ranked\n"
            "ORDER BY score DESC, document DESC LIMIT $size"
        )


def _numbered(statement: str, number: int) -> str:
    """Return a retriever's statement with parameters of its own, as each retriever may have its own vector."""
    return _TOKEN.sub(lambda found: f"${found[1]}{number}" if found[1] in ("query", "vector") else found[0], statement)


def _bound(value: Any) -> Any:
    return msgspec.json.encode(value).decode() if isinstance(value, list) else value


def _answer(rows: Iterable[tuple[Any, ...]], size: int) -> Answer:
    hits = []
    for row in rows:
        if len(row) != _PAIR_COLUMNS or row[0] is None or not isinstance(row[1], int | float):
            raise InvalidParameterError(
                f"a retriever's statement returns document and score; this one returned {row!r:.200}"
            )
        hits.append(Hit(str(row[0]), float(row[1])))
    hits.sort(key=lambda hit: -hit.score)
    return Answer(tuple(hits[:size]))
