"""Engines' normalizations against their documented arithmetic, written list by list."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidParameterError
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.registry import normalization_names
from rankmax.preprocessing.run_normalization import (
    L2,
    ElasticsearchMinMax,
    MilvusInnerProduct,
    OpenSearchMinMax,
    OpenSearchZScore,
    ReciprocalRank,
    RetrievedMinMax,
    RetrievedZScore,
)


def min_max(scores: np.ndarray) -> np.ndarray:
    low, high = scores.min(), scores.max()
    return np.ones_like(scores) if high == low else (scores - low) / (high - low)


def elasticsearch_min_max(scores: np.ndarray) -> np.ndarray:
    return np.ones_like(scores) if scores.max() - scores.min() < 1e-6 else min_max(scores)


def opensearch_min_max(scores: np.ndarray) -> np.ndarray:
    low, high = scores.min(), scores.max()
    if high == low:
        return np.ones_like(scores)
    return np.array([0.001 if (s - low) / (high - low) == 0 else (s - low) / (high - low) for s in scores])


def opensearch_z_score(scores: np.ndarray) -> np.ndarray:
    mean = scores.mean()
    if scores.min() == scores.max():
        return np.full_like(scores, scores.max())
    deviation = scores.std(ddof=1)
    return np.array(
        [scores.max() if np.isclose(s, mean, atol=1e-12) else max((s - mean) / deviation, 0.001) for s in scores]
    )


def reciprocal_rank(scores: np.ndarray) -> np.ndarray:
    better = [
        sum(t > s or (t == s and j < i) for j, t in enumerate(scores.tolist())) for i, s in enumerate(scores.tolist())
    ]
    return 1 / (60 + 1 + np.array(better))


ENGINES: dict[Normalization, Callable[[np.ndarray], np.ndarray]] = {
    L2(): lambda s: s / np.sqrt((s**2).sum()),
    RetrievedMinMax(): min_max,
    ElasticsearchMinMax(): elasticsearch_min_max,
    OpenSearchMinMax(): opensearch_min_max,
    OpenSearchZScore(): opensearch_z_score,
    MilvusInnerProduct(): lambda s: 0.5 + np.array([math.atan(x) for x in s]) / math.pi,
    ReciprocalRank(): reciprocal_rank,
}

columns = st.lists(st.lists(st.integers(-4, 4), min_size=1, max_size=6), min_size=1, max_size=4)


def dataset(lists: list[list[int]], scale: float = 1.0) -> RankingDataset:
    values = [[scale * value] for one in lists for value in one]
    qid = [q for q, one in enumerate(lists) for _ in one]
    return RankingDataset.from_arrays(values, np.zeros(len(values)), qid=qid)


@pytest.mark.parametrize("normalization", ENGINES, ids=lambda n: n.name)
@given(lists=columns, scale=st.sampled_from([1.0, 2.0**-22]))
def test_each_list_is_normalized_as_the_engine_says(
    normalization: Normalization, lists: list[list[int]], scale: float
) -> None:
    expected = []
    for one in lists:
        scores = scale * np.array(one, np.float64)
        result = np.zeros_like(scores)
        if scores.any():
            result[scores != 0] = ENGINES[normalization](scores[scores != 0])
        expected.append(result)
    ours = normalization.apply(dataset(lists, scale)).features.ravel()
    np.testing.assert_allclose(ours, np.concatenate(expected), rtol=1e-6)


@given(lists=columns)
def test_z_scores_put_what_was_not_retrieved_beside_the_lowest(lists: list[list[int]]) -> None:
    ours = RetrievedZScore().apply(dataset(lists))
    for one, start in zip(lists, ours.query_offsets[:-1], strict=True):
        scores, z = np.array(one, np.float64), ours.features[start : start + len(one), 0]
        found = scores[scores != 0]
        if found.size and np.ptp(found):
            np.testing.assert_allclose(z[scores != 0], (found - found.mean()) / found.std(), rtol=1e-9, atol=1e-12)
            assert (z[scores == 0] == z.min()).all()
        else:
            assert not z.any()


@pytest.mark.parametrize("normalization", [L2(), RetrievedMinMax(), RetrievedZScore(), ReciprocalRank()], ids=str)
@pytest.mark.parametrize("scale", [1e-300, 0.25, 1e250])
@given(lists=columns)
def test_the_scale_of_scores_changes_nothing(
    normalization: Normalization, scale: float, lists: list[list[int]]
) -> None:
    small, large = (normalization.apply(dataset(lists, by)).features for by in (1.0, scale))
    np.testing.assert_allclose(large, small, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("normalization", ENGINES, ids=lambda n: n.name)
def test_sparse_features_stay_sparse_and_equal_dense_ones(normalization: Normalization) -> None:
    X = np.array([[0.0, 3.0], [2.0, -1.0], [5.0, 0.0], [0.0, 0.0], [1.0, 4.0]])
    qid = [1, 1, 1, 2, 2]
    sparse = normalization.apply(RankingDataset.from_arrays(csc_array(X), np.zeros(5), qid=qid))
    dense = normalization.apply(RankingDataset.from_arrays(X, np.zeros(5), qid=qid))
    assert sparse.is_sparse
    np.testing.assert_array_equal(sparse.features.toarray(), dense.features)


@pytest.mark.parametrize("normalization", [*ENGINES, RetrievedZScore(), ReciprocalRank(k=2.5)], ids=str)
def test_description_leads_back(normalization: Normalization) -> None:
    assert Normalization.from_dict(normalization.to_dict()) == normalization
    assert normalization.name in normalization_names()


@pytest.mark.parametrize("k", [-1, float("inf"), "60", True])
def test_a_wrong_k_is_refused(k: object) -> None:
    with pytest.raises(InvalidParameterError, match="expected a nonnegative number"):
        Normalization.from_dict({"name": "reciprocal-rank", "k": k})


def test_equal_scores_are_ranked_by_document_id_wherever_they_stand() -> None:
    data = RankingDataset.from_arrays(
        [[1.0], [1.0], [2.0], [0.0], [1.0]], [0] * 5, qid=[7] * 5, document_ids=["d2", "d9", "d1", "d5", "d10"]
    )
    assert (1 / ReciprocalRank(k=0).apply(data).features[[0, 1, 2, 4], 0]).tolist() == [3, 2, 1, 4]
    sparse = RankingDataset.from_arrays(
        csc_array(data.features), [0] * 5, qid=[7] * 5, document_ids=["d2", "d9", "d1", "d5", "d10"]
    )
    assert ReciprocalRank(k=0).apply(sparse).features.toarray().tolist() == [[1 / 3], [1 / 2], [1.0], [0.0], [1 / 4]]


@given(st.integers(1, 2**40), st.integers(1, 2**30), st.integers(-60, 60))
def test_no_rounding_decides_whether_a_score_is_the_mean(middle: int, step: int, exponent: int) -> None:
    scores = np.array([middle - step, middle, middle + step]) * 0.1 * 2.0**exponent
    segments = QuerySegments(np.array([0, 3]))
    assert OpenSearchZScore().normalize_list(scores, segments)[1] == scores.max()
