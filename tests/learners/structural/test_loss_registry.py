"""Losses by name."""

from __future__ import annotations

import pytest

from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidDataError, UnknownNameError
from rankmax.learners.structural.loss_registry import structural_loss
from rankmax.metrics import AP


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("AP", "TabularOracle"),
        ("map", "TabularOracle"),
        ("nDCG@10", "TabularOracle"),
        ("P@10", "TabularOracle"),
        ("ROC", "ROCAreaOracle"),
        ("RR@5", "ReciprocalRankOracle"),
        ("accuracy", "AccuracyOracle"),
        ("Accuracy", "AccuracyOracle"),
    ],
)
def test_names(name: str, oracle: str) -> None:
    assert structural_loss(name).kind.__name__ == oracle


def test_a_threshold_replaces_the_metrics_own() -> None:
    assert structural_loss(AP(rel=3)).metric.name == "AP(rel=3)"
    assert structural_loss(AP(rel=3), relevant_from=2).metric.name == "AP(rel=2)"
    assert structural_loss("accuracy", relevant_from=2).metric.name == "AP(rel=2)"
    with pytest.raises(IncompatibleError, match="gains by grade, so relevant_from=2 has no effect"):
        structural_loss("nDCG@10", relevant_from=2)


def test_unclear_grades_are_asked_about() -> None:
    judgments = Judgments.from_grades([0, 0.5, 1], [0, 3])
    with pytest.raises(InvalidDataError, match=r"AP: which grades are relevant\? .* such as 0\.5; give relevant_from"):
        structural_loss("AP").require_clear_relevance(judgments)
    structural_loss("AP", relevant_from=0.5).require_clear_relevance(judgments)
    structural_loss("AP", relevant_from=1).require_clear_relevance(judgments)
    structural_loss("nDCG").require_clear_relevance(judgments)


def test_metrics_without_tables_are_refused() -> None:
    with pytest.raises(IncompatibleError, match="ERR@10 is no loss of a structural SVM; use accuracy, AP, ROC"):
        structural_loss("ERR@10")
    with pytest.raises(UnknownNameError):
        structural_loss("no such loss".replace(" ", ""))
