"""What Milvus makes of the export, on runs that it returns as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.replay.lists import MISSING, check_ranks_as_the_model_does, deep_learning_lists
from oracles.replay.milvus import milvus_replay
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.run_normalization import MilvusInnerProduct, ReciprocalRank

FUSIONS = pytest.mark.parametrize(
    ("normalization", "equal"),
    [(Unchanged(), False), (MilvusInnerProduct(), False), (ReciprocalRank(60), True)],
    ids=str,
)


@FUSIONS
def test_real_runs(normalization: Normalization, equal: bool, shared_data: Path) -> None:
    lists = deep_learning_lists(shared_data / "runs" / "dl19-passage", n_queries=3)
    with milvus_replay(lists) as search:
        for systems in (("bm25", "e5"), ("bm25", "colbert", "splade")):
            chosen = {name: lists[name] for name in systems}
            found = check_ranks_as_the_model_does(search, chosen, "milvus", normalization, equal=equal, precision=1e-6)
            assert found.is_whole
            assert found.largest_difference < 1e-6


@FUSIONS
def test_missing_documents(normalization: Normalization, equal: bool) -> None:
    with milvus_replay(MISSING) as search:  # its sparse vectors have no negative values
        found = check_ranks_as_the_model_does(search, MISSING, "milvus", normalization, equal=equal, precision=1e-6)
    assert found.is_whole
