"""Prediction-powered estimates against their definition, and against the truth of repeated samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankmax.errors import InvalidDataError
from rankmax.evaluation.prediction_powered import coefficients, machine_weight, prediction_powered


def sample(rng: np.random.Generator, n: int = 20, further: int = 200, noise: float = 0.3) -> tuple[np.ndarray, ...]:
    truth = rng.random(n + further) ** 2
    machine = 0.7 * truth + 0.2 + noise * rng.normal(size=truth.size)
    return np.where(np.arange(truth.size) < n, truth, np.nan), machine


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_values_with_coefficients_average_to_the_estimate(seed: int, weight: float) -> None:
    human, machine = sample(np.random.default_rng(seed), 7, 30)
    found = prediction_powered(human, machine, weight=weight)
    by_people = ~np.isnan(human)
    from_human, from_machine = coefficients(by_people, weight)
    values = from_human * np.nan_to_num(human) + from_machine * machine
    assert values.mean() == pytest.approx(found.mean, abs=1e-12)
    by_definition = human[by_people].mean() + weight * (machine[~by_people].mean() - machine[by_people].mean())
    assert found.mean == pytest.approx(by_definition, abs=1e-12)
    assert sum(row.sum() for row in coefficients(by_people, weight)) == pytest.approx(by_people.size)


def test_the_weight_minimizes_the_variance() -> None:
    rng = np.random.default_rng(0)
    human, machine = sample(rng, 400, 1200, noise=0.1)
    both = ~np.isnan(human)

    def variance(w: float) -> float:
        residual = human[both] - w * machine[both]
        return float(residual.var() / both.sum() + w**2 * machine.var() / (~both).sum())

    best = machine_weight(human, machine)
    assert all(variance(best) <= variance(best + step) + 1e-6 for step in (-0.1, -0.05, 0.05, 0.1))


def test_intervals_hold_the_truth_and_are_shorter_than_without_a_machine() -> None:
    rng = np.random.default_rng(1)
    held, shorter = [], []
    for _ in range(600):
        human, machine = sample(rng, noise=0.1)
        found = prediction_powered(human, machine)
        held.append(found.interval[0] <= 1 / 3 <= found.interval[1])
        shorter.append(found.error < found.human_error)
    assert np.mean(held) > 0.93
    assert np.mean(shorter) > 0.95


def test_without_a_machine_it_is_a_t_interval_but_for_one_degree_of_freedom() -> None:
    human, _ = sample(np.random.default_rng(2))
    found = prediction_powered(human, np.zeros(human.size))
    values = human[~np.isnan(human)]
    reach = stats.t.ppf(0.975, values.size - 2) * stats.sem(values)
    assert found.interval == pytest.approx((values.mean() - reach, values.mean() + reach))
    assert found.machine_weight == 0
    assert found.worth == pytest.approx(0, abs=1e-9)
    assert found.p_value() == pytest.approx(2 * stats.t.sf(values.mean() / stats.sem(values), values.size - 2))


def test_a_machine_that_judges_at_random_is_worth_nothing() -> None:
    rng = np.random.default_rng(3)
    worths = []
    for _ in range(50):
        human, machine = sample(rng)
        worths.append(prediction_powered(human, rng.permutation(machine)).worth)
    assert np.mean(worths) < 2


def test_few_queries_cannot_show_a_perfect_machine() -> None:
    human, _ = sample(np.random.default_rng(4))
    truth = np.where(np.isnan(human), np.random.default_rng(5).random(human.size), human)
    assert prediction_powered(human, truth).worth < 20 * 20


@pytest.mark.parametrize(
    ("human", "machine", "message"),
    [
        ([0.5, np.nan], [np.nan, 0.5], "1 of the queries that people judged have no machine judgments"),
        ([0.5] * 4 + [np.nan], [0.5] * 5, "4 queries have both .* at least 5"),
    ],
)
def test_unusable_judgments(human: list[float], machine: list[float], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        prediction_powered(human, machine)
