"""Weights that fit the query in SQL, against `rankmax rank`; tests/engines/test_databases.py has further databases."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.databases import Database, duckdb_database, sqlite_database
from oracles.query_weights import EVERY, HOSTILE, QUERIES, Scores, expected, lists, model_of
from rankmax.data.dataset import RankingDataset
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.preprocessing.query_features import QueryFeature, query_feature_values


def load(database: Database, found: Scores, told: dict[str, float]) -> None:
    """Load the candidates of a query and, so that windows matter, of another one."""
    ids = sorted({d for own in found.values() for d in own})
    columns: dict[str, list[Any]] = {"query": ["q"] * len(ids) + ["other"] * 2, "document": [*ids, "a", "b"]}
    columns |= {name: [*(own.get(d) for d in ids), 2.0, 1.0] for name, own in found.items()}
    database.load(columns | {name: [value] * (len(ids) + 2) for name, value in told.items()})


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
@pytest.mark.parametrize("normalization", ["retrieved-min-max", "min-max", "reciprocal-rank"])
def test_sql_has_the_scores_of_the_model(kind: str, normalization: str) -> None:
    with sqlite_database() if kind == "sqlite" else duckdb_database() as database:

        @settings(max_examples=12)
        @given(lists(), QUERIES, st.integers(0, 20))
        def check(found: Scores, query: dict[str, str], seed: int) -> None:
            model = model_of(seed, normalization)
            told = [one for one in EVERY if one.needs_topics]
            values = told_values(told, query)
            load(database, found, dict(zip([one.name for one in told], values, strict=True)))
            rows = {d: s for q, d, s in database.query(export_model(model, "sql").text) if q == "q"}
            scores = expected(model, found, query)[1]
            assert rows == pytest.approx({d: scores[d] for d in rows}, rel=1e-8, abs=1e-8)

        check()


def told_values(features: list[QueryFeature], query: dict[str, str]) -> list[float]:
    data = RankingDataset.from_arrays([[1.0]], [0], qid=["q"], feature_names=["a"])
    return query_feature_values(features, data, ["a"], {"q": query})[0].tolist()


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_hostile_names_do_nothing_in_sql(kind: str) -> None:
    with sqlite_database() if kind == "sqlite" else duckdb_database() as database:

        @settings(max_examples=40)
        @given(HOSTILE)
        def check(name: str) -> None:
            told = f"{name}!"
            features = (QueryFeature("gap", name), QueryFeature("column", told))
            model = QueryWeightsModel(features, [0.0, 1.0], [1.0, 2.0], [1.0], [[0.5], [0.25]], (name,), metric=name)
            if "\\" in name or "\0" in name or name.casefold() in ("query", "document"):
                with pytest.raises(IncompatibleError, match=r"give it a name|called query"):
                    export_model(model, "sql")
                return
            text = export_model(model, "sql").text
            table = {"query": ["q", "q"], "document": ["a", "b"], name: [3.0, 1.0], told: [5.0, 5.0]}
            try:
                database.load(table)
            except Exception:  # no column can be called that here
                return
            assert {d: s for _, d, s in database.query(text)} == {"a": 6.0, "b": 2.0}
            assert database.n_candidates() == 2

        check()
