from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.data.repeated_judgments import only_documents, with_one_more
from rankmax.metrics import AP, nDCG
from rankmax.metrics.evaluator import evaluate_metrics


@pytest.fixture
def judgments() -> Judgments:
    return Judgments.from_grades(
        [1, 0, np.nan, 2, np.nan, 0, 1],
        [0, 4, 7],
        unretrieved_grades=[2, 1, 0],
        unretrieved_offsets=[0, 1, 3],
    )


def test_documents_that_are_left_out_count_as_not_retrieved(judgments: Judgments) -> None:
    """The oracle ranks the same documents last, below the cutoff."""
    scores = np.array([3.0, 4.0, 2.0, -1.0, 3.0, -1.0, 2.0])
    kept = scores > 0
    smaller = only_documents(judgments, kept)
    assert smaller.n_documents == 5
    values = evaluate_metrics([nDCG(cutoff=2)], scores[kept], smaller)
    assert np.array_equal(values, evaluate_metrics([nDCG(cutoff=2)], scores, judgments))
    assert smaller.count(smaller.levels > 0).tolist() == judgments.count(judgments.levels > 0).tolist() == [3, 2]


def test_one_more_judgment_is_that_judgment(judgments: Judgments) -> None:
    scores = np.array([3.0, 4.0, 2.0, 1.0, 3.0, 5.0, 2.0])
    unjudged = np.flatnonzero(judgments.document_levels == UNJUDGED)
    repeated, rows = with_one_more(judgments, unjudged, judgments.n_levels - 1)
    found = evaluate_metrics([AP(), nDCG()], scores[rows], repeated)
    for i, d in enumerate(unjudged):
        grades = judgments.grades.copy()
        grades[d] = 2
        by_hand = Judgments.from_grades(
            grades, judgments.query_offsets, unretrieved_grades=[2, 1, 0], unretrieved_offsets=[0, 1, 3]
        )
        expected = evaluate_metrics([AP(), nDCG()], scores, by_hand)[:, judgments.query_of_document[d]]
        assert found[:, i].tolist() == expected.tolist()
