"""Shards that are binned where they are read are those of the joined data, binned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmax
from rankmax.backends.backend import Backend
from rankmax.backends.binned_shards import BinnedShards
from rankmax.backends.dask import DaskBackend
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.local import LocalBackend
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.formats.shards import Shards, write_shards
from rankmax.preprocessing.binning import Binning

LEARNERS: dict[str, dict[str, Any]] = {
    "direct": {"n_restarts": 1, "time_limit": None},
    "structural-svm": {"C": 10.0},
    "surrogate": {},
    "expected-gain": {},
}


def binned(backend: Backend, shards: Shards, normalization: str = "none", n_thresholds: int = 6) -> BinnedShards:
    read = DistributedDataset(backend, shards)
    return BinnedShards.fit(shards, read, n_thresholds=n_thresholds, normalization=normalization)


@pytest.mark.parametrize("normalization", ["none", "percentile"])
@pytest.mark.parametrize("n_thresholds", [1, 6, 300])
def test_thresholds_and_codes_are_those_of_the_joined_data(
    normalization: str, n_thresholds: int, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    expected = Binning.fit(data, n_thresholds=n_thresholds, normalization=normalization)
    for backend in (LocalBackend(), LocalBackend(memory=10**6)):
        shards = binned(backend, cut(5), normalization, n_thresholds)
        assert shards.binning.feature_names == expected.feature_names
        read = DistributedDataset(backend, shards).select(np.arange(data.n_queries))
        np.testing.assert_array_equal(read.features.codes, expected.apply(data).features.codes)


@pytest.mark.parametrize("learner", LEARNERS)
def test_weights_are_those_of_the_joined_data(learner: str, data: RankingDataset, cut: Callable[[int], Shards]) -> None:
    validation = data.select(np.arange(12))
    options = {"bins": 5, "learner": learner, "validation": validation, **LEARNERS[learner]}
    of_data, of_shards = (rankmax.train(given, "AP", **options) for given in (data, cut(5)))
    assert of_shards.feature_names == of_data.feature_names
    np.testing.assert_array_equal(of_shards.weights, of_data.weights)
    np.testing.assert_array_equal(of_shards.scores(data), of_data.scores(data))  # of features that are not binned


def test_dask_and_a_limit_of_memory_learn_the_same(
    dask_backend: DaskBackend, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    options: dict[str, Any] = {"bins": 4, "normalize": "min-max", "n_restarts": 1}
    here = rankmax.train(data, "AP", **options).weights
    np.testing.assert_array_equal(rankmax.train(cut(5), "AP", backend=dask_backend, **options).weights, here)
    np.testing.assert_array_equal(rankmax.train(cut(5), "AP", memory="1MB", **options).weights, here)


@pytest.mark.parametrize("memory", [None, "1MB"])
def test_absent_values_are_refused_in_files_of_shards_as_in_others(memory: str | None, tmp_path: Path) -> None:
    runs = {name: Run.from_dict({"q1": {name: 1.0, "d1": 2.0}, "q2": {"d1": 1.0}}) for name in ("bm25", "dense")}
    joined = join_runs(runs, Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}}), missing="absent")
    assert np.isnan(joined.features).any()
    shards = write_shards([(joined, 2)], tmp_path / "shards")
    with pytest.raises(DataFormatError, match=r"shard-00000.npz: features\[\d, \d\] is nan"):
        rankmax.train(shards, "AP", bins=5, memory=memory)


def test_the_hash_tells_binnings_apart(cut: Callable[[int], Shards]) -> None:
    hashes = {one.content_hash for one in (cut(5), *(binned(LocalBackend(), cut(5), n_thresholds=n) for n in (3, 4)))}
    assert len(hashes) == 3


def test_codes_count_toward_the_limit_of_memory(data: RankingDataset, cut: Callable[[int], Shards]) -> None:
    needed = 96 * data.n_documents
    shards = binned(LocalBackend(), cut(5))
    with pytest.raises(IncompatibleError, match="Allow more memory"):
        DistributedDataset(LocalBackend(memory=needed + 1000), shards)


def test_constant_features_are_refused(tmp_path: Path) -> None:
    constant = RankingDataset.from_arrays(np.ones((6, 2)), [0, 1, 0, 1, 0, 1], qid=[1, 1, 2, 2, 3, 3])
    shards = write_shards([(constant, 2)], tmp_path / "shards")
    with pytest.raises(InvalidDataError, match="all 2 features are constant"):
        rankmax.train(shards, "AP", bins=3)
