from __future__ import annotations

import pytest

from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import export_model
from rankmax.engines.sql.hybrid_query import HYBRID_OF_DUCKDB, HYBRID_OF_POSTGRESQL, HYBRID_OF_SQLITE
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.testing.export_targets import ExportTargetContract


class TestPostgreSQL(ExportTargetContract):
    target = HYBRID_OF_POSTGRESQL


class TestDuckDB(ExportTargetContract):
    target = HYBRID_OF_DUCKDB


class TestSQLite(ExportTargetContract):
    target = HYBRID_OF_SQLITE


def test_every_vector_is_a_parameter_of_its_own() -> None:
    text = export_model(LinearModel([1.0, 2.0, 3.0], ("e5", "bm25", "splade")), "postgresql-hybrid").text
    assert "$2::vector" in text
    assert "$3::sparsevec" in text
    told = " ".join(text.replace("--", "").split())
    assert "$1 the words of the query, $2 the vector of e5, $3 the vector of splade" in told


@pytest.mark.parametrize(("target", "system"), [("duckdb-hybrid", "splade"), ("postgresql-hybrid", "monot5")])
def test_a_search_that_the_database_lacks_is_asked_for(target: str, system: str) -> None:
    model = LinearModel([1.0, 2.0], ("bm25", system))
    with pytest.raises(IncompatibleError, match=r"has no .* search.*as sql in --templates"):
        export_model(model, target)
    given = {system: SystemTemplate(sql="SELECT d AS document, s AS score FROM mine")}
    assert "FROM mine" in export_model(model, target, Destination(templates=given)).text
