from __future__ import annotations

import pytest

from rankmax.engines.lancedb import LANCEDB
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax
from rankmax.testing.export_targets import ExportTargetContract

SYSTEMS = ("bm25", "e5")


class TestLanceDB(ExportTargetContract):
    target = LANCEDB


@pytest.mark.parametrize("systems", [SYSTEMS, SYSTEMS[::-1]])
def test_the_weight_is_that_of_vectors(systems: tuple[str, str]) -> None:
    weights = {"bm25": 1.0, "e5": 3.0}
    text = export_model(LinearModel([weights[name] for name in systems], systems, RetrievedMinMax()), "lancedb").text
    assert "LinearCombinationReranker(weight=0.75)" in text


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearModel([1.0, 2.0], SYSTEMS, ReciprocalRank(60)), "RRFReranker takes no weights"),
        (LinearModel([1.0, 1.0], SYSTEMS, ReciprocalRank(0)), "takes a positive integer as rank constant"),
        (LinearModel([1.0, 2.0], SYSTEMS, Unchanged()), "tune --engine lancedb"),
        (LinearModel([1.0, -2.0], SYSTEMS, RetrievedMinMax()), "no negative weight"),
        (LinearModel([1.0, 2.0], ("bm25", "rm3"), RetrievedMinMax()), "one full text search with one vector search"),
        (LinearModel([1.0, 2.0, 1.0], (*SYSTEMS, "splade"), RetrievedMinMax()), "the model weighs bm25, e5, splade"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "lancedb")
