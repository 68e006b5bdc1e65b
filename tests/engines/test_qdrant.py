from __future__ import annotations

import pytest

from oracles.engines import requests_in
from rankmax.engines.qdrant import QDRANT
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank
from rankmax.testing.export_targets import ExportTargetContract


class TestQdrant(ExportTargetContract):
    target = QDRANT


def test_prefetches_fit_the_systems() -> None:
    systems = ("bm25", "e5", "splade", "clicks")
    ((_, _, body),) = requests_in(export_model(LinearModel([1.0, -2.0, 3.0, 4.0], systems), "qdrant").text)
    assert [one["using"] for one in body["prefetch"]] == [
        *("YOUR-SPARSE-FIELD", "YOUR-VECTOR-FIELD", "YOUR-SPARSE-FIELD", "YOUR-FIELD")
    ]
    assert [term["mult"][0] for term in body["query"]["formula"]["sum"]] == [1.0, -2.0, 3.0, 4.0]


def test_its_rank_constant_is_one_more() -> None:
    ((_, _, body),) = requests_in(export_model(LinearModel([2, 2], ("a", "b"), ReciprocalRank(60)), "qdrant").text)
    assert body["query"] == {"rrf": {"k": 61}}


def test_its_own_weighted_ranks_have_weights_of_mean_1() -> None:
    model = LinearModel([0.75, 0.0, 0.25], ("a", "b", "c"), QdrantReciprocalRank(10))
    ((_, _, body),) = requests_in(export_model(model, "qdrant").text)
    assert body["query"] == {"rrf": {"k": 11, "weights": [1.5, 0.5]}}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearModel([1.0, 0.5], ("bm25", "e5"), ReciprocalRank(60)), r"1 / \(rank / weight \+ k - 1\), which is not"),
        (LinearModel([1.0, -1.0], ("bm25", "age"), ReciprocalRank(0)), "no negative weight"),
        (LinearModel([1.0, 1.0], ("bm25", "e5"), ReciprocalRank(0.5)), "takes an integer as rank constant"),
        (LinearModel([1.0], ("bm25",), MinMax()), "dbsf normalizes scores, but takes no weights"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "qdrant")


def test_raw_scores_keep_their_weights() -> None:
    text = export_model(LinearModel([0.3, 0.7], ("bm25", "e5"), Unchanged()), "qdrant").text
    ((_, _, body),) = requests_in(text)
    assert body["query"]["defaults"] == {"$score[0]": 0.0, "$score[1]": 0.0}
