"""What LangChain's EnsembleRetriever makes of the export, on runs that it returns as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.replay.lists import NEGATIVE, TIED, Lists, check_ranks_as_the_model_does, deep_learning_lists
from oracles.replay.pipelines import langchain_replay
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import ReciprocalRank

FUSIONS = pytest.mark.parametrize(
    ("normalization", "equal"), [(ReciprocalRank(60), False), (ReciprocalRank(1), True)], ids=str
)


@FUSIONS
def test_real_runs(normalization: Normalization, equal: bool, shared_data: Path) -> None:
    lists = deep_learning_lists(shared_data / "runs" / "dl19-passage", n_queries=3)
    with langchain_replay(lists) as search:
        for systems in (("bm25", "e5"), ("bm25", "colbert", "splade")):
            chosen = {name: lists[name] for name in systems}
            found = check_ranks_as_the_model_does(
                search, chosen, "langchain", normalization, equal=equal, precision=1e-12
            )
            assert found.is_whole  # LangChain tells no scores


@FUSIONS
@pytest.mark.parametrize("lists", [TIED, NEGATIVE], ids=["ties and missing documents", "negative scores"])
def test_written_lists(normalization: Normalization, equal: bool, lists: Lists) -> None:
    with langchain_replay(lists) as search:
        found = check_ranks_as_the_model_does(search, lists, "langchain", normalization, equal=equal, precision=1e-12)
    assert found.is_whole
