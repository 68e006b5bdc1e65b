"""Weights as boosts of fields in engines that run here: linear in one, not in the other."""

from __future__ import annotations

import sqlite3
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from rankmax.data.dataset import RankingDataset
from rankmax.models import LinearModel

DOCUMENTS = [
    ("swept wings", "lift of swept wings at high speed"),
    ("boundary layer", "wings and the boundary layer over swept surfaces"),
    ("heat transfer", "transfer of heat in a boundary layer"),
    ("wings", "wings wings wings with flaps"),
    ("slender bodies", "lift and drag of slender bodies with wings"),
    ("swept flow", "nothing of interest"),
]
QUERY = "swept wings"


@pytest.fixture(scope="module")
def searcher() -> Any:
    tantivy = pytest.importorskip("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title")
    builder.add_text_field("body")
    builder.add_unsigned_field("number", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    for number, (title, body) in enumerate(DOCUMENTS):
        writer.add_document(tantivy.Document(title=title, body=body, number=number))
    writer.commit()
    index.reload()

    def search(boosts: dict[str, float]) -> dict[int, float]:
        """Return the score of each document that matches."""
        query = index.parse_query(QUERY, list(boosts), field_boosts=boosts)
        found = index.searcher()
        hits = found.search(query, limit=len(DOCUMENTS)).hits
        return {found.doc(address)["number"][0]: score for score, address in hits}

    return search


@settings(max_examples=25)
@given(weights=st.tuples(*[st.integers(1, 40).map(lambda tenth: tenth / 10)] * 2))
def test_boosts_of_tantivy_rank_as_the_model_does(searcher: Any, weights: tuple[float, float]) -> None:
    fields = ("title", "body")
    alone = [searcher({field: 1.0}) for field in fields]
    X = [[scores.get(number, 0.0) for scores in alone] for number in range(len(DOCUMENTS))]
    data = RankingDataset.from_arrays(X, np.zeros(len(X)), qid=[1] * len(X), feature_names=fields)
    expected = LinearModel(weights, fields).scores(data)
    together = searcher(dict(zip(fields, weights, strict=True)))
    found = np.array([together.get(number, 0.0) for number in range(len(DOCUMENTS))])
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_weights_of_sqlites_full_text_search_are_not_linear() -> None:
    # They multiply the counts of words before these saturate, so no weighted sum of bm25 of fields ranks alike.
    with sqlite3.connect(":memory:") as database:
        try:
            database.execute("CREATE VIRTUAL TABLE pages USING fts5(title, body)")
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no FTS5")
        database.executemany("INSERT INTO pages VALUES (?, ?)", DOCUMENTS)

        def bm25(title: float, body: float) -> np.ndarray:
            rows = database.execute(
                "SELECT -bm25(pages, ?, ?) FROM pages WHERE pages MATCH 'boundary' ORDER BY rowid", (title, body)
            )
            return np.array([score for (score,) in rows])

        assert (np.abs(bm25(1, 1) / (bm25(1, 0) + bm25(0, 1)) - 1) > 0.05).any()
        assert (np.abs(bm25(2, 2) / (2 * bm25(1, 1)) - 1) > 0.05).all()
