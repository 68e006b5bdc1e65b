"""The joint test of drops: held to enumeration, to the test of one metric, and to its level."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidParameterError
from rankmax.evaluation.joint_regression_test import joint_regression_test
from rankmax.evaluation.significance import randomization_test

DIFFERENCES = st.integers(1, 3).flatmap(
    lambda n_cells: st.lists(
        st.lists(st.sampled_from([-0.5, -0.3, -0.1, 0.0, 0.2, 0.4]), min_size=n_cells, max_size=n_cells),
        min_size=1,
        max_size=7,
    )
)


def enumerated(differences: np.ndarray) -> list[float]:
    """Corrected p-values by their definition."""
    norms = [max(sum(d * d for d in row) ** 0.5, 1e-300) for row in differences]

    def statistics(signs: tuple[int, ...]) -> list[float]:
        return [
            -sum(s * d for s, d in zip(signs, row, strict=True)) / n for row, n in zip(differences, norms, strict=True)
        ]

    flips = list(product((1, -1), repeat=differences.shape[1]))
    own = statistics((1,) * differences.shape[1])
    return [sum(max(statistics(f)) >= t - 1e-9 for f in flips) / len(flips) for t in own]


@given(DIFFERENCES)
def test_few_queries_are_enumerated(columns: list[list[float]]) -> None:
    differences = np.array(columns).T
    result = joint_regression_test(differences)
    assert result.exact
    assert result.corrected_p_values == pytest.approx(enumerated(differences))
    for level in (0.04, 0.3):
        found = joint_regression_test(differences, level=level)
        significant = found.corrected_p_values <= level
        assert (significant == (found.statistics > found.critical_value + 1e-9)).all()


def test_one_cell_is_the_randomization_test() -> None:
    rng = np.random.default_rng(0)
    for n in (9, 60):
        row = rng.normal(-0.02, 0.1, n)
        ours = joint_regression_test(row[np.newaxis], n_flips=50_000)
        alone = randomization_test(row, np.zeros(n), alternative="less", seed=1).p_value
        assert ours.p_values[0] == pytest.approx(alone, abs=0.004)
        assert ours.corrected_p_values[0] == ours.p_values[0]


def test_a_cell_of_some_queries_ignores_the_others() -> None:
    row = np.random.default_rng(1).normal(-0.1, 0.1, 8)
    padded = np.concatenate([row, [np.nan] * 4])
    assert joint_regression_test(padded[np.newaxis]).p_values == joint_regression_test(row[np.newaxis]).p_values


def test_the_level_holds_for_dependent_metrics_and_is_used() -> None:
    rng = np.random.default_rng(2)
    level, n_trials, alarms = 0.1, 600, 0
    for trial in range(n_trials):
        common = rng.normal(0, 1, 40)
        differences = np.array([common + rng.normal(0, 0.3, 40) for _ in range(6)])
        alarms += (joint_regression_test(differences, n_flips=499, seed=trial).corrected_p_values <= level).any()
    # 60 expected, standard deviation 7.3; Bonferroni's correction would give about 25
    assert 40 < alarms < 80


def test_more_cells_correct_more() -> None:
    rng = np.random.default_rng(3)
    fell = rng.normal(-0.05, 0.1, 40)
    alone = joint_regression_test(fell[np.newaxis]).corrected_p_values[0]
    together = joint_regression_test(np.array([fell, *rng.normal(0, 0.1, (9, 40))]))
    assert alone < together.corrected_p_values[0] <= 10 * alone + 0.01
    copies = joint_regression_test(np.array([fell] * 10)).corrected_p_values[0]
    assert copies == pytest.approx(alone)  # the same metric ten times is one


def test_nothing_that_differs_is_no_drop() -> None:
    result = joint_regression_test(np.zeros((2, 5)))
    assert result.corrected_p_values.tolist() == [1.0, 1.0]
    assert result.critical_value == np.inf


@pytest.mark.parametrize(("argument", "value"), [("level", 0.0), ("level", 1.0), ("n_flips", 0)])
def test_bad_parameters_are_named(argument: str, value: float) -> None:
    with pytest.raises(InvalidParameterError, match=argument):
        joint_regression_test(np.zeros((1, 3)), **{argument: value})
