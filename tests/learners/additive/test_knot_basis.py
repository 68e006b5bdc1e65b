"""Curves over codes are the curves of a model, and gradients by knots are those of the scores."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.learners.additive.knot_basis import ABSENT, Curves, KnotBasis
from rankmax.models.curve import Curve
from rankmax.preprocessing import RetrievedMinMax, Unchanged

RNG = np.random.default_rng(4)
X = np.column_stack([RNG.integers(0, 5, 90), RNG.normal(1e6, 1.0, 90), np.ones(90), RNG.lognormal(size=90)])
DATA = RankingDataset.from_arrays(X, RNG.integers(0, 2, 90), qid=np.arange(90) // 9)
BASIS = KnotBasis.of(DATA, Unchanged(), 6)
STEPS = KnotBasis.of(DATA, Unchanged(), 6, "constant")
both = pytest.mark.parametrize("basis", [BASIS, STEPS], ids=["lines", "steps"])


def curves(basis: KnotBasis, seed: int) -> Curves:
    rng = np.random.default_rng(seed)
    return Curves(rng.normal(size=basis.lengths.shape) * (basis.lengths > 0), np.zeros(4))


def test_knots_are_at_all_of_few_values_and_at_the_ends_of_many() -> None:
    assert BASIS.knots[0].tolist() == [0, 1, 2, 3, 4]
    assert BASIS.knots[2].tolist() == [1]
    for j in (1, 3):
        assert BASIS.knots[j].size == 6
        assert (BASIS.knots[j][0], BASIS.knots[j][-1]) == (X[:, j].min(), X[:, j].max())


def test_steps_are_between_few_values_and_have_about_as_many_of_many() -> None:
    assert STEPS.knots[0].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert STEPS.knots[2].size == 0
    for j in (1, 3):
        assert STEPS.knots[j].size == 6
        counts = np.bincount(np.searchsorted(STEPS.knots[j], X[:, j]))
        assert 10 <= counts.min() <= counts.max() <= 16


def test_rises_of_the_line_of_steps_are_distances_of_their_mean_values() -> None:
    for j, knots in enumerate(STEPS.knots):
        step = np.searchsorted(knots, X[:, j])
        means = [X[step == k, j].mean() for k in range(knots.size + 1)]
        np.testing.assert_allclose(STEPS.lengths[j, : knots.size], np.diff(means), rtol=1e-7)
        assert not STEPS.lengths[j, knots.size :].any()


@both
def test_scores_are_those_of_curves_with_mean_zero(basis: KnotBasis) -> None:
    found = curves(basis, 1)
    expected = np.zeros(90)
    for j, knots in enumerate(basis.knots):
        values = Curve(knots, basis.heights(j, found.rises[j]), basis.kind).at(X[:, j])
        np.testing.assert_allclose(values.mean(), 0.0, atol=1e-9)
        np.testing.assert_allclose(basis.column(j, found.rises[j]), values, atol=1e-9)
        expected += values
    np.testing.assert_allclose(basis.scores(found), expected, atol=1e-9)


@both
def test_the_gradient_is_that_of_the_scores(basis: KnotBasis) -> None:
    by_document = RNG.normal(size=90)
    gradient = basis.gradient(by_document)
    for j in range(4):
        for k in range(basis.n_values(j) - 1):
            one = np.zeros(basis.lengths.shape)
            one[j, k] = 1.0
            expected = by_document @ basis.scores(Curves(one, np.zeros(4)))
            np.testing.assert_allclose(gradient.rises[j, k], expected, atol=1e-9)


@pytest.mark.parametrize("j", [0, 1, 3])
def test_a_hat_moves_only_documents_between_the_neighboring_knots(j: int) -> None:
    knots = BASIS.knots[j]
    for knot in range(knots.size):
        hat = BASIS.hat(j, knot)
        np.testing.assert_allclose(hat, np.interp(X[:, j], knots, np.eye(knots.size)[knot]), atol=1e-9)
        outside = (X[:, j] <= knots[max(knot - 1, 0)]) & (knot > 0)
        assert (hat[outside] == 0).all()


@pytest.mark.parametrize("j", [0, 1, 3])
def test_by_one_step_only_its_documents_move(j: int) -> None:
    step = np.searchsorted(STEPS.knots[j], X[:, j])
    for place in range(STEPS.n_values(j)):
        assert STEPS.hat(j, place).tolist() == (step == place).tolist()


def test_documents_that_were_not_retrieved_have_a_code_of_their_own() -> None:
    sparse = RankingDataset.from_arrays(np.where(X > 1, X, 0.0)[:, :1], np.zeros(90), qid=np.arange(90) // 9)
    basis = KnotBasis.of(sparse, RetrievedMinMax(), 4)
    assert ((basis.codes[0] == ABSENT) == (X[:, 0] <= 1)).all()
    assert basis.has_absent.tolist() == [True]
    scores = basis.scores(Curves(np.ones(basis.lengths.shape), np.array([-7.0])))
    assert (scores[X[:, 0] <= 1] == -7).all()
    np.testing.assert_allclose(scores[X[:, 0] > 1].mean(), 0.0, atol=1e-12)
    assert basis.gradient(np.ones(90)).absents.tolist() == [(X[:, 0] <= 1).sum()]


def test_many_values_are_grouped_into_codes_of_a_byte() -> None:
    column = np.random.default_rng(1).normal(size=(5000, 1))
    data = RankingDataset.from_arrays(column, np.zeros(5000), qid=np.arange(5000) // 10)
    basis = KnotBasis.of(data, Unchanged(), 16)
    assert basis.codes.max() == 253
    found = Curves(np.random.default_rng(2).normal(size=(1, 15)), np.zeros(1))
    exact = Curve(basis.knots[0], basis.heights(0, found.rises[0])).at(column[:, 0])
    assert np.abs(basis.scores(found) - exact).mean() < 0.02 * exact.std()


def test_steps_lose_nothing_by_codes() -> None:
    column = np.random.default_rng(1).normal(size=(5000, 1))
    data = RankingDataset.from_arrays(column, np.zeros(5000), qid=np.arange(5000) // 10)
    basis = KnotBasis.of(data, Unchanged(), 16, "constant")
    found = Curves(np.random.default_rng(2).normal(size=(1, 16)), np.zeros(1))
    exact = Curve(basis.knots[0], basis.heights(0, found.rises[0]), "constant").at(column[:, 0])
    np.testing.assert_allclose(basis.scores(found), exact, atol=1e-12)
    counts = np.bincount(np.searchsorted(basis.knots[0], column[:, 0]))
    assert counts.size == 17
    assert counts.max() < 1.2 * counts.min()


def test_some_queries_keep_knots_and_means() -> None:
    part, found = BASIS.select(np.array([7, 2])), curves(BASIS, 3)
    rows = np.concatenate([np.arange(63, 72), np.arange(18, 27)])
    assert part.scores(found).tolist() == BASIS.scores(found)[rows].tolist()


def test_values_too_far_apart_are_refused_by_name() -> None:
    data = RankingDataset.from_arrays([[-1e308, 1.0], [1e308, 2.0]], [0, 1], qid=[1, 1], feature_names=["age", "price"])
    with pytest.raises(InvalidDataError, match=r"'age' are from -1e\+308 to 1e\+308, too far apart"):
        KnotBasis.of(data, Unchanged(), 4)
