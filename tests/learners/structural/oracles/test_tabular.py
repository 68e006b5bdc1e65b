"""Algorithm 2 as the paper writes it, its theorem, its toy examples, and metrics of several gains and cutoffs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.separation import best_places
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError
from rankmax.learners.structural.oracles.tabular import TabularOracle
from rankmax.metrics import AP, ROC, parse_metric
from rankmax.metrics.custom import TableMetric

TABLE_1 = np.array([1, 0, 0, 0, 0, 1, 1, 0])
TABLE_3 = np.array([1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0])

falling = st.lists(st.floats(-3, 3), min_size=1, max_size=8).map(lambda scores: sorted(scores, reverse=True))


@given(falling, falling)
def test_places_never_fall(relevant: list[float], others: list[float]) -> None:
    """Theorem 2: opt_1 <= opt_2 <= ..., for Algorithm 2 as it is written."""
    places = best_places(relevant, others)
    assert places == sorted(places)


@given(falling, falling)
def test_is_algorithm_2(relevant: list[float], others: list[float]) -> None:
    p, m = len(relevant), len(others)
    scores = np.array(relevant + others)
    found = TabularOracle(AP(), Judgments.from_grades([1] * p + [0] * m, [0, p + m])).most_violated(scores)
    places = best_places(relevant, others)
    above = [sum(place <= i for place in places) for i in range(1, p + 1)]
    loss = np.mean([1 - i / (i + a) for i, a in enumerate(above, 1)])
    margins = np.append(2 * np.array(above), [-2 * (p + 1 - place) for place in places]) / (p * m)
    assert found.losses[0] - found.margins @ scores == pytest.approx(loss - margins @ scores, abs=1e-9)


@pytest.mark.parametrize("name", ["AP", "nDCG", "nDCG(gain='exp2')", "RBP(p=0.9)"])
def test_sliding_agrees_with_dynamic_programming(name: str) -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(5, 60, 30)
    grades = np.concatenate([np.append([0, 1], rng.choice(4, n - 2, p=[0.6, 0.2, 0.1, 0.1])) for n in sizes])
    judgments = Judgments.from_grades(grades, np.append(0, np.cumsum(sizes)))
    oracle = TabularOracle(parse_metric(name), judgments)
    assert oracle.kind == "DISCOUNTED"
    for scale in (0.1, 1.0, 20.0):
        scores = scale * (rng.normal(size=grades.size) + 0.5 * grades)
        oracle.kind = "DISCOUNTED"
        slid = oracle.most_violated(scores)
        oracle.kind = "TOP"
        planned = oracle.most_violated(scores)
        expected = planned.slacks(scores, judgments.query_offsets)
        np.testing.assert_allclose(slid.slacks(scores, judgments.query_offsets), expected, atol=1e-9)
        assert (slid.slacks(scores, judgments.query_offsets) > 0).any()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("AP", "DISCOUNTED"),
        ("nDCG", "DISCOUNTED"),
        ("RBP(p=0.5)", "DISCOUNTED"),
        ("AP@3", "TOP"),
        ("nDCG@3", "TOP"),
        ("nDCG(discount='jk')", "TOP"),  # falls more steeply from rank 2 to 3 than from 1 to 2
        ("Rprec", "TOP"),
        ("Success@3", "TOP"),
    ],
)
def test_only_convex_discounts_slide(name: str, kind: str) -> None:
    judgments = Judgments.from_grades([1, 0, 2, 0, 0], [0, 5])
    assert TabularOracle(parse_metric(name), judgments).kind == kind


def test_slack_bounds_the_loss_of_graded_rankings() -> None:
    """Proposition 1, for a loss that is a sum over splits."""
    rng = np.random.default_rng(6)
    grades = rng.integers(0, 4, 200)
    judgments = Judgments.from_grades(grades, np.arange(0, 201, 10))
    metric = parse_metric("nDCG(gain='exp2')")
    oracle = TabularOracle(metric, judgments)  # type: ignore[arg-type]
    for scale in (0.0, 1.0, 30.0):
        scores = scale * (rng.normal(size=200) + grades)
        slacks = oracle.most_violated(scores).slacks(scores, judgments.query_offsets)
        assert (slacks >= 1 - metric.per_query(scores, judgments) - 1e-12).all()


def test_counting_documents_above_and_several_gains_do_not_go_together() -> None:
    metric = TableMetric(gain=(0, 1, 3), prefix=(1, 0.5))
    with pytest.raises(IncompatibleError, match="more than two gains"):
        TabularOracle(metric, Judgments.from_grades([0, 1, 2], [0, 3]))


def of_both_models(metric: AP | ROC, relevant: np.ndarray) -> tuple[float, float]:
    """Return the values of the models of the toy examples, which rank documents 1, 2, ... and the other way round."""
    judgments = Judgments.from_grades(relevant, [0, relevant.size])
    first = np.arange(relevant.size, 0, -1.0)
    return float(metric.per_query(first, judgments)[0]), float(metric.per_query(-first, judgments)[0])


def test_toy_models_of_tables_1_and_2() -> None:
    assert of_both_models(AP(), TABLE_1) == pytest.approx((0.59, 0.51), abs=0.005)
    assert of_both_models(ROC(), TABLE_1) == pytest.approx((0.47, 0.53), abs=0.005)


def test_toy_models_of_tables_3_and_4() -> None:
    """The paper's average precisions divide by 4, though 5 documents are relevant; which is larger does not change."""
    first, second = of_both_models(AP(), TABLE_3)
    assert (first * 5 / 4, second * 5 / 4) == pytest.approx((0.70, 0.64), abs=0.005)
    scores = np.arange(11, 0, -1.0)
    assert (best_accuracy(TABLE_3, scores), best_accuracy(TABLE_3, -scores)) == pytest.approx((0.64, 0.73), abs=0.005)


def best_accuracy(relevant: np.ndarray, scores: np.ndarray) -> float:
    return max(((scores >= threshold) == relevant).mean() for threshold in np.append(scores, np.inf))
