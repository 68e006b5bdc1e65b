from __future__ import annotations

import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.workflows.ranking import run_of


def test_documents_keep_their_ids() -> None:
    data = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=["q", "q"], document_ids=["x", "y"])
    run = run_of(data, data.scores([1.0]), tag="mine")
    assert (run.to_dict(), run.tag) == ({"q": {"x": 1.0, "y": 2.0}}, "mine")


def test_ids_with_blanks_are_refused() -> None:
    data = RankingDataset.from_arrays([[1.0]], [0], qid=["two words"])
    with pytest.raises(InvalidDataError, match="query id 'two words'"):
        run_of(data, data.scores([1.0]))
