"""The linear fit against scipy's minimizer on the losses' definitions, and what must not change it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csc_array

from oracles import losses as oracle
from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import concatenate
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.formats.letor import read_letor
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.losses.pairwise_logistic import PairwiseLogistic
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics import AP, nDCG

LOSSES: list[tuple[Surrogate, oracle.QueryLoss]] = [
    (CrossEntropy(alpha=1.5), oracle.cross_entropy(1.5)),
    (ProportionalCrossEntropy(), oracle.proportional_cross_entropy),
    (PairwiseLogistic(), oracle.pairwise_logistic(weighted=False)),
]
every_loss = pytest.mark.parametrize("loss", [loss for loss, _ in LOSSES], ids=str)

N_QUERIES, N_FEATURES = 8, 4
QID = np.repeat(np.arange(N_QUERIES), 6)


def matrix(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(QID.size, N_FEATURES))
    return X, np.clip(np.round(X @ [1.0, -0.5, 0.2, 0.0] + rng.normal(size=QID.size)), 0, 3)


def dataset(X: np.ndarray | csc_array, grades: np.ndarray) -> RankingDataset:
    return RankingDataset.from_arrays(X, grades, qid=QID)


def spread_within_queries(X: np.ndarray) -> np.ndarray:
    return np.sqrt(np.mean([X[q == QID].var(axis=0) for q in range(N_QUERIES)], axis=0))


@pytest.mark.parametrize(("loss", "definition"), LOSSES, ids=[str(loss) for loss, _ in LOSSES])
@settings(max_examples=5)
@given(seed=st.integers(0, 1000), ridge=st.sampled_from([1e-2, 0.1, 1.0]))
def test_equals_scipy_on_the_definition(loss: Surrogate, definition: oracle.QueryLoss, seed: int, ridge: float) -> None:
    X, grades = matrix(seed)
    data, spread = dataset(X, grades), spread_within_queries(X)

    def objective(w: np.ndarray) -> float:
        mean = oracle.mean_loss(definition, (X @ w).tolist(), grades.tolist(), data.query_offsets.tolist())
        return mean + ridge / 2 * float(np.sum((spread * w) ** 2))

    fit = fit_linear(loss, data, ridge=ridge, tolerance=1e-8)
    expected = minimize(objective, np.zeros(N_FEATURES), method="BFGS", options={"gtol": 1e-7})
    assert fit.converged
    assert fit.value == pytest.approx(expected.fun, abs=1e-9)
    np.testing.assert_allclose(fit.weights, expected.x, atol=1e-4)


@every_loss
@given(w=st.lists(st.floats(-20, 20), min_size=N_FEATURES, max_size=N_FEATURES))
def test_no_other_weights_lose_less(loss: Surrogate, w: list[float]) -> None:
    data = dataset(*matrix(1))
    fit = fit_linear(loss, data, ridge=0.0, tolerance=1e-7)
    assert fit.converged
    assert loss.value_and_gradient(data.scores(w), data.judgments)[0] >= fit.value - 1e-12


@every_loss
@settings(max_examples=10)
@given(powers=st.lists(st.integers(-300, 300), min_size=N_FEATURES, max_size=N_FEATURES))
def test_units_of_features_do_not_matter(loss: Surrogate, powers: list[int]) -> None:
    X, grades = matrix(2)
    fit = fit_linear(loss, dataset(X, grades))
    scaled = fit_linear(loss, dataset(np.ldexp(X, powers), grades))
    np.testing.assert_allclose(np.ldexp(scaled.weights, powers), fit.weights, rtol=1e-9)
    assert scaled.n_iterations == fit.n_iterations


@every_loss
def test_what_is_constant_within_queries_does_not_matter(loss: Surrogate) -> None:
    X, grades = matrix(3)
    by_query = np.random.default_rng(3).normal(size=(N_QUERIES, N_FEATURES + 1))[QID] * 1e6
    fit = fit_linear(loss, dataset(X, grades), tolerance=1e-7)
    shifted = fit_linear(loss, dataset(np.column_stack([X, np.zeros(QID.size)]) + by_query, grades), tolerance=1e-7)
    np.testing.assert_allclose(shifted.weights[:-1], fit.weights, atol=1e-4)
    assert shifted.weights[-1] == 0


@every_loss
@pytest.mark.parametrize("shift", [0.0, 0.1], ids=["zeros", "full columns"])
def test_sparse_equals_dense(loss: Surrogate, shift: float) -> None:
    X, grades = matrix(4)
    X[np.random.default_rng(4).random(X.shape) < 0.6] = 0
    X = np.column_stack([X, np.zeros(QID.size), QID * 0.3, np.full(QID.size, shift)])  # all constant within queries
    X[:, 0] += shift
    dense = fit_linear(loss, dataset(X, grades))
    sparse = fit_linear(loss, dataset(csc_array(X), grades))
    np.testing.assert_allclose(sparse.weights, dense.weights, rtol=1e-9, atol=1e-12)
    assert sparse.weights[-3:].tolist() == [0, 0, 0]


@every_loss
def test_single_precision_features_lose_nothing(loss: Surrogate) -> None:
    X, grades = matrix(5)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(
        fit_linear(loss, dataset(single, grades)).weights,
        fit_linear(loss, dataset(single.astype(np.float64), grades)).weights,
    )


@every_loss
def test_starting_at_the_minimum_stays_there(loss: Surrogate) -> None:
    data = dataset(*matrix(6))
    fit = fit_linear(loss, data, tolerance=1e-6)
    again = fit_linear(loss, data, start=fit.weights, tolerance=1e-5)
    assert (again.n_iterations, again.converged) == (0, True)
    np.testing.assert_allclose(again.weights, fit.weights, rtol=1e-12)


def test_says_when_it_was_stopped_early() -> None:
    data = dataset(*matrix(7))
    stopped = fit_linear(CrossEntropy(), data, max_iterations=np.int64(2), tolerance=1e-9)  # type: ignore[arg-type]
    assert (stopped.n_iterations, stopped.converged) == (2, False)
    assert stopped.value < CrossEntropy().value_and_gradient(np.zeros(QID.size), data.judgments)[0]


def test_data_without_features_has_a_fit() -> None:
    fit = fit_linear(CrossEntropy(), dataset(np.empty((QID.size, 0)), matrix(8)[1]))
    assert (fit.weights.size, fit.converged) == (0, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ridge": -1e-9}, "fit_linear: ridge=-1e-09 must be a nonnegative number"),
        ({"ridge": np.nan}, "ridge=nan"),
        ({"tolerance": -1}, "tolerance=-1 must be a nonnegative number"),
        ({"max_iterations": 0}, "max_iterations=0 must be a positive whole number"),
        ({"max_iterations": 2.5}, "max_iterations=2.5"),
    ],
)
def test_parameters_are_checked(options: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        fit_linear(CrossEntropy(), dataset(*matrix(9)), **options)  # type: ignore[arg-type]


def test_data_and_start_are_checked() -> None:
    X, grades = matrix(9)
    with pytest.raises(InvalidDataError, match=r"start has shape \(2,\); the data has 4 features"):
        fit_linear(CrossEntropy(), dataset(X, grades), start=[1, 2])
    with pytest.raises(InvalidDataError, match="start has a weight that is not finite"):
        fit_linear(CrossEntropy(), dataset(X, grades), start=[1, 2, np.inf, 0])
    with pytest.raises(InvalidDataError, match="no document is judged"):
        fit_linear(CrossEntropy(), dataset(X, np.full(QID.size, np.nan)))
    with pytest.raises(InvalidDataError, match="no query has documents of different gain"):
        fit_linear(CrossEntropy(), dataset(X, np.ones(QID.size)))


@every_loss
def test_ranks_real_documents_better_than_least_squares(loss: Surrogate, shared_data: Path) -> None:
    train = concatenate([read_letor(shared_data / "letor" / "MQ2008" / f"S{i}.txt.gz") for i in (1, 2, 3)])
    fit = fit_linear(loss, train)
    assert fit.converged
    pointwise = LeastSquaresRanker().fit_dataset(train).coef_
    for metric in (AP(), nDCG() @ 10):
        ours, theirs = (metric.per_query(train.scores(w), train.judgments).mean() for w in (fit.weights, pointwise))
        assert ours > theirs
