"""Comparisons by both kinds of judgments, where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import InvalidDataError
from rankmax.evaluation.comparison import compare_systems
from rankmax.evaluation.machine_judgments import compare_with_machine, machine_favors, pooled_worth, values_of_all
from rankmax.evaluation.prediction_powered import prediction_powered

BY_PEOPLE = np.arange(300) < 25


def two_systems(seed: int, gain: float, bias: float = 0.0) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    base = rng.random(300)
    better = base + gain + 0.15 * rng.normal(size=300)
    truth = {"bm25": base, "e5": better}
    machine = {name: 0.5 * values + 0.3 + 0.03 * rng.normal(size=300) for name, values in truth.items()}
    machine["e5"] = machine["e5"] + bias
    return {name: np.where(BY_PEOPLE, values, np.nan) for name, values in truth.items()}, machine


def test_a_biased_machine_does_not_bias_the_difference() -> None:
    differences = [
        compare_with_machine(*two_systems(seed, 0.0, bias=0.2), "bm25").rows[0].difference for seed in range(200)
    ]
    assert abs(np.mean(differences)) < 3 * np.std(differences) / np.sqrt(200) + 1e-3


def test_false_alarms_keep_to_the_level_and_gains_are_found_more_often_than_by_people_alone() -> None:
    false, found, alone = [], [], []
    for seed in range(200):
        false.append(compare_with_machine(*two_systems(seed, 0.0, bias=0.1), "bm25").rows[0].corrected_p_value < 0.05)
        human, machine = two_systems(seed, 0.06)
        found.append(compare_with_machine(human, machine, "bm25").rows[0].corrected_p_value < 0.05)
        alone.append(compare_systems(human, "bm25", test="t").rows[0].corrected_p_value < 0.05)
    assert np.mean(false) < 0.09
    assert np.mean(found) > np.mean(alone) + 0.1


def test_a_favored_system_is_named() -> None:
    favors = machine_favors(*two_systems(1, 0.0, bias=0.2))
    assert (favors[0].system, favors[0].p_value < 0.01) == ("e5", True)
    assert all(favor.p_value > 0.05 for favor in machine_favors(*two_systems(1, 0.0)))


def test_worth_of_several_estimates() -> None:
    human, machine = two_systems(2, 0.1)
    one = prediction_powered(human["e5"], machine["e5"])
    assert pooled_worth([one, one]) == pytest.approx(one.n_effective)


def test_queries_of_people_that_the_machine_lacks_are_named() -> None:
    with pytest.raises(InvalidDataError, match=r"1 of 2 queries judged by people lack machine judgments \(q7\)"):
        values_of_all(["q1", "q7"], np.zeros(2), ["q1", "q2"])
