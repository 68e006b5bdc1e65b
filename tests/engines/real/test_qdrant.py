"""What Qdrant makes of the exported query, on runs that it returns as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.replay.lists import MISSING, NEGATIVE, Replay, check_ranks_as_the_model_does, deep_learning_lists
from oracles.replay.qdrant import qdrant_client_replay, qdrant_edge_replay
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank

ENGINES = pytest.mark.parametrize("replay", [qdrant_edge_replay, qdrant_client_replay])
FUSIONS = pytest.mark.parametrize(
    ("normalization", "equal"),
    [
        (Unchanged(), False),
        (ReciprocalRank(0), False),
        (ReciprocalRank(60), True),
        (ReciprocalRank(1), True),
        (QdrantReciprocalRank(1), False),
        (QdrantReciprocalRank(60), False),
    ],
    ids=str,
)


@ENGINES
@FUSIONS
def test_real_runs(replay: Replay, normalization: Normalization, equal: bool, shared_data: Path) -> None:
    lists = deep_learning_lists(shared_data / "runs" / "dl19-passage", n_queries=3)
    with replay(lists) as search:
        for systems in (("bm25", "e5"), ("bm25", "colbert", "splade")):
            chosen = {name: lists[name] for name in systems}
            found = check_ranks_as_the_model_does(search, chosen, "qdrant", normalization, equal=equal, precision=1e-6)
            assert found.is_whole
            assert found.largest_difference < 1e-6


@ENGINES
@FUSIONS
def test_missing_documents(replay: Replay, normalization: Normalization, equal: bool) -> None:
    with replay(MISSING) as search:
        found = check_ranks_as_the_model_does(search, MISSING, "qdrant", normalization, equal=equal, precision=1e-6)
    assert found.is_whole


@ENGINES
@FUSIONS
def test_scores_below_zero(replay: Replay, normalization: Normalization, equal: bool) -> None:
    with replay(NEGATIVE) as search:
        found = check_ranks_as_the_model_does(search, NEGATIVE, "qdrant", normalization, equal=equal, precision=1e-6)
    assert found.is_whole
