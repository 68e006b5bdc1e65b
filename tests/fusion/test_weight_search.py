"""Learned weights: on the simplex, the same for the same seed, near a planted optimum."""

from __future__ import annotations

from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.weight_search import AscentSearch, LatticeSearch, RankConstantSearch, lattice_steps, weight_search
from rankmax.metrics import AP, Success, from_function, nDCG
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.models import LinearModel
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax

METRICS = (AP(), nDCG(cutoff=3))


@pytest.mark.parametrize("kind", [LatticeSearch, AscentSearch])
def test_values_are_those_of_evaluating_the_scores(kind: type[LatticeSearch] | type[AscentSearch]) -> None:
    data = planted_linear(12, 8, 3, noise=1.0, seed=2).data
    weights = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
    expected = [evaluate_metrics(METRICS, data.scores(w), data.judgments) for w in weights]
    np.testing.assert_array_equal(kind(data, METRICS).values(weights), expected)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), n_systems=st.integers(2, 4))
def test_weights_are_on_the_simplex_and_the_same_again(seed: int, n_systems: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (30, n_systems)).astype(float)
    data = RankingDataset.from_arrays(X, rng.integers(0, 3, 30), qid=np.repeat(range(6), 5))
    search = LatticeSearch(data, [nDCG(cutoff=3)])
    queries = np.sort(rng.choice(6, 4, replace=False))
    weights = search.fit(queries, seed=seed)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    assert np.array_equal(weights, search.fit(queries, seed=seed))


@pytest.mark.parametrize("n_systems", [2, 3])
def test_tables_hold_the_values_at_the_points(n_systems: int) -> None:
    data = planted_linear(12, 8, n_systems, noise=1.0, seed=2).data
    stretched = RetrievedMinMax().apply(data)  # the best of both systems tie for equal weights
    search = LatticeSearch(stretched, METRICS)
    np.testing.assert_allclose(search.tables, search.values(search.points), atol=1e-9)


def test_a_metric_without_tables_is_tuned_too() -> None:
    data = planted_linear(30, 8, 2, noise=1.0, seed=2).data
    own = from_function(lambda grades: float(grades[0] > 0), name="first")
    learned = [LatticeSearch(data, [metric]).fit(np.arange(30)) for metric in (own, Success(cutoff=1))]
    np.testing.assert_allclose(*learned, atol=0.01)


def test_what_is_learned_is_near_what_was_planted() -> None:
    rng = np.random.default_rng(5)
    X = rng.random((60 * 20, 3))
    planted = np.array([0.6, 0.3, 0.1])
    data = RankingDataset.from_arrays(X, (X @ planted > 0.6).astype(int), qid=np.repeat(range(60), 20))
    search = LatticeSearch(data, [AP()])
    np.testing.assert_allclose(search.fit(np.arange(60)), planted, atol=0.06)
    samples = search.resampled(40, seed=1)
    assert samples.shape == (40, 3)
    np.testing.assert_allclose(samples.mean(axis=0), planted, atol=0.06)


def test_queries_that_were_not_given_do_not_matter() -> None:
    data = planted_linear(20, 10, 2, noise=1.0, seed=3).data
    whole, half = LatticeSearch(data, [AP()]), LatticeSearch(data.select(np.arange(10)), [AP()])
    np.testing.assert_allclose(whole.fit(np.arange(10)), half.fit(np.arange(10)), atol=1e-12)


def test_equally_good_weights_are_averaged() -> None:
    data = RankingDataset.from_arrays([[1.0, 1.0], [0.0, 0.0]], [1, 0], qid=[7, 7])
    np.testing.assert_allclose(LatticeSearch(data, [AP()]).fit(np.array([0])), [0.5, 0.5])


def test_many_weights_are_found_by_ascents() -> None:
    data = planted_linear(20, 8, 8, noise=0.5, seed=4).data
    search = weight_search(data, [AP()])
    assert isinstance(search, AscentSearch)
    weights = search.fit(np.arange(15))
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    alone = search.values(np.eye(8))[:, 0, :15].mean(axis=1)
    assert search.values(weights[None])[0, 0, :15].mean() >= alone.max() - 1e-9
    assert search.resampled(2).shape == (2, 8)


@pytest.mark.parametrize("n_weights", [2, 3, 4, 5, 6])
def test_the_lattice_is_as_fine_as_five_hundred_points_allow(n_weights: int) -> None:
    n_steps = lattice_steps(n_weights)
    assert comb(n_steps + n_weights - 1, n_weights - 1) <= 500
    assert n_steps == 200 or comb(n_steps + n_weights, n_weights - 1) > 500


@pytest.mark.parametrize("n_systems", [2, 3])
def test_qdrants_ranks_are_searched_as_its_models_rank(n_systems: int) -> None:
    data = planted_linear(12, 15, n_systems, noise=1.0, seed=4).data
    search = RankConstantSearch(data, [AP()], QdrantReciprocalRank(2.0))
    for place in (0, 7, len(search.points) // 2):
        model = LinearModel(search.points[place], data.feature_names, QdrantReciprocalRank(2.0))
        assert search.table[place] == pytest.approx(AP().per_query(model.scores(data), data.judgments))
    plain = LatticeSearch(ReciprocalRank(0.0).apply(data), [AP()])
    at_zero = RankConstantSearch(data, [AP()], QdrantReciprocalRank(0.0))
    assert at_zero.table.mean() == pytest.approx(plain.table.mean(), abs=0.01)  # ties aside, the same fusion


def test_weights_that_qdrants_ranks_need_are_found() -> None:
    """What stands on top by Qdrant's formula is relevant: weights of the usual form cannot rank it so."""
    data = planted_linear(40, 30, 2, noise=0.0, seed=2).data
    wanted = LinearModel([0.85, 0.15], data.feature_names, QdrantReciprocalRank(10.0)).scores(data)
    relevant = np.zeros(data.n_documents)
    for first, stop in pairwise(data.query_offsets.tolist()):
        relevant[first + np.argsort(-wanted[first:stop])[:5]] = 1.0
    queries = np.repeat(np.arange(data.n_queries), np.diff(data.query_offsets))
    judged = RankingDataset.from_arrays(data.features, relevant, qid=queries)
    own = RankConstantSearch(judged, [AP()], QdrantReciprocalRank(10.0)).table.mean(axis=1)
    usual = LatticeSearch(ReciprocalRank(10.0).apply(judged), [AP()]).table.mean(axis=1)
    assert own.max() == pytest.approx(1.0, abs=0.002)
    assert usual.max() < own.max()
