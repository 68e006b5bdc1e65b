"""The targets by name."""

from __future__ import annotations

from rankmax.errors import UnknownNameError
from rankmax.export.base import AnyModel, Destination, Export
from rankmax.export.elasticsearch_ltr import ELASTICSEARCH_LTR
from rankmax.export.elasticsearch_retriever import ELASTICSEARCH_RETRIEVER
from rankmax.export.opensearch_hybrid import OPENSEARCH_HYBRID
from rankmax.export.opensearch_ltr import OPENSEARCH_LTR
from rankmax.export.python import PYTHON
from rankmax.export.solr import SOLR
from rankmax.export.sql import SQL, SQL_OF_MYSQL, SQL_OF_POSTGRESQL
from rankmax.export.vespa import VESPA
from rankmax.models.varying import VaryingModel

TARGETS = {
    target.name: target
    for target in (
        ELASTICSEARCH_LTR,
        ELASTICSEARCH_RETRIEVER,
        OPENSEARCH_HYBRID,
        OPENSEARCH_LTR,
        SOLR,
        VESPA,
        PYTHON,
        SQL,
        SQL_OF_POSTGRESQL,
        SQL_OF_MYSQL,
    )
}
"""Whatever models are exported to."""


def export_model(model: AnyModel | VaryingModel, target: str, destination: Destination | None = None) -> Export:
    """Return a model in the words of a search engine or language.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
    target : str
        A name of :data:`TARGETS`.
    destination : Destination, optional
        How things are called there.

    Examples
    --------
    >>> from rankmax.models import LinearModel
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
    if target not in TARGETS:
        raise UnknownNameError("target", target, TARGETS)
    return TARGETS[target].export(model, Destination() if destination is None else destination)
