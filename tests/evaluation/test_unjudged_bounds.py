"""Bounds of metrics against all ways to judge the unjudged documents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.evaluation.unjudged_bounds import unjudged_documents
from rankmax.metrics import AP, ERR, RBP, RR, P, R, nDCG
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import NoRelevant
from rankmax.metrics.registry import parse_metric
from rankmax.metrics.ties import TiePolicy

METRICS = [nDCG(cutoff=3), nDCG(), AP(), AP(cutoff=3), RR(), P(cutoff=3), R(cutoff=3), RBP(), ERR(cutoff=4)]
METRICS += [parse_metric("nDCG(gain=exp2)@3"), parse_metric("Rprec"), parse_metric("DCG@3")]


def all_values(grades: np.ndarray, scores: np.ndarray, metric: object, depth: int) -> list[float]:
    """Return the value for each way to judge the unjudged documents of the top."""
    rank = np.argsort(np.argsort(-scores, kind="stable"))
    unknown = np.flatnonzero(np.isnan(grades) & (rank < depth))
    found = []
    for judged in product([0.0, np.nanmax(grades)], repeat=unknown.size):
        filled = grades.copy()
        filled[unknown] = judged
        found.append(evaluate_metrics([metric], scores, Judgments.from_grades(filled, [0, grades.size]))[0, 0])
    return found


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan, np.nan]), min_size=1, max_size=7),
    st.sampled_from(METRICS),
    st.integers(0, 1000),
)
def test_bounds_are_the_extremes_of_all_judgments(listed: list[float], metric: object, seed: int) -> None:
    grades = np.array([*listed, 2.0])
    scores = np.random.default_rng(seed).permutation(grades.size).astype(float)
    judgments = Judgments.from_grades(grades, [0, grades.size])
    values = evaluate_metrics([metric], scores, judgments)
    (found,) = unjudged_documents(scores, judgments, [metric], values)
    every = all_values(grades, scores, metric, metric.cutoff or 10)
    assert found.lowest == pytest.approx(min(every), abs=1e-12)
    assert found.highest == pytest.approx(max(every), abs=1e-12)


def test_means_are_over_queries_that_count() -> None:
    """A query without a relevant document is left out, whatever its unjudged documents may be."""
    metric = P(cutoff=1, no_relevant=NoRelevant.SKIP)
    judgments = Judgments.from_grades([1, np.nan, 0, np.nan], [0, 2, 4])
    scores = np.array([1.0, 2.0, 1.0, 2.0])
    values = evaluate_metrics([metric], scores, judgments)
    assert np.isnan(values[0, 1])
    (found,) = unjudged_documents(scores, judgments, [metric], values)
    assert (found.share, found.lowest, found.highest) == (1.0, 0.0, 1.0)


def test_without_a_relevant_grade_one_is_assumed() -> None:
    judgments = Judgments.from_grades([0, np.nan], [0, 2])
    (found,) = unjudged_documents(np.array([1.0, 2.0]), judgments, [RR()], np.array([[0.0]]))
    assert (found.lowest, found.highest, str(found)) == (0.0, 1.0, "50%: 0.0000 to 1.0000")


def test_ties_are_those_of_the_policy() -> None:
    """trec_eval ranks the higher id first, which is not judged; in document order it is second."""
    judgments = Judgments.from_grades(
        [1, np.nan, 1, np.nan], [0, 2, 4], document_ids=Ids.from_strings(["a", "b", "c", "d"])
    )
    scores = np.array([1.0, 1.0, 2.0, 1.0])
    for ties, expected in ((TiePolicy.TREC_EVAL, 0.5), (TiePolicy.DOCUMENT_ORDER, 0.0)):
        values = evaluate_metrics([P(cutoff=1)], scores, judgments, ties=ties)
        (found,) = unjudged_documents(scores, judgments, [P(cutoff=1)], values, ties=ties)
        assert found.share == expected
