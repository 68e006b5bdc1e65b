"""A SQL query that retrieves with several systems and ranks what they found: full text, vectors, or a given SELECT.

    hits:       the documents and scores of each system, at most as many as the runs had
    candidates: a row for each document that a system found, with NULL for the others
    step1 ...:  the steps of the ranking query

The parameters are $1, the words of the query, and then a vector for each system that searches for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rankmax.engines.curves import used_curves
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.export_text import commented, heading
from rankmax.engines.formulas import inputs_of
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.requirements import depth_of_runs
from rankmax.engines.sql.dialect import ANY, POSTGRESQL, Dialect
from rankmax.engines.sql.ranking_query import ranked
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel

_WORDS = "$1"


@dataclass(frozen=True)
class Retrieval:
    """How a database searches: a SELECT of document and score, best first.

    Attributes
    ----------
    dialect : Dialect
    title : str
        Name in sentences.
    lexical, dense : str
        Templates; {table} and {field} are quoted names, {vector} a parameter, {depth} and {dimension} numbers.
    sparse : str or None
        Likewise, where the database has sparse vectors.
    remarks : str
        What the table needs.
    """

    dialect: Dialect
    title: str
    lexical: str
    dense: str
    sparse: str | None
    remarks: str


def _write(retrieval: Retrieval, model: AnyModel, destination: Destination) -> Export:
    depth, of_runs = depth_of_runs(model)
    if isinstance(model, AdditiveModel):
        systems = list(used_curves(model))
    else:
        systems = list(dict.fromkeys(each.feature for each in inputs_of(model)))
    vectors: list[str] = []
    hits = [
        f"SELECT {number} AS system, document, score FROM (\n"
        f"    {_select(retrieval, name, destination.template(name), depth, vectors)}\n  ) AS system{number}"
        for number, name in enumerate(systems, 1)
    ]
    columns = "".join(
        f",\n    MAX(CASE WHEN system = {number} THEN score END) AS {retrieval.dialect.name(name)}"
        for number, name in enumerate(systems, 1)
    )
    first = [
        "hits AS (\n  {}\n)".format("\n  UNION ALL\n  ".join(hits)),
        f"candidates AS (\n  SELECT 1 AS query, document{columns}\n  FROM hits\n  GROUP BY document\n)",
    ]
    query = ranked(model, retrieval.dialect, first, limit=10)
    parameters = "".join(f", ${number} the vector of {name}" for number, name in enumerate(vectors, 2))
    before = commented(
        "--",
        heading(model, f"Hybrid search in {retrieval.title}"),
        f"Parameters: $1 the words of the query{parameters}. The searches are guesses by the names of the systems, and "
        "must give the scores that were learned from: fill them in here, or once for all exports with --templates.",
        retrieval.remarks,
        f"Only the {depth} best of each system are seen: {of_runs}.",
    )
    return Export(f"{before}\n{query}")


def _select(retrieval: Retrieval, system: str, template: SystemTemplate, depth: int, vectors: list[str]) -> str:
    """Return the SELECT of a system, and note that it takes a vector."""
    if template.sql is not None:
        return template.sql
    kind = template.kind_of(system) or "lexical"
    written = {"lexical": retrieval.lexical, "dense": retrieval.dense, "sparse": retrieval.sparse}.get(kind)
    if written is None:
        raise IncompatibleError(
            f"{retrieval.title} has no {kind} search, as {system!r} seems to be: give its SELECT of document and score "
            f"as sql in --templates, or its scores in a table and export to sql"
        )
    if kind != "lexical":
        vectors.append(system)
    default = "YOUR-VECTOR-COLUMN" if kind != "lexical" else "YOUR-TEXT-COLUMN"
    return written.format(
        table=retrieval.dialect.name(template.table or "YOUR-TABLE"),
        index=retrieval.dialect.name(f"fts_main_{template.table or 'YOUR-TABLE'}"),  # as DuckDB names it
        field=retrieval.dialect.name(template.field or default),
        words=_WORDS,
        vector=f"${len(vectors) + 1}",
        depth=depth,
        dimension=template.dimension,
    )


PGVECTOR = Retrieval(
    POSTGRESQL,
    "PostgreSQL with pgvector",
    "SELECT id AS document,"
    "\n      ts_rank_cd(to_tsvector('english', {field}), websearch_to_tsquery('english', {words})) AS score"
    "\n    FROM {table} WHERE to_tsvector('english', {field}) @@ websearch_to_tsquery('english', {words})"
    "\n    ORDER BY score DESC LIMIT {depth}",
    "SELECT id AS document, 1 - ({field} <=> {vector}::vector) AS score\n    FROM {table}"
    "\n    ORDER BY {field} <=> {vector}::vector LIMIT {depth}",
    "SELECT id AS document, -({field} <#> {vector}::sparsevec) AS score\n    FROM {table}"
    "\n    ORDER BY {field} <#> {vector}::sparsevec LIMIT {depth}",
    "The column id names documents. Full text wants an index on to_tsvector, vectors one of pgvector.",
)
DUCKDB = Retrieval(
    ANY,
    "DuckDB",
    "SELECT * FROM (SELECT id AS document, {index}.match_bm25(id, {words}) AS score FROM {table})"
    "\n    WHERE score IS NOT NULL ORDER BY score DESC LIMIT {depth}",
    "SELECT id AS document, array_cosine_similarity({field}, CAST({vector} AS FLOAT[{dimension}])) AS score"
    "\n    FROM {table} ORDER BY score DESC LIMIT {depth}",
    None,
    "The column id names documents. Full text needs LOAD fts and PRAGMA create_fts_index of the table, vectors a "
    "column FLOAT[n].",
)
SQLITE = Retrieval(
    ANY,
    "SQLite with FTS5 and sqlite-vec",
    "SELECT id AS document, -bm25({table}) AS score\n    FROM {table} WHERE {field} MATCH {words}"
    "\n    ORDER BY rank LIMIT {depth}",
    "SELECT id AS document, 1 - distance AS score\n    FROM {table} WHERE {field} MATCH {vector} AND k = {depth}",
    None,
    "The column id names documents. Tables are of FTS5 for words, and of vec0 (distance_metric=cosine) for vectors.",
)


def _target(name: str, retrieval: Retrieval) -> Target:
    write: Callable[[AnyModel, Destination], Export] = partial(_write, retrieval)
    return Target(name, retrieval.title, write, write_additive=write)


HYBRID_OF_POSTGRESQL = _target("postgresql-hybrid", PGVECTOR)
HYBRID_OF_DUCKDB = _target("duckdb-hybrid", DUCKDB)
HYBRID_OF_SQLITE = _target("sqlite-hybrid", SQLITE)
