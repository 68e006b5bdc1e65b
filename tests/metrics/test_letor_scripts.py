"""What sets LETOR's scripts apart: short lists, and documents that are not in the file."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.metrics import (
    AP,
    LetorAveragePrecision,
    LetorMeanNDCG,
    LetorNDCG,
    LetorPrecision,
    P,
    evaluate_metrics,
    nDCG,
)

SCORES = np.array([3.0, 2.0, 1.0])
SHORT = Judgments.from_grades([1, 0, 2], [0, 3])


def test_a_list_shorter_than_k_has_no_ndcg():
    values = evaluate_metrics([LetorNDCG @ 3, LetorNDCG @ 4, nDCG(gain="exp2", discount="jk") @ 4], SCORES, SHORT)
    assert values[0] == values[2] > 0
    assert values[1] == 0


def test_versions_differ_on_the_precision_of_short_lists():
    third, fourth, usual = evaluate_metrics([LetorPrecision(version=3) @ 4, LetorPrecision @ 4, P @ 4], SCORES, SHORT)
    assert third == 0
    assert fourth == usual == 0.5


def test_documents_that_are_not_in_the_file_do_not_exist():
    more = Judgments.from_grades([1, 0, 2], [0, 3], unretrieved_grades=[2, 2], unretrieved_offsets=[0, 2])
    metrics = [LetorAveragePrecision(), LetorNDCG @ 2, LetorMeanNDCG()]
    assert evaluate_metrics(metrics, SCORES, more) == pytest.approx(evaluate_metrics(metrics, SCORES, SHORT))
    assert AP().per_query(SCORES, more) < LetorAveragePrecision().per_query(SCORES, more)


def test_mean_ndcg_keeps_its_precision_over_many_queries():
    """The running sums behind it restart at each query, so the last query is as exact as the first."""
    rng = np.random.default_rng(0)
    n_queries = 20_000
    judgments = Judgments.from_grades(np.tile([0, 1, 2, 1, 0], n_queries), np.arange(n_queries + 1) * 5)
    scores = np.tile(rng.permutation(5).astype(np.float64), n_queries)
    values = LetorMeanNDCG().per_query(scores, judgments)
    assert np.abs(values - values[0]).max() < 1e-12
