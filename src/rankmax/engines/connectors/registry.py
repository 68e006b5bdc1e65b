"""Connections to search engines by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.engines.connectors.engine import Engine

ENGINES: Registry[type[Engine]] = Registry(
    "engine",
    "rankmax.engines.connectors",
    {
        "opensearch": ("opensearch:OpenSearch", "OpenSearch: hybrid queries with a search pipeline"),
        "elasticsearch": ("elasticsearch:Elasticsearch", "Elasticsearch: the linear and rrf retrievers"),
        "solr": ("solr:Solr", "Apache Solr: learning to rank"),
        "sqlite": ("sqlite:SQLite", "SQLite: SQL over FTS5 and other tables"),
        "duckdb": ("duckdb:DuckDB", "DuckDB: SQL"),
    },
)
"""Engines that rankmax can talk to."""
