"""Expected gain by definition, its derivatives, its start, and Proposition 1."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import softmax

from oracles.losses import numerical_gradient
from rankmax.data.judgments import Judgments
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.learners.surrogate.scoring.expected_gain_scoring import EPSILONS, ExpectedGain
from rankmax.learners.surrogate.scoring.scaled_features import Design
from rankmax.metrics import AP, ERR, parse_metric

FUNCTION = ExpectedGain(gain="exp2", grades=(0.0, 1.0, 2.0))
outputs = arrays(np.float64, (3, 4), elements=st.floats(-30, 30))


@given(outputs=outputs)
def test_equals_its_definition(outputs: np.ndarray) -> None:
    scores, _ = FUNCTION.combine(outputs)
    np.testing.assert_allclose(scores, [0.0, 1.0, 3.0] @ softmax(outputs, axis=0), rtol=1e-12, atol=1e-12)


@given(outputs=outputs, epsilon=st.sampled_from([0.6, 0.9, 1.0]))
def test_slopes_equal_finite_differences(outputs: np.ndarray, epsilon: float) -> None:
    function = replace(FUNCTION, epsilon=epsilon)
    _, slopes = function.combine(outputs)
    shares = softmax(outputs, axis=0)
    for i in range(4):
        if np.abs(shares[:, i] - epsilon).min() < 1e-3 and epsilon < 1:
            continue  # the score jumps there
        column = outputs[:, i].copy()
        numerical = numerical_gradient(lambda a: float(function.combine(a[:, None])[0][0]), column)
        np.testing.assert_allclose(slopes[:, i], numerical, atol=1e-7)


def test_a_probability_above_epsilon_counts_as_one() -> None:
    outputs = np.log([[0.61, 0.59, 0.2], [0.3, 0.4, 0.2], [0.09, 0.01, 0.6]])
    scores, slopes = replace(FUNCTION, epsilon=0.6).combine(outputs)
    np.testing.assert_allclose(scores, [0.0, 0.4 + 3 * 0.01, 0.2 + 3 * 0.6], rtol=1e-12)
    assert not slopes[:, 0].any()
    assert slopes[:, 1].all()


def test_outputs_of_any_size_have_a_score() -> None:
    scores, slopes = FUNCTION.combine(np.array([[1e308, -1e308], [-1e308, -1e308], [0.0, 1e308]]))
    assert scores.tolist() == [0.0, 3.0]
    assert np.isfinite(slopes).all()


@pytest.mark.parametrize("gain", ["linear", "exp2", (0.0, 5.0, 6.0), ERR()])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_start_ranks_as_the_linear_function(gain, intercept) -> None:
    data = planted_linear(10, 12, 4, noise=0.5, seed=1).data
    design = Design.of(np.ones(4), data.features.mean(axis=0), intercept=intercept)

    def outputs(rows):
        weights, intercepts = design.restored(rows)
        return weights @ data.features.T + intercepts[:, None]

    linear = np.random.default_rng(1).normal(size=design.n_columns)
    function = ExpectedGain(gain=gain, intercept=intercept).bind(data.judgments)
    scores, _ = function.combine(outputs(function.start(linear)))
    np.testing.assert_array_equal(np.argsort(scores), np.argsort(outputs(linear[None])[0]))


def test_nothing_counts_as_certain_at_the_start() -> None:
    """However uneven the grades, every slope must be there to descend by, for the lowest epsilon too."""
    function = ExpectedGain(epsilon=min(EPSILONS), grades=(0, 1, 2), intercept=False)
    linear_scores = np.linspace(-4, 4, 9)  # in deviations
    scores, slopes = function.combine(function.start(np.ones(1)) * linear_scores)
    assert (np.diff(scores) > 0).all()
    assert (slopes != 0).any(axis=0).all()


def test_grades_are_those_of_the_training_data() -> None:
    judgments = Judgments.from_grades([0, 2, 2, np.nan], [0, 4], unretrieved_grades=[7], unretrieved_offsets=[0, 1])
    bound = ExpectedGain().bind(judgments)
    assert bound.grades == (0.0, 2.0)
    assert bound.gains.tolist() == [0.0, 3.0]
    assert ExpectedGain(grades=(0, 1, 2)).bind(judgments).grades == (0, 1, 2)


@pytest.mark.parametrize(
    ("grades", "message"), [([1.0, 1.0], "all have grade 1"), ([np.nan, np.nan], "none is judged"), ([], "none")]
)
def test_a_single_grade_cannot_be_told_apart(grades: list[float], message: str) -> None:
    with pytest.raises(InvalidDataError, match=f"two grades or more are needed.*{message}"):
        ExpectedGain().bind(Judgments.from_grades(grades, [0, len(grades)]))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"epsilon": 0.5}, InvalidParameterError, "epsilon=0.5 must be above 0.5 and at most 1"),
        ({"epsilon": 1.1}, InvalidParameterError, "above 0.5 and at most 1"),
        ({"grades": (1,)}, InvalidParameterError, "two or more, ascending"),
        ({"grades": (1, 0)}, InvalidParameterError, "two or more, ascending"),
        ({"gain": "cubic"}, UnknownNameError, "unknown gain"),
        ({"gain": AP()}, IncompatibleError, "AP has no gain by grade"),
    ],
)
def test_wrong_parameters(wrong, error, message) -> None:
    with pytest.raises(error, match=message):
        ExpectedGain(**wrong)


DCG_LIKE = [
    "DCG(gain='exp2')",
    "DCGLike(gain=[0,1,1.5],divisor=[1,2,4,8,8,8])",
    "DCGLike(gain='linear',divisor='jk')",
    "DCGLike(gain=[0,0,1],divisor=[1,1,1,5,6,7])",
    "PowerERR(beta=2,max_grade=2)",
    "DCG@2",
]


@settings(max_examples=10)
@given(
    metric=st.sampled_from(DCG_LIKE),
    likelihoods=st.integers(2, 5).flatmap(lambda n: arrays(np.float64, (n, 3), elements=st.floats(0.01, 1))),
)
def test_proposition_1(metric: str, likelihoods: np.ndarray) -> None:
    """Among all orders, that by expected gain has the highest expected metric, whatever G and F."""
    n = len(likelihoods)
    shares = likelihoods / likelihoods.sum(axis=1, keepdims=True)
    worth = parse_metric(metric)
    combinations = list(product(range(3), repeat=n))
    chances = [np.prod([shares[i, grade] for i, grade in enumerate(grades)]) for grades in combinations]
    judgments = Judgments.from_grades(np.concatenate(combinations), np.arange(len(combinations) + 1) * n)

    def expected_metric(scores: np.ndarray) -> float:
        return float(worth.per_query(np.tile(scores, len(combinations)), judgments) @ chances)

    function = ExpectedGain(gain=worth, grades=(0, 1, 2))
    by_gain = expected_metric(function.combine(np.log(shares.T))[0])
    assert by_gain >= max(expected_metric(-np.array(order, float)) for order in permutations(range(n))) - 1e-12


def test_proposition_1_for_six_documents_with_expectations_summed_by_rank() -> None:
    """With n = 6 through eq. 8: the expected metric of an order is the sum of E[G] / F(rank)."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        shares = rng.dirichlet(np.ones(4), size=6)
        gains, divisors = np.sort(rng.random(4)), np.sort(rng.random(6) + 0.1)
        function = ExpectedGain(gain=tuple(gains), grades=(0, 1, 2, 3))
        expected, _ = function.combine(np.log(shares.T))
        values = {order: float((expected[list(order)] / divisors).sum()) for order in permutations(range(6))}
        assert values[tuple(np.argsort(-expected).tolist())] == pytest.approx(max(values.values()), abs=1e-12)
