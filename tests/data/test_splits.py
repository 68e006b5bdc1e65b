"""Splits: every query once, the same for a seed, balanced where asked; and joining what was split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.data.splits import concatenate, k_folds, letor_folds, split_queries
from rankmax.data.synthetic import mslr_like
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError


def queries(n: int, n_relevant: list[int] | None = None) -> RankingDataset:
    """Return n queries of ten documents, the first n_relevant of which are relevant."""
    wanted = np.zeros(n, int) if n_relevant is None else np.array(n_relevant)
    grades = (np.arange(10)[None, :] < wanted[:, None]).astype(float).ravel()
    return RankingDataset.from_arrays(np.zeros((10 * n, 1)), grades, qid=np.repeat(np.arange(n), 10))


@given(st.integers(2, 40), st.data(), st.integers(0, 99), st.booleans())
def test_every_query_is_in_exactly_one_test_fold(n: int, data: st.DataObject, seed: int, stratified: bool) -> None:
    n_folds = data.draw(st.integers(2, n))
    folds = k_folds(queries(n), n_folds, seed=seed, stratified=stratified)
    assert len(folds) == n_folds
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(n))
    sizes = [fold.test.size for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for fold in folds:
        assert sorted([*fold.train, *fold.test]) == list(range(n))
        assert (np.diff(fold.test) > 0).all()


def test_seed_decides() -> None:
    def test_sets(seed: int | np.random.Generator) -> list[list[int]]:
        return [fold.test.tolist() for fold in k_folds(queries(30), 3, seed=seed)]

    assert test_sets(1) == test_sets(1) == test_sets(np.random.default_rng(1))
    assert test_sets(1) != test_sets(2)


@given(st.integers(0, 200))
def test_stratified_folds_share_rich_and_poor_queries(seed: int) -> None:
    data = queries(40, [0] * 20 + [9] * 20)
    for fold in k_folds(data, 4, seed=seed, stratified=True):
        assert 4 <= (fold.test < 20).sum() <= 6
    train, test = split_queries(data, [0.75, 0.25], seed=seed, stratified=True)
    assert (train.size, test.size) == (30, 10)
    assert 4 <= (test < 20).sum() <= 6


def test_split_sizes_follow_the_fractions() -> None:
    parts = split_queries(queries(101), [0.6, 0.2, 0.2], seed=5)
    assert [part.size for part in parts] == [61, 20, 20]
    assert sorted(np.concatenate(parts)) == list(range(101))


@pytest.mark.parametrize("fractions", [[0.5, 0.6], [1.5, -0.5], [], [np.nan, 1.0], [[0.5, 0.5]]])
def test_fractions_must_share_out_everything(fractions: list[float]) -> None:
    with pytest.raises(InvalidParameterError, match="positive numbers that sum to 1"):
        split_queries(queries(10), fractions, seed=1)


def test_too_few_queries_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="2 queries are too few"):
        split_queries(queries(2), [0.98, 0.01, 0.01], seed=1)
    for n_folds in (0, 1, 4):
        with pytest.raises(InvalidParameterError, match=f"n_folds is {n_folds}; expected 2 to .* 3"):
            k_folds(queries(3), n_folds, seed=1)


def test_letor_rule_counts_cyclically() -> None:
    parts = [RankingDataset.from_arrays([[0.0]], [0], qid=[f"S{i}"]) for i in range(1, 6)]
    found = [
        (*fold.train.query_ids, fold.validation.query_ids[0], fold.test.query_ids[0]) for fold in letor_folds(parts)
    ]
    assert found == [
        ("S1", "S2", "S3", "S4", "S5"),
        ("S2", "S3", "S4", "S5", "S1"),
        ("S3", "S4", "S5", "S1", "S2"),
        ("S4", "S5", "S1", "S2", "S3"),
        ("S5", "S1", "S2", "S3", "S4"),
    ]
    with pytest.raises(InvalidParameterError, match="5 parts, S1 to S5; 4 given"):
        letor_folds(parts[:4])


@pytest.mark.parametrize("sparse", [False, True])
def test_concatenating_the_parts_gives_the_whole(sparse: bool) -> None:
    made = mslr_like(9, seed=4)
    grades = made.grades.copy()
    grades[::7] = np.nan
    judgments = Judgments.from_grades(
        grades,
        made.query_offsets,
        query_ids=made.query_ids,
        document_ids=Ids.from_strings(f"d{i}" for i in range(made.n_documents)),
        unretrieved_grades=np.arange(9),
        unretrieved_offsets=np.arange(10),
    )
    whole = RankingDataset(csc_array(made.features) if sparse else made.features, made.feature_names, judgments)
    first, second, third = (whole.select(q) for q in ([0, 1, 2], [3], [4, 5, 6, 7, 8]))
    joined = concatenate([first, second.select_features(whole.feature_names[::-1]), third])
    assert joined.is_sparse is sparse
    assert joined.features.dtype == np.float32
    difference = joined.features != whole.features
    assert not (difference.nnz if sparse else difference.any())
    np.testing.assert_array_equal(joined.grades, whole.grades)
    assert joined.query_ids == whole.query_ids
    assert joined.document_ids is not None
    assert joined.document_ids.to_list() == judgments.document_ids.to_list()
    for name in ("query_offsets", "levels", "unretrieved_offsets", "unretrieved_levels"):
        np.testing.assert_array_equal(getattr(joined.judgments, name), getattr(judgments, name))


def test_concatenating_unlike_data() -> None:
    dense32 = RankingDataset.from_arrays(np.ones((1, 2), np.float32), [0], qid=["a"])
    sparse64 = RankingDataset.from_arrays(csc_array([[0.0, 0.1]]), [1], qid=["b"], document_ids=["d"])
    joined = concatenate([dense32, sparse64])
    np.testing.assert_array_equal(joined.features, [[1.0, 1.0], [0.0, 0.1]])
    assert joined.features.dtype == np.float64
    assert joined.document_ids is None


def test_what_cannot_be_joined_is_named() -> None:
    data = RankingDataset.from_arrays([[1.0]], [0], qid=["a"])
    with pytest.raises(InvalidDataError, match="every query id may occur only once; repeated: a"):
        concatenate([data, data])
    other = RankingDataset.from_arrays([[1.0]], [0], qid=["b"], feature_names=["bm25"])
    with pytest.raises(IncompatibleError, match="0 and 1 have different features: bm25, f1"):
        concatenate([data, other])
    with pytest.raises(InvalidParameterError, match="nothing to concatenate"):
        concatenate([])
