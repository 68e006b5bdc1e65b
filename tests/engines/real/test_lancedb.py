"""What LanceDB makes of the export: its fusion on runs, and a table with words and vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.replay.lancedb import lancedb_replay
from oracles.replay.lists import MISSING, check_ranks_as_the_model_does, deep_learning_lists
from oracles.replay.pipelines import executed
from rankmax.data.runs import Run
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel, Provenance
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax

FUSIONS = pytest.mark.parametrize(
    ("normalization", "equal"), [(RetrievedMinMax(), False), (ReciprocalRank(60), True)], ids=str
)
TEXTS = ["red apple pie", "green apple", "blue sky and red sun", "apple apple red", "the sea", "red sea apple tree"]
VECTORS = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0], [0.8, 0.6], [0.28, 0.96]]


@FUSIONS
def test_real_runs(normalization: Normalization, equal: bool, shared_data: Path) -> None:
    lists = deep_learning_lists(shared_data / "runs" / "dl19-passage", n_queries=10)
    with lancedb_replay(lists) as search:
        for systems in (("bm25", "e5"), ("colbert", "rm3")):
            chosen = {name: lists[name] for name in systems}
            found = check_ranks_as_the_model_does(search, chosen, "lancedb", normalization, equal=equal, precision=1e-6)
            assert found.is_whole
            assert found.largest_difference < 1e-6


@FUSIONS
def test_missing_documents(normalization: Normalization, equal: bool) -> None:
    lists = {name: {"q1": MISSING[name]["q1"]} for name in ("bm25", "e5")}
    with lancedb_replay(lists) as search:
        found = check_ranks_as_the_model_does(search, lists, "lancedb", normalization, equal=equal, precision=1e-6)
    assert found.is_whole


def test_a_single_hit_of_words_counts_as_0() -> None:
    lists = {"bm25": {"q": {"a": 2.0}}, "e5": {"q": {"b": 0.5, "c": 0.25}}}
    text = export_model(LinearModel([0.7, 0.3], ("bm25", "e5"), RetrievedMinMax()), "lancedb").text
    with lancedb_replay(lists) as search:
        assert dict(search(text, "q")) == pytest.approx({"a": 0.0, "b": 0.3, "c": 0.0})
    assert "LanceDB counts them as 0" in " ".join(text.split()).replace(" # ", " ")


@FUSIONS
def test_a_table_with_words_and_vectors(normalization: Normalization, equal: bool, tmp_path: Path) -> None:
    lancedb = pytest.importorskip("lancedb", reason="make engines fetches lancedb")
    rows = [{"id": f"d{i}", "body": text, "vector": VECTORS[i]} for i, text in enumerate(TEXTS)]
    table = lancedb.connect(tmp_path).create_table("docs", rows)
    table.create_index("body", config=lancedb.index.FTS())
    asked = [0.8, 0.6]
    by_words = {row["id"]: row["_score"] for row in table.search("red apple", query_type="fts").limit(4).to_list()}
    by_vector = {row["id"]: -row["_distance"] for row in table.search(asked).limit(4).to_list()}
    weights = [1.0, 1.0] if equal else [0.35, 0.65]
    provenance = Provenance(parameters={"depth": 4})
    model = LinearModel(weights, ("bm25", "e5"), normalization, provenance=provenance)
    runs = {"bm25": Run.from_dict({"q": by_words}), "e5": Run.from_dict({"q": by_vector})}
    expected = fuse_runs(model, runs).to_dict()["q"]
    found = executed(export_model(model, "lancedb").text)["search"](table, "red apple", asked)
    assert len(by_words) == len(by_vector) == 4
    assert len(expected) > 4
    scores = {row["id"]: row["_relevance_score"] for row in found}
    share = 1.0 if equal else sum(weights)
    kept = {document: score / share for document, score in expected.items() if document in scores}
    assert scores == pytest.approx(kept, abs=1e-6)
    assert sorted(kept.values(), reverse=True) == pytest.approx(
        sorted((score / share for score in expected.values()), reverse=True)[: len(kept)]
    )
