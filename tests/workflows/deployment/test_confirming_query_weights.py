"""Weights that fit the query on an engine that gets them with each request."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import rankmax
from oracles.deployed_project import N_QUERIES, Deployed
from rankmax.errors import IncompatibleError
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.preprocessing.query_features import QueryFeature
from rankmax.preprocessing.run_normalization import OpenSearchMinMax, ReciprocalRank, RetrievedMinMax

FEATURES = (QueryFeature("gap", "bm25"), QueryFeature("overlap"), QueryFeature("entropy", "dense"))


def model_of(normalization: OpenSearchMinMax | ReciprocalRank, change: float = 0.2) -> QueryWeightsModel:
    changes = [[change, -change], [-change, change], [change, change / 2]]
    return QueryWeightsModel(
        FEATURES, [0.2, 0.3, 0.9], [0.1, 0.1, 0.05], [0.5, 0.5], changes, ("bm25", "dense"), normalization
    )


@pytest.fixture
def collected(deployed: Deployed) -> Deployed:
    rankmax.collect(deployed.path)
    return deployed


@pytest.mark.parametrize("normalization", [OpenSearchMinMax(), ReciprocalRank(60)], ids=lambda one: one.name)
def test_each_request_has_its_weights(collected: Deployed, normalization: OpenSearchMinMax | ReciprocalRank) -> None:
    model = model_of(normalization)
    model.save(collected.path.parent / "model.json")
    found = rankmax.confirm(collected.path)
    assert (found.same, found.comparison.queries, found.comparison.explanations) == (True, N_QUERIES, ())
    assert found.comparison.score_difference < 1e-6
    assert not collected.server.pipelines  # nothing is stored


def test_weights_that_do_not_count_are_found(collected: Deployed) -> None:
    model = model_of(OpenSearchMinMax(), 0.02)
    model.fixed.save(collected.path.parent / "model.json")
    rankmax.push(collected.path, dry_run=False)
    collected.server.mistakes = {"keeps to the stored pipeline": True}
    found = rankmax.confirm(collected.path, model)
    assert not found.same
    (best,) = found.comparison.explanations
    assert (best.kind, best.queries) == ("ignored weights", N_QUERIES), found
    assert rankmax.confirm(collected.path, model_of(OpenSearchMinMax(), 0.0)).same  # which is that of fixed weights


def test_documents_that_have_changed_are_found(collected: Deployed) -> None:
    collected.server.mistakes = {"index": "old"}
    found = rankmax.confirm(collected.path, model_of(OpenSearchMinMax()))
    assert [one.kind for one in found.comparison.explanations] == ["unknown documents"]


def test_a_push_says_what_to_do_instead(collected: Deployed, tmp_path: Path) -> None:
    model_of(OpenSearchMinMax()).save(collected.path.parent / "model.json")
    with pytest.raises(IncompatibleError, match="client-python or client-javascript"):
        rankmax.push(collected.path)


def test_a_real_database_does_as_predicted(tmp_path: Path) -> None:
    draw = random.Random(3)
    words = [f"w{n}" for n in range(12)]
    with closing(sqlite3.connect(tmp_path / "docs.db")) as database:
        database.execute("CREATE VIRTUAL TABLE docs USING fts5(id, title, body)")
        rows = [(f"d{n}", " ".join(draw.choices(words, k=3)), " ".join(draw.choices(words, k=20))) for n in range(40)]
        database.executemany("INSERT INTO docs VALUES (?, ?, ?)", rows)
        database.commit()
    topics = {f"q{n}": " ".join(draw.sample(words, 1 + n % 3)) for n in range(6)}
    (tmp_path / "topics.tsv").write_text("".join(f"{query}\t{text}\n" for query, text in topics.items()))
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 d{draw.randrange(40)} 1\n" for query in topics))
    select = "SELECT id, -bm25(docs) FROM docs WHERE {field} MATCH any_word($query) ORDER BY rank LIMIT $depth"
    retrievers = "".join(
        f"\n[retrievers.{field}]\ntemplate = '''{select.format(field=field)}'''\n" for field in ("title", "body")
    )
    path = tmp_path / "rankmax.toml"
    path.write_text(
        'engine = "sqlite"\naddress = "docs.db"\ntopics = "topics.tsv"\nqrels = "qrels.txt"\ndepth = 20\n' + retrievers
    )
    rankmax.collect(path)
    features = (QueryFeature("length"), QueryFeature("gap", "title"), QueryFeature("agreement"))
    changes = [[0.1, -0.1], [0.1, 0.0], [0.0, 0.1]]
    model = QueryWeightsModel(
        features, [2.0, 0.2, 0.3], [0.8, 0.2, 0.2], [0.5, 0.5], changes, ("title", "body"), RetrievedMinMax()
    )
    found = rankmax.confirm(path, model)
    assert (found.same, found.comparison.queries) == (True, 6)
    assert found.comparison.score_difference < 1e-9
