"""Synthetic problems: ideal where promised, shaped as promised, the same bits however they are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import concatenate
from rankmax.data.synthetic import (
    MSLR_FEATURES,
    MSLR_GRADE_SHARES,
    mslr_like,
    mslr_like_chunks,
    planted_linear,
)
from rankmax.errors import InvalidParameterError


@given(st.integers(1, 6), st.integers(1, 30), st.integers(1, 8), st.integers(1, 5), st.integers(0, 99))
def test_planted_weights_rank_ideally_without_noise(
    n_queries: int, n_documents: int, n_features: int, n_grades: int, seed: int
) -> None:
    problem = planted_linear(n_queries, n_documents, n_features, seed=seed, n_grades=n_grades)
    data = problem.data
    scores = data.scores(problem.weights).reshape(n_queries, n_documents)
    grades = data.grades.reshape(n_queries, n_documents)
    ranked = np.take_along_axis(grades, np.argsort(-scores, axis=1, kind="stable"), axis=1)
    assert (np.diff(ranked, axis=1) <= 0).all()
    assert np.linalg.norm(problem.weights) == pytest.approx(1.0)
    assert (grades.max(axis=1) == n_grades - 1).all()
    assert set(np.unique(grades)) <= set(range(n_grades))


def test_noise_spoils_the_planted_ranking() -> None:
    quiet, loud = (planted_linear(50, 20, 5, noise=noise, seed=1) for noise in (0.0, 3.0))
    assert np.array_equal(quiet.data.features, loud.data.features)
    correlation = [
        np.corrcoef(problem.data.scores(problem.weights), problem.data.grades)[0, 1] for problem in (quiet, loud)
    ]
    assert correlation[0] > 0.7 > 0.4 > correlation[1]


def equal(first: RankingDataset, second: RankingDataset) -> bool:
    return (
        np.array_equal(first.features, second.features)
        and np.array_equal(first.grades, second.grades)
        and np.array_equal(first.query_offsets, second.query_offsets)
        and first.query_ids == second.query_ids
    )


@pytest.mark.parametrize("chunk_queries", [1, 3, 7, 20, 100])
def test_chunks_are_the_same_bits_for_any_size(chunk_queries: int) -> None:
    chunks = list(mslr_like_chunks(20, seed=3, chunk_queries=chunk_queries))
    assert [chunk.n_queries for chunk in chunks[:-1]] == [chunk_queries] * (len(chunks) - 1)
    assert equal(concatenate(chunks), mslr_like(20, seed=3))


def test_first_queries_of_a_larger_problem_are_the_same() -> None:
    assert equal(mslr_like(12, seed=3).select(np.arange(5)), mslr_like(5, seed=3))
    assert not equal(mslr_like(5, seed=3), mslr_like(5, seed=4))
    assert equal(mslr_like(5, seed=np.random.default_rng(3)), mslr_like(5, seed=3))


def test_shape_is_that_of_mslr() -> None:
    data = mslr_like(1000, seed=5)
    assert data.features.shape == (data.n_documents, MSLR_FEATURES)
    assert data.features.dtype == np.float32
    assert np.isfinite(data.features).all()
    sizes = np.diff(data.query_offsets)
    assert 110 < sizes.mean() < 130
    assert sizes.min() < 20
    assert sizes.max() > 400
    shares = np.bincount(data.grades.astype(int), minlength=5) / data.n_documents
    np.testing.assert_allclose(shares, MSLR_GRADE_SHARES, rtol=0.15, atol=0.003)
    relevant = data.judgments.count(data.judgments.levels >= 1) / sizes
    assert np.percentile(relevant, 5) < 0.3 < 0.65 < np.percentile(relevant, 95)
    zeros = (data.features == 0).mean(axis=0)
    assert (zeros < 0.01).any()
    assert (zeros > 0.9).any()
    distinct = np.array([np.unique(data.features[:, j]).size for j in range(MSLR_FEATURES)])
    assert (distinct < 100).any()
    assert (distinct > 0.9 * data.n_documents).any()
    assert (data.features.min(axis=0) < 0).any()
    heavy = data.features.max(axis=0) > 20 * np.abs(data.features).mean(axis=0)
    assert heavy.sum() > 20
    correlation = np.array([np.corrcoef(data.features[:, j], data.grades)[0, 1] for j in range(MSLR_FEATURES)])
    assert 0.25 < correlation.max() < 0.6
    assert (np.abs(correlation) < 0.02).any()


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="n_queries is 0; expected a positive whole number"):
        mslr_like(0, seed=1)
    with pytest.raises(InvalidParameterError, match="chunk_queries is -1"):
        mslr_like_chunks(5, seed=1, chunk_queries=-1)
    with pytest.raises(InvalidParameterError, match="n_grades is 0"):
        planted_linear(1, 1, 1, seed=1, n_grades=0)
    with pytest.raises(InvalidParameterError, match="noise is nan"):
        planted_linear(1, 1, 1, seed=1, noise=np.nan)
