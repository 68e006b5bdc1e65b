"""Weights that fit the query on an engine that gets them with each request."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankmax
from oracles.deployed_project import N_QUERIES, Deployed
from rankmax.errors import IncompatibleError
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.preprocessing.query_features import QueryFeature
from rankmax.preprocessing.run_normalization import OpenSearchMinMax, ReciprocalRank

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
