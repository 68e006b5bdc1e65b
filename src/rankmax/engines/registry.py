"""Export targets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.engines.export_target import Destination, Export, Target
    from rankmax.models.model_files import AnyKind

TARGETS: Registry[Target] = Registry(
    "target",
    "rankmax.engines",
    {
        "elasticsearch-ltr": (
            "elasticsearch_ltr:ELASTICSEARCH_LTR",
            "model/linear or model/xgboost+json of the Learning to Rank plugin",
        ),
        "elasticsearch-retriever": (
            "elasticsearch_retriever:ELASTICSEARCH_RETRIEVER",
            "a search with the linear retriever, or rrf",
        ),
        "opensearch-hybrid": ("opensearch_hybrid:OPENSEARCH_HYBRID", "a search pipeline for hybrid queries"),
        "opensearch-ltr": (
            "opensearch_ltr:OPENSEARCH_LTR",
            "model/linear or model/xgboost+json of the Learning to Rank plugin",
        ),
        "solr": ("solr_ltr:SOLR", "LinearModel or MultipleAdditiveTreesModel of learning to rank"),
        "solr-function": ("solr_function:SOLR_FUNCTION", "a search by a function query"),
        "script-score": ("search_scripts:SCRIPT_SCORE", "a search of Elasticsearch or OpenSearch with a script"),
        "function-score": (
            "search_scripts:FUNCTION_SCORE",
            "a search of Elasticsearch or OpenSearch with weights of ranges, without a script",
        ),
        "vespa": ("vespa.rank_profile:VESPA", "a rank profile"),
        "qdrant": ("qdrant:QDRANT", "a query with a formula over prefetches, or rrf"),
        "milvus": ("milvus:MILVUS", "a hybrid search with WeightedRanker or RRFRanker, in Python"),
        "weaviate": ("weaviate:WEAVIATE", "a hybrid search with alpha, in Python"),
        "lancedb": ("lancedb:LANCEDB", "a hybrid search with LinearCombinationReranker or RRFReranker, in Python"),
        "langchain": ("langchain:LANGCHAIN", "an EnsembleRetriever, in Python"),
        "llama-index": ("llama_index:LLAMA_INDEX", "a QueryFusionRetriever, in Python"),
        "haystack": ("haystack:HAYSTACK", "a DocumentJoiner, in Python"),
        "python": ("python.module:PYTHON", "a function without dependencies"),
        "client-python": ("client_weights:PYTHON_CLIENT", "a function for the weights of a request (tune --by auto)"),
        "client-javascript": ("client_weights:JAVASCRIPT_CLIENT", "the same function, in JavaScript"),
        "sql": ("sql.ranking_query:SQL", "a query with window functions, for SQLite, DuckDB and others"),
        "postgresql-hybrid": ("sql.hybrid_query:HYBRID_OF_POSTGRESQL", "a query that retrieves, too, with pgvector"),
        "duckdb-hybrid": ("sql.hybrid_query:HYBRID_OF_DUCKDB", "a query that retrieves, too, in DuckDB"),
        "sqlite-hybrid": ("sql.hybrid_query:HYBRID_OF_SQLITE", "a query that retrieves, too, with FTS5 and sqlite-vec"),
        "postgresql": ("sql.ranking_query:SQL_OF_POSTGRESQL", "the same query, as PostgreSQL writes it"),
        "mysql": ("sql.ranking_query:SQL_OF_MYSQL", "the same query, as MySQL and MariaDB write it"),
    },
)
"""Export targets by name."""


def export_model(model: AnyKind, target: str, destination: Destination | None = None) -> Export:
    """Return a model as a request, configuration or code of a search engine or language.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel, VaryingModel or TreeEnsembleModel
    target : str
        A name of :data:`TARGETS`.
    destination : Destination, optional
        Names that the target uses.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> print(export_model(LinearModel([0.3, 0.7], ("bm25", "e5")), "sql").text)
    -- Ranking of documents in SQL, written by rankmax ...
    WITH step1 AS (
      SELECT query, document,
        COALESCE(EXP(0) * "bm25", 0e0) AS x1,
        COALESCE(EXP(0) * "e5", 0e0) AS x2
      FROM "candidates"
    )
    SELECT query, document, 0.3e0 * x1 + 0.7e0 * x2 AS score
    FROM step1
    ORDER BY query, score DESC, /*! BINARY */ CAST(document AS CHAR(255)) DESC;
    """
    from rankmax.engines.export_target import Destination

    return TARGETS.load(target).export(model, Destination() if destination is None else destination)
