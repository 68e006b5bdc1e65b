from __future__ import annotations

import pytest

from rankmax.data.runs import Run
from rankmax.models import LinearModel
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank

LISTS = {"x": ["a", "b", "c", "d"], "y": ["d", "e", "a"], "z": ["e"]}
RUNS = {name: Run.from_dict({"q": {d: 9.0 - i for i, d in enumerate(found)}}) for name, found in LISTS.items()}


@pytest.mark.parametrize("weights", [[0.2, 0.3, 0.5], [3.0, 0.0, 1.0], [1.0, 1.0, 1.0]], ids=str)
@pytest.mark.parametrize("k", [0, 1, 60])
def test_scores_are_those_of_qdrants_formula(weights: list[float], k: int) -> None:
    used = {name: w for name, w in zip(LISTS, weights, strict=True) if w}
    mean = sum(used.values()) / len(used)
    expected: dict[str, float] = {}
    for name, weight in used.items():
        for position, document in enumerate(LISTS[name]):  # 1 / ((position + 1) / weight + k - 1), its k being one more
            expected[document] = expected.get(document, 0.0) + 1 / ((position + 1) / (weight / mean) + k)
    found = fuse_runs(LinearModel(weights, tuple(LISTS), QdrantReciprocalRank(k)), RUNS).to_dict()["q"]
    assert {d: s / mean for d, s in found.items() if s} == pytest.approx(expected)  # the model's weights have any scale


def test_equal_weights_are_reciprocal_rank_fusion() -> None:
    own, usual = (LinearModel([2.0] * 3, tuple(LISTS), one) for one in (QdrantReciprocalRank(60), ReciprocalRank(60)))
    assert fuse_runs(own, RUNS).to_dict() == fuse_runs(usual, RUNS).to_dict()


def test_a_model_is_read_back_with_it(tmp_path) -> None:
    LinearModel([0.2, 0.8], ("x", "y"), QdrantReciprocalRank(10)).save(tmp_path / "m.json")
    assert LinearModel.load(tmp_path / "m.json").normalization == QdrantReciprocalRank(10)
