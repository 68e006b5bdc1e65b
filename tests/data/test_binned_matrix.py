"""Indicators stored as codes: the same matrix, products and learned weights as those written out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data import RankingDataset, concatenate, planted_linear
from rankmax.data.binned_matrix import ABSENT, LOWEST, BinnedMatrix
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset_summary import summarize
from rankmax.data.feature_spread import spread_within_queries
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.registry import read_dataset, write_dataset
from rankmax.learners import (
    ClassificationSVM,
    LinearRanker,
    MaximumEntropyRanker,
    RankingSVM,
    StructuralSVM,
    SurrogateRanker,
)
from rankmax.losses.feature_products import FeatureProducts
from rankmax.preprocessing.binning import Binning

DATA = planted_linear(12, 20, 3, noise=0.7, seed=5).data
BINNED = Binning.fit(DATA, n_thresholds=6).apply(DATA)


def written_out(data: RankingDataset) -> RankingDataset:
    return replace(data, features=data.features.tocsc())


@st.composite
def matrices(draw: st.DrawFn) -> BinnedMatrix:
    n_documents, n_bases, n_columns = draw(st.integers(1, 12)), draw(st.integers(1, 4)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    kind = draw(st.sampled_from([np.uint8, np.uint16]))
    codes = np.asfortranarray(rng.integers(0, 5, (n_documents, n_bases)).astype(kind))
    return BinnedMatrix(codes, rng.integers(0, n_bases, n_columns), rng.integers(LOWEST + 1, 6, n_columns))


@given(matrices(), st.integers(0, 100))
def test_everything_is_as_of_the_matrix_written_out(matrix: BinnedMatrix, seed: int) -> None:
    rng = np.random.default_rng(seed)
    explicit = (matrix.codes[:, matrix.bases] >= matrix.cuts).astype(np.float64)
    assert np.array_equal(matrix.toarray(), explicit)
    assert np.array_equal(matrix.tocsc().toarray(), explicit)
    assert np.array_equal(np.array([matrix.column(j) for j in range(matrix.shape[1])]).T, explicit)
    cut = int(rng.integers(0, len(explicit) + 1))
    offsets = np.array([0, cut, len(explicit)])
    expected = [explicit[:cut].sum(axis=0), explicit[cut:].sum(axis=0)]
    assert np.array_equal(matrix.counts(offsets), expected)
    rows, columns = rng.integers(0, len(explicit), 7), rng.integers(0, explicit.shape[1], 3)
    assert np.array_equal(matrix.take_rows(rows).toarray(), explicit[rows])
    assert np.array_equal(matrix.take_columns(columns).toarray(), explicit[:, columns])

    data = RankingDataset.from_arrays(matrix, np.zeros(len(explicit)), qid=np.arange(len(explicit)) >= cut)
    products = FeatureProducts.of(data)
    weights, gradients = rng.integers(-8, 9, (2, explicit.shape[1])) / 4, rng.integers(-8, 9, (2, len(explicit))) / 4
    assert np.array_equal(products.outputs(weights), weights @ explicit.T)  # quarters, so sums are exact
    assert np.array_equal(products.moment_rows(gradients), gradients @ explicit)
    assert np.array_equal(data.scores(weights[0]), explicit @ weights[0])
    assert np.array_equal(products.moments(gradients[0]), explicit.T @ gradients[0])


def test_equal_sums_are_equal_scores_whatever_the_features() -> None:
    matrix = BinnedMatrix(
        np.array([[4, 1], [1, 4], [3, 2], [2, 3]], np.uint8), np.repeat([0, 1], 3), np.tile([2, 3, 4], 2)
    )
    for weight in (0.1, 1 / 3, 1e-300, 1e300):
        assert len(set(matrix.scores(np.full(6, weight)).tolist())) == 1
    tables = matrix.tables(np.array([0.1, 0.7, -0.8, 0.2, 0.3, 0.4]))
    np.testing.assert_allclose(tables[:, ABSENT:], [[0, 0, 0.1, 0.8, 0], [0, 0, 0.2, 0.5, 0.9]], atol=1e-15)


def test_large_data_in_several_threads_has_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    matrix = BinnedMatrix(
        np.asfortranarray(rng.integers(0, 52, (90_000, 53)).astype(np.uint8)),
        np.repeat(np.arange(53), 50),
        np.tile(np.arange(2, 52), 53),
    )
    offsets = np.arange(0, 90_001, 9000)
    weights, gradient = rng.normal(size=53 * 50), rng.normal(size=90_000)
    whole = matrix.scores(weights), matrix.moment_digits(gradient[None], offsets)
    parts = [matrix.take_rows(np.arange(9000 * k, 9000 * (k + 1))) for k in range(10)]  # each too small for threads
    assert np.array_equal(whole[0], np.concatenate([part.scores(weights) for part in parts]))
    pieces = [
        part.moment_digits(gradient[None, 9000 * k : 9000 * (k + 1)], np.array([0, 9000]))
        for k, part in enumerate(parts)
    ]
    assert np.array_equal(whole[1], np.sum(pieces, axis=0))
    assert matrix.nbytes < 5e6 < matrix.tocsc().data.nbytes / 80  # a hundredth of values and rows


def test_spread_and_summary() -> None:
    np.testing.assert_allclose(spread_within_queries(BINNED), spread_within_queries(written_out(BINNED)), rtol=1e-14)
    ours, explicit = summarize(BINNED), summarize(written_out(BINNED))
    assert (ours.constant_features, ours.constant_within_queries) == (
        explicit.constant_features,
        explicit.constant_within_queries,
    )
    assert ours.n_bytes < explicit.n_bytes
    assert not BINNED.is_sparse


@pytest.mark.parametrize(
    "learner",
    [
        StructuralSVM("AP", C=10.0, tolerance=1e-7),
        StructuralSVM("ROC", C=1.0, tolerance=1e-7),
        StructuralSVM("accuracy", C=1.0, tolerance=1e-7),
        LinearRanker("AP", n_restarts=2, seed=1),
        LinearRanker("nDCG@5", "simplex", n_restarts=2, smoothing=0.0, seed=1),
        LinearRanker("AP", "augmented-simplex", n_restarts=1, smoothing=0.0, seed=1),
        SurrogateRanker("cross-entropy", "linear"),
        SurrogateRanker("squared", scoring="expected-gain"),
        RankingSVM(C=1.0),
        ClassificationSVM(C=1.0, tolerance=1e-7),
        MaximumEntropyRanker(C=1.0),
    ],
    ids=lambda one: f"{type(one).__name__}-{getattr(one, 'loss', getattr(one, 'metric', ''))}",
)
def test_learners_find_the_same_weights(learner: Any) -> None:
    ours = learner.fit_dataset(BINNED)
    value, weights = ours.value_, np.array(ours.model_.weights)
    explicit = learner.fit_dataset(written_out(BINNED))
    assert value == pytest.approx(explicit.value_, abs=1e-12)
    np.testing.assert_allclose(weights, explicit.model_.weights, atol=2e-3 * np.abs(weights).max())


@pytest.mark.parametrize("name", ["data.npz", "data.txt", "data.parquet", "data.csv"])
def test_files_keep_the_indicators(name: str, tmp_path: Path) -> None:
    write_dataset(BINNED, tmp_path / name)
    read = read_dataset(tmp_path / name)
    columns = np.array([read.column(j) for j in range(read.n_features)]).T
    assert np.array_equal(columns, BINNED.features.toarray())
    if name.endswith(".npz"):
        assert data_hash(read) == data_hash(BINNED)
        assert isinstance(read.features, BinnedMatrix)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"codes": np.zeros((240, 3))}, "codes have shape .* and type float64"),
        ({"code_bases": np.full(18, 3)}, "not one of the 3 with codes"),
        ({"code_cuts": np.ones(18, np.int64)}, "a column's cut is not a code above 1"),
        ({"code_cuts": np.full(5, 2)}, "18 base features for 5 cuts"),
        ({"code_cuts": np.ones(18)}, "code_cuts has shape"),
    ],
)
def test_damaged_codes_are_refused(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    write_dataset(BINNED, path)
    with np.load(path) as arrays:
        np.savez(path, **{**arrays, **changed})
    with pytest.raises(DataFormatError, match=message):
        read_dataset(path)


def test_stacking_and_selecting_queries() -> None:
    parts = [BINNED.select([4, 1]), BINNED.select([7])]
    together = concatenate(parts)
    assert isinstance(together.features, BinnedMatrix)
    assert np.array_equal(together.features.toarray(), BINNED.select([4, 1, 7]).features.toarray())
    fewer = [parts[0], written_out(parts[1])]
    assert np.array_equal(concatenate(fewer).features.toarray(), together.features.toarray())


def test_many_thresholds_take_two_bytes() -> None:
    passed = np.array([0, 300, 254, 255])
    matrix = BinnedMatrix.of_passed([passed], [300])
    assert matrix.codes.dtype == np.uint16
    assert matrix.toarray().sum(axis=1).tolist() == passed.tolist()
    with pytest.raises(InvalidDataError, match="70000 thresholds; codes have room for 65,534"):
        BinnedMatrix.of_passed([passed], [70_000])
