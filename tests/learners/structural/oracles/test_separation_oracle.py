"""What every separation oracle promises, held to an enumeration of all rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import metrics as plain
from oracles.separation import Violations, label_violations, ranking_violations
from rankmax.data.judgments import Judgments
from rankmax.learners.structural.loss_registry import structural_loss
from rankmax.learners.structural.oracles.separation_oracle import GainClasses, Separation, tells

Floats = Sequence[float]

# The value of a list of gains from the top of a ranking. (Binary gains of 0 and 1 and nDCG's linear gains are grades.)
RANKED: dict[str, Callable[[Floats], float]] = {
    "AP": lambda ranked: plain.average_precision(ranked, ranked),
    "AP@3": lambda ranked: plain.average_precision(ranked, ranked, k=3),
    "ROC": plain.roc_area,
    "RR": lambda ranked: plain.reciprocal_rank(ranked, ranked),
    "RR@2": lambda ranked: plain.reciprocal_rank(ranked, ranked, k=2),
    "P@3": lambda ranked: plain.precision(ranked, ranked, k=3),
    "P@10": lambda ranked: plain.precision(ranked, ranked, k=10),
    "R@2": lambda ranked: plain.recall(ranked, ranked, k=2),
    "Rprec": lambda ranked: plain.r_precision(ranked, ranked),
    "nDCG@3": lambda ranked: plain.ndcg(ranked, ranked, k=3),
    "nDCG@10": lambda ranked: plain.ndcg(ranked, ranked, k=10),
    "nDCG": lambda ranked: plain.ndcg(ranked, ranked),
    "RBP(p=0.7)@4": lambda ranked: plain.rbp(ranked, p=0.7, k=4),
}
GRADED = {"nDCG@3", "nDCG@10", "nDCG"}


def enumerated(loss: str, scores: Floats, grades: Floats) -> list[tuple[float, Violations]]:
    """Return the violations of all outputs for each way to split the grades in two, with its share in the loss."""
    if loss == "accuracy":
        return [(1.0, label_violations(scores, [grade >= 1 for grade in grades]))]
    cutoff = int(loss.partition("@")[2] or len(grades))
    steps = pairwise(sorted(set(grades))) if loss in GRADED else [(0.0, 1.0)]
    found = []
    for low, high in steps:
        gains = [float(grade >= high) for grade in grades]
        best = RANKED[loss](sorted(gains, reverse=True))
        share = (high - low) * ideal_dcg(gains, cutoff) / ideal_dcg(grades, cutoff) if loss in GRADED else best
        found.append((share, ranking_violations(scores, gains, lambda ranked, best=best: RANKED[loss](ranked) / best)))
    return found


def ideal_dcg(gains: Floats, cutoff: int) -> float:
    return plain.dcg(sorted(gains, reverse=True), k=cutoff)


def found(loss: str, scores: Floats, grades: Floats) -> Separation:
    judgments = Judgments.from_grades(grades, [0, len(grades)])
    return structural_loss(loss).oracle(judgments).most_violated(np.array(scores))


def assert_most_violated(loss: str, scores: Floats, grades: Floats) -> None:
    every = enumerated(loss, scores, grades)
    most = found(loss, scores, grades)
    value = most.losses[0] - most.margins @ np.array(scores)
    assert value == pytest.approx(sum(share * one.values.max() for share, one in every), abs=1e-9)
    # As the kernels add up splits, some choice of one output for each of them must have this loss and these margins.
    best = [
        share * np.column_stack([one.losses, one.margins])[one.values > one.values.max() - 1e-9] for share, one in every
    ]
    together = np.append(most.losses, most.margins)
    choices = product(*(np.unique(outputs.round(12), axis=0) for outputs in best))
    assert any(np.allclose(sum(chosen), together, atol=1e-9) for chosen in choices)


@pytest.mark.parametrize("loss", [*RANKED, "accuracy"])
@settings(max_examples=25)
@given(data=st.data())
def test_no_ranking_violates_its_margin_more(loss: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 5))
    grades = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(lambda g: min(g) == 0 < max(g)))
    scale = data.draw(st.sampled_from([0.0, 0.1, 1.0, 10.0]))
    score = st.integers(-8, 8) if data.draw(st.booleans()) else st.floats(-4, 4)  # integers tie
    scores = data.draw(st.lists(score.map(lambda s: scale * s), min_size=n, max_size=n))
    assert_most_violated(loss, scores, grades)


@pytest.mark.parametrize("loss", [*RANKED, "accuracy"])
def test_no_ranking_of_seven_documents_violates_its_margin_more(loss: str) -> None:
    assert_most_violated(loss, np.random.default_rng(1).normal(size=7), [0, 1, 2, 0, 1, 0, 3])


@pytest.mark.parametrize("loss", [*RANKED, "accuracy"])
def test_queries_do_not_disturb_each_other(loss: str) -> None:
    rng = np.random.default_rng(4)
    sizes = rng.integers(2, 30, 40)
    grades = np.concatenate([np.append([0, 1], rng.integers(0, 3, n - 2)) for n in sizes])
    scores = rng.normal(size=grades.size)
    offsets = np.append(0, np.cumsum(sizes))
    together = structural_loss(loss).oracle(Judgments.from_grades(grades, offsets)).most_violated(scores)
    for q, span in enumerate(map(slice, offsets[:-1], offsets[1:])):
        alone = found(loss, scores[span], grades[span])
        np.testing.assert_allclose(together.margins[span], alone.margins, atol=1e-12)
        assert together.losses[q] == pytest.approx(alone.losses[0], abs=1e-12)


@pytest.mark.parametrize("loss", ["AP", "ROC", "RR", "nDCG", "nDCG@5"])
def test_threads_change_no_bit(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(3, 60, 100)
    grades = np.concatenate([np.append([0, 1, 2], rng.integers(0, 3, n - 3)) for n in sizes])
    scores = rng.normal(size=grades.size)
    oracle = structural_loss(loss).oracle(Judgments.from_grades(grades, np.append(0, np.cumsum(sizes))))
    alone = oracle.most_violated(scores)
    monkeypatch.setattr("rankmax.learners.structural.oracles.interleaving._WORTH_THREADS", 1)
    threaded = oracle.most_violated(scores)
    np.testing.assert_array_equal(threaded.losses, alone.losses)
    np.testing.assert_array_equal(threaded.margins, alone.margins)


def test_slack_is_what_the_margin_lacks() -> None:
    separation = Separation(np.array([0.5, 0.25]), np.array([1.0, -1.0, 0.5, -0.5]))
    slacks = separation.slacks(np.array([0.2, 0.1, 2.0, 1.0]), np.array([0, 2, 4]))
    assert slacks == pytest.approx([0.4, 0.0])


def test_unretrieved_documents_lower_the_loss_of_average_precision() -> None:
    judgments = Judgments.from_grades([1, 0], [0, 2], unretrieved_grades=[1.0], unretrieved_offsets=[0, 1])
    most = structural_loss("AP").oracle(judgments).most_violated(np.zeros(2))
    assert most.losses[0] == pytest.approx(0.5 - 0.25)  # AP of both rankings, one relevant document out of reach


def test_classes_of_queries_without_documents() -> None:
    classes = GainClasses.of(np.array([1.0, 0.0, 0.0]), np.array([0, 0, 2, 2, 3]))
    assert classes.query_classes.tolist() == [0, 0, 2, 2, 3]
    assert tells(structural_loss("AP").metric, Judgments.from_grades([1, 0, 0], [0, 0, 2, 2, 3])).tolist() == [
        False,
        True,
        False,
        False,
    ]
