"""Fits of every loss with every scoring function: gradients, minima, starts and penalties."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import softmax
from scipy.stats import rankdata

from oracles import losses as oracle
from rankmax._arrays import F64
from rankmax.backends.training_data import LocalData
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.scoring.scaled_features import Design
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.learners.surrogate.surrogate_fit import SurrogateFitter
from rankmax.learners.surrogate.surrogate_problem import SurrogateProblem
from rankmax.losses.cross_entropy import CrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.losses.rank_cosine import Cosine
from rankmax.losses.registry import LOSSES, loss_named
from rankmax.losses.smooth_ndcg import SmoothNDCG
from rankmax.losses.squared import Squared
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics import nDCG
from rankmax.preprocessing.feature_normalization import Unchanged

DATA = planted_linear(12, 8, 3, noise=0.5, seed=1).data
SCORINGS = [LinearScore(), ExpectedGain(), ExpectedGain(gain="linear", intercept=False)]
every_pair = pytest.mark.parametrize(
    ("loss", "scoring"), list(product(map(loss_named, LOSSES), SCORINGS)), ids=lambda part: str(part)
)


def local_problem(data: RankingDataset, query_weights: np.ndarray | None = None) -> SurrogateProblem:
    return SurrogateProblem(LocalData(data, Unchanged()), query_weights)


def loss_of(loss: Surrogate, scoring: ScoringFunction, design: Design, flat: F64) -> tuple[float, F64]:
    rows = flat.reshape(scoring.n_outputs(), design.n_columns)
    found = local_problem(DATA).loss(loss, scoring, *design.restored(rows))
    return found.value, design.gradient(found.moments, found.totals).ravel()


@every_pair
def test_the_gradient_by_parameters_is_that_of_scipy(loss: Surrogate, scoring: ScoringFunction) -> None:
    problem = local_problem(DATA)
    bound = scoring.bind(problem.judgments)
    design = Design.of(problem.spread, problem.mean, intercept=scoring.intercept)
    rng = np.random.default_rng(1)
    at = rng.normal(size=bound.n_outputs() * design.n_columns)
    value, gradient = loss_of(loss, bound, design, at)
    error = check_grad(
        lambda x: loss_of(loss, bound, design, x)[0], lambda x: loss_of(loss, bound, design, x)[1], at, rng=rng
    )
    assert error < 1e-4 * max(1.0, float(np.abs(gradient).max()))
    numerical = oracle.numerical_gradient(lambda x: loss_of(loss, bound, design, x)[0], at)
    np.testing.assert_allclose(gradient, numerical, rtol=1e-4, atol=1e-5 * abs(value))


@every_pair
def test_any_loss_goes_with_any_scoring_function(loss: Surrogate, scoring: ScoringFunction) -> None:
    fits = SurrogateFitter(problem=local_problem(DATA), ridge=1e-2).fit(loss, scoring)
    assert [fit.loss for fit in fits] == list(loss.stages())
    model = fits[-1].scoring
    scores, _ = model.combine(fits[-1].weights @ DATA.features.T + fits[-1].intercepts[:, None])
    assert (nDCG() @ 5).per_query(scores, DATA.judgments).mean() > 0.85
    if not isinstance(loss, SmoothNDCG):
        assert fits[-1].converged


def test_linear_cross_entropy_is_listnet() -> None:
    zero = CrossEntropy().value_and_gradient(np.zeros(DATA.n_documents), DATA.judgments)[0]
    fit = SurrogateFitter(problem=local_problem(DATA), ridge=1e-2, tolerance=1e-8).fit(CrossEntropy(), LinearScore())[
        -1
    ]
    known = fit_linear(CrossEntropy(), DATA, ridge=1e-2 * zero, tolerance=1e-8)
    np.testing.assert_allclose(fit.weights[0], known.weights, atol=1e-6)
    assert fit.value * zero == pytest.approx(known.value, rel=1e-9)


def test_linear_squared_is_least_squares() -> None:
    fit = SurrogateFitter(problem=local_problem(DATA), ridge=0.0, tolerance=1e-9).fit(Squared(), LinearScore())[-1]
    np.testing.assert_allclose(fit.weights[0], LeastSquaresRanker().fit_dataset(DATA).coef_, atol=1e-6)


def test_expected_gain_and_squared_loss_against_scipy_on_the_definition() -> None:
    gains, X = 2**DATA.grades - 1, np.column_stack([DATA.features, np.ones(DATA.n_documents)])

    def mean_loss(flat: F64) -> float:
        scores = softmax(X @ flat.reshape(3, 4).T, axis=1) @ [0.0, 1.0, 3.0]
        return float(((gains - scores) ** 2).sum() / DATA.n_queries)

    fit = SurrogateFitter(problem=local_problem(DATA), ridge=0.0, tolerance=1e-6, max_iterations=2000).fit(
        Squared(gain="exp2"), ExpectedGain()
    )[-1]
    flat = np.column_stack([fit.weights, fit.intercepts]).ravel()
    zero = Squared(gain="exp2").value_and_gradient(np.zeros(DATA.n_documents), DATA.judgments)[0]
    assert fit.value * zero == pytest.approx(mean_loss(flat), rel=1e-9)
    again = minimize(mean_loss, flat, method="BFGS", options={"maxiter": 50})
    assert again.fun == pytest.approx(mean_loss(flat), rel=1e-4)


def test_gradient_descent_goes_where_lbfgs_goes() -> None:
    quick = SurrogateFitter(problem=local_problem(DATA), ridge=0.1, tolerance=1e-4)
    plain = SurrogateFitter(
        problem=local_problem(DATA), ridge=0.1, tolerance=1e-4, method="gradient-descent", max_iterations=2000
    )
    for scoring in (LinearScore(), ExpectedGain(intercept=False)):  # no penalty holds intercepts: a long way to go
        a, b = (fitter.fit(CrossEntropy(), scoring)[-1] for fitter in (quick, plain))
        assert a.converged
        assert b.converged
        assert b.n_iterations > a.n_iterations
        assert a.value == pytest.approx(b.value, abs=1e-5)


@pytest.mark.parametrize("loss", [CrossEntropy(), Cosine()], ids=str)
def test_a_large_penalty_keeps_expected_gain_at_the_linear_ranking(loss: Surrogate) -> None:
    fitter = SurrogateFitter(problem=local_problem(DATA), ridge=1e6)
    linear, expected_gain = (
        fit.scoring.combine(fit.weights @ DATA.features.T + fit.intercepts[:, None])[0]
        for fit in (fitter.fit(loss, scoring)[-1] for scoring in (LinearScore(), ExpectedGain()))
    )
    np.testing.assert_array_equal(rankdata(linear), rankdata(expected_gain))


def test_random_starts_are_decided_by_the_seed_and_take_the_lowest() -> None:
    def fit(**parameters: int) -> F64:
        return SurrogateFitter(problem=local_problem(DATA), **{"n_restarts": 5, **parameters}).fit(
            Cosine(), ExpectedGain()
        )[-1]

    assert fit(seed=3).weights.tolist() == fit(seed=3).weights.tolist()
    assert fit(seed=3).weights.tolist() != fit(seed=4).weights.tolist()
    assert fit(n_restarts=6).value <= fit(n_restarts=1).value


def test_weights_are_bounded_by_epsilon_or_by_the_penalty() -> None:
    """On data that a line tells apart nothing else bounds them: only the iterations, or rounding, end the descent."""
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    data = RankingDataset.from_arrays(X, [0, 0, 1, 1], qid=[1] * 4)
    free, free_longer, snapped, penalized = (
        np.abs(
            SurrogateFitter(
                problem=local_problem(data), ridge=ridge, tolerance=0.0, max_iterations=n, method="gradient-descent"
            )
            .fit(Squared(), ExpectedGain(epsilon=epsilon))[-1]
            .weights
        ).max()
        for ridge, epsilon, n in ((0.0, 1.0, 5), (0.0, 1.0, 500), (0.0, 0.9, 500), (1e-2, 1.0, 500))
    )
    assert free_longer > 1.3 * free
    assert snapped < 0.7 * free_longer
    assert penalized < 0.7 * free_longer
    assert np.isfinite(free_longer)


def test_threads_change_no_bit(use_threads: Callable[[int], None]) -> None:
    larger = planted_linear(400, 100, 10, noise=0.5, seed=2).data
    found = []
    for n_threads in (3, 1):
        use_threads(n_threads)
        fitter = SurrogateFitter(problem=local_problem(larger), max_iterations=10)
        found.append(fitter.fit(CrossEntropy(), ExpectedGain())[-1].weights.tolist())
    assert found[0] == found[1]


def test_a_query_of_weight_0_has_no_part() -> None:
    counts = np.array([2.0, 0.0, 1.0, 3.0] * 3)
    weighted = SurrogateFitter(problem=local_problem(DATA, counts), ridge=0.0, tolerance=1e-8)
    kept = SurrogateFitter(
        problem=local_problem(DATA.select(counts > 0), counts[counts > 0]), ridge=0.0, tolerance=1e-8
    )
    a, b = (fitter.fit(CrossEntropy(), LinearScore())[-1].weights for fitter in (weighted, kept))
    np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize("loss", [Cosine(), Squared(), CrossEntropy()], ids=str)
def test_queries_of_equal_grades_have_no_part(loss: Surrogate) -> None:
    rng = np.random.default_rng(5)
    extra = RankingDataset.from_arrays(rng.normal(size=(5, 3)), [2.0] * 5, qid=["z"] * 5)
    X = np.vstack([DATA.features, extra.features])
    both = RankingDataset.from_arrays(
        X, np.append(DATA.grades, extra.grades), qid=np.append(DATA.judgments.query_of_document, [99] * 5)
    )
    a, b = (
        SurrogateFitter(problem=local_problem(data), ridge=0.0, tolerance=1e-8, max_iterations=1000).fit(
            loss, LinearScore()
        )[-1]
        for data in (DATA, both)
    )
    np.testing.assert_allclose(a.weights / np.linalg.norm(a.weights), b.weights / np.linalg.norm(b.weights), atol=1e-4)


def test_nothing_to_learn_from() -> None:
    same = RankingDataset.from_arrays([[1.0], [2.0], [3.0]], [0, 0, 1], qid=[1, 1, 2])
    for scoring in SCORINGS:
        with pytest.raises(InvalidDataError, match="no query has documents of different gain"):
            SurrogateFitter(problem=local_problem(same)).fit(CrossEntropy(), scoring)
