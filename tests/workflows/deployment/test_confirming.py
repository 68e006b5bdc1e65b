"""Each mistake that an engine may make is found, and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmax
from oracles.deployed_project import N_QUERIES, Deployed
from rankmax.errors import IncompatibleError, RankmaxError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import L2, OpenSearchMinMax, ReciprocalRank

NORMALIZATIONS = [OpenSearchMinMax(), L2(), ReciprocalRank(60)]


def pushed(deployed: Deployed, normalization: Normalization, weights: tuple[float, float] = (0.8, 0.2)) -> None:
    LinearModel(np.array(weights), ("bm25", "dense"), normalization).save(deployed.path.parent / "model.json")
    if "d0" in deployed.server.indexes["docs"] and isinstance(normalization, L2):
        # Negative scores would rank below documents that a clause does not return.
        shift(deployed)
    rankmax.collect(deployed.path)
    assert rankmax.push(deployed.path, dry_run=False).sent


def shift(deployed: Deployed) -> None:
    for index in deployed.server.indexes.values():
        for document, (text, vector) in index.items():
            index[document] = text, [abs(number) for number in vector]
    path = deployed.path.parent / "vectors.jsonl"
    path.write_text(path.read_text().replace("-", ""))


@pytest.mark.parametrize("normalization", NORMALIZATIONS, ids=lambda one: one.name)
def test_an_engine_that_does_as_told_is_confirmed(deployed: Deployed, normalization: Normalization) -> None:
    pushed(deployed, normalization)
    found = rankmax.confirm(deployed.path)
    assert (found.same, found.comparison.queries, found.comparison.explanations) == (True, N_QUERIES, ())
    assert found.comparison.score_difference < 1e-6
    assert "the engine ranks as the model predicts" in repr(found)


def test_a_retriever_of_weight_0_takes_no_part(deployed: Deployed) -> None:
    pushed(deployed, OpenSearchMinMax(), (1.0, 0.0))
    assert rankmax.confirm(deployed.path, size=30).same


@pytest.mark.parametrize("normalization", NORMALIZATIONS, ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("mistake", "kind", "words"),
    [
        ({"ignores weights": True}, "ignored weights", "the weights are ignored: all count the same"),
        ({"swaps weights": True}, "swapped weights", "the weights of bm25 and dense are swapped"),
        ({"window": 5}, "smaller window", "only the 5 best documents of each retriever are fused, not 30"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_mistakes_are_named(
    deployed: Deployed, normalization: Normalization, mistake: dict[str, Any], kind: str, words: str
) -> None:
    pushed(deployed, normalization)
    deployed.server.mistakes = mistake
    found = rankmax.confirm(deployed.path)
    assert not found.same
    best = found.comparison.explanations[0]
    assert (best.kind, best.text, best.queries) == (kind, words, N_QUERIES)


@pytest.mark.parametrize("normalization", NORMALIZATIONS, ids=lambda one: one.name)
def test_a_window_of_any_size_is_named(deployed: Deployed, normalization: Normalization) -> None:
    pushed(deployed, normalization)
    deployed.server.mistakes = {"window": 7}
    best = rankmax.confirm(deployed.path).comparison.explanations[0]
    assert best.text == "only the 7 best documents of each retriever are fused, not 30"
    assert best.queries == N_QUERIES


@pytest.mark.parametrize(
    ("normalization", "technique", "words"),
    [
        (OpenSearchMinMax(), "l2", "l2 in place of opensearch-min-max"),
        (L2(), "min_max", "opensearch-min-max in place of l2"),
        (OpenSearchMinMax(), "rrf", "reciprocal-rank(k=60) in place of opensearch-min-max"),
    ],
)
def test_another_normalization_is_named(
    deployed: Deployed, normalization: Normalization, technique: str, words: str
) -> None:
    shift(deployed)
    pushed(deployed, normalization)
    deployed.server.mistakes = {"technique": technique}
    best = rankmax.confirm(deployed.path).comparison.explanations[0]
    assert (best.kind, best.queries) == ("other normalization", N_QUERIES)
    assert best.text.endswith(words)


def test_ignored_weights_with_another_normalization(deployed: Deployed) -> None:
    pushed(deployed, OpenSearchMinMax())
    deployed.server.mistakes = {"technique": "rrf", "ignores weights": True}
    best = rankmax.confirm(deployed.path).comparison.explanations[0]
    assert best.text == "the weights are ignored, and scores normalized otherwise: reciprocal-rank(k=60)"
    assert best.queries == N_QUERIES


def test_another_index_is_found_by_its_documents(deployed: Deployed) -> None:
    pushed(deployed, OpenSearchMinMax())
    deployed.server.mistakes = {"index": "old"}
    found = rankmax.confirm(deployed.path).comparison
    assert [(one.kind, one.queries) for one in found.explanations] == [("unknown documents", N_QUERIES)]
    assert found.differences[0].unknown[0].startswith("old")


def test_several_shards_are_mentioned(deployed: Deployed) -> None:
    pushed(deployed, OpenSearchMinMax())
    deployed.server.shards = 3
    assert rankmax.confirm(deployed.path).comparison.explanations == ()
    deployed.server.mistakes = {"index": "old"}
    kinds = [one.kind for one in rankmax.confirm(deployed.path).comparison.explanations]
    assert kinds == ["unknown documents", "shards"]


def test_scores_tell_what_equal_rankings_hide(deployed: Deployed) -> None:
    (deployed.path.parent / "topics.tsv").write_text("q0\tw1 w2 w3\n")
    deployed.change("depth = 30", "depth = 1")
    documents = deployed.server.indexes["docs"]
    for document in list(documents)[1:]:
        del documents[document]
    only = next(iter(documents))
    documents[only] = ("w1 w2 w3", [1.0] * 4)
    documents["other"] = ("w1 w9 w9 w9", [0.5] * 4)
    deployed.change("depth = 1", "depth = 2")
    shift(deployed)
    pushed(deployed, L2())
    assert rankmax.confirm(deployed.path).same
    deployed.server.mistakes = {"technique": "min_max"}
    found = rankmax.confirm(deployed.path)
    assert found.comparison.differences == ()
    assert (found.same, found.comparison.same_scores) == (False, False)
    assert "other normalization" in {one.kind for one in found.comparison.explanations}


def test_nothing_is_compared_without_runs_or_model(deployed: Deployed) -> None:
    with pytest.raises(RankmaxError, match=r"model\.json: no such file"):
        rankmax.confirm(deployed.path)
    LinearModel([1.0, 1.0], ("bm25", "e5"), L2()).save(deployed.path.parent / "model.json")
    with pytest.raises(IncompatibleError, match="no run 'e5' among bm25, dense"):
        rankmax.confirm(deployed.path)
    LinearModel([1.0, 1.0], ("bm25", "dense"), L2()).save(deployed.path.parent / "model.json")
    with pytest.raises(IncompatibleError, match="bm25 is not collected"):
        rankmax.confirm(deployed.path)
