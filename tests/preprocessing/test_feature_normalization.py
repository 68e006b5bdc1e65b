"""Normalization against definitions written query by query, and scipy's ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import random_array
from scipy.stats import rankdata

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError
from rankmax.formats.letor import read_letor
from rankmax.preprocessing.feature_normalization import (
    MinMax,
    Normalization,
    Percentile,
    Sum,
    Unchanged,
    ZScore,
)
from rankmax.preprocessing.registry import normalization_names

OBVIOUS: dict[Normalization, Callable[[np.ndarray], np.ndarray]] = {
    MinMax(): lambda x: (x - x.min()) / (x.max() - x.min()) if x.max() > x.min() else 0 * x,
    ZScore(): lambda x: (x - x.mean()) / x.std() if x.max() > x.min() else 0 * x,
    Percentile(): lambda x: rankdata(x, method="max") / x.size,
    Sum(): lambda x: x / np.abs(x).sum() if x.any() else x,
    Unchanged(): lambda x: x,
}


@st.composite
def datasets(draw: st.DrawFn) -> RankingDataset:
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    values = st.integers(-5, 5).map(lambda i: i / 4)
    X = draw(arrays(dtype, (sum(lengths), draw(st.integers(0, 3))), elements=values))
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return RankingDataset(X, names, Judgments.from_grades(np.zeros(len(X)), offsets))


@pytest.mark.parametrize("normalization", OBVIOUS, ids=lambda n: n.name)
@given(data=datasets())
def test_equals_the_definition_for_each_query_and_feature(normalization: Normalization, data: RankingDataset) -> None:
    result = normalization.apply(data)
    assert result.features.dtype == data.features.dtype
    assert result.features.flags.f_contiguous
    assert result.judgments is data.judgments
    for first, stop in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
        for j in range(data.n_features if stop > first else 0):
            expected = OBVIOUS[normalization](data.features[first:stop, j].astype(np.float64))
            np.testing.assert_allclose(result.features[first:stop, j], expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("normalization", [MinMax(), ZScore(), Sum(), Percentile()], ids=lambda n: n.name)
@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1.0, 1e300, 1.7e308])
def test_extreme_magnitudes_neither_overflow_nor_vanish(normalization: Normalization, scale: float) -> None:
    column = np.array([[1.0], [-1.0], [0.5], [0.0]])
    small = RankingDataset.from_arrays(column, np.zeros(4), qid=np.zeros(4))
    large = RankingDataset.from_arrays(column * scale, np.zeros(4), qid=np.zeros(4))
    np.testing.assert_allclose(
        normalization.apply(large).features, normalization.apply(small).features, rtol=1e-9, atol=1e-12
    )


def test_constant_that_rounding_would_not_center_is_zero() -> None:
    data = RankingDataset.from_arrays(np.full((10, 1), 0.1), np.zeros(10), qid=np.zeros(10))
    assert not ZScore().apply(data).features.any()


def test_letor_files_are_min_max_normalized_already(shared_data: Path) -> None:
    data = read_letor(shared_data / "letor" / "OHSUMED" / "S1.txt.gz")
    np.testing.assert_allclose(MinMax().apply(data).features, data.features, atol=1e-6)


@given(st.integers(0, 100))
def test_sparse_sum_stays_sparse_and_equals_dense(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = random_array((20, 6), density=0.2, rng=rng, data_sampler=rng.standard_normal)
    qid = rng.integers(0, 4, 20)
    sparse = Sum().apply(RankingDataset.from_arrays(X, np.zeros(20), qid=qid))
    dense = Sum().apply(RankingDataset.from_arrays(X.toarray(), np.zeros(20), qid=qid))
    assert sparse.is_sparse
    np.testing.assert_allclose(sparse.features.toarray(), dense.features, rtol=1e-12)


def test_sparse_is_refused_where_zeros_would_move() -> None:
    data = RankingDataset.from_arrays(random_array((4, 3)), np.zeros(4), qid=np.zeros(4))
    with pytest.raises(
        IncompatibleError, match=r"'min-max' moves zeros.*use .*'l2' or .*'none' or .* or 'sum', or give dense"
    ):
        MinMax().apply(data)


@pytest.mark.parametrize("normalization", OBVIOUS, ids=lambda n: n.name)
def test_description_leads_back(normalization: Normalization) -> None:
    assert Normalization.from_dict(normalization.to_dict()) == normalization
    assert Normalization.named(normalization.name) == normalization
    assert Normalization.named(normalization) is normalization
    assert normalization.name in normalization_names()


def test_unknown_descriptions_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'min-max'"):
        Normalization.named("minmax")
    with pytest.raises(UnknownNameError, match="unknown normalization 'None'"):
        Normalization.from_dict({})
    with pytest.raises(InvalidParameterError, match="no parameter 'low'"):
        Normalization.from_dict({"name": "min-max", "low": 0})
