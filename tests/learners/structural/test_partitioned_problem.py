"""Cutting planes over shards have the bits of those on the joined data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.backends.local import LocalBackend
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.formats.shards import Shards, write_shards
from rankmax.learners.structural.structural_svm import StructuralSVM


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    """Return queries of which some say nothing, and whose last ones are short."""
    rng = np.random.default_rng(3)
    lengths = np.array([12, 9, 15, 8, 11, 3, 2, 4, 3, 2])
    X = rng.normal(size=(lengths.sum(), 3))
    grades = np.clip(np.round(X @ [1.0, -0.5, 0.2] + rng.normal(size=len(X))), 0, 2)
    grades[lengths[:2].sum() : lengths[:3].sum()] = 0
    return RankingDataset.from_arrays(X, grades, qid=np.repeat(np.arange(lengths.size), lengths))


@pytest.fixture(scope="module")
def shards(data: RankingDataset, tmp_path_factory: pytest.TempPathFactory) -> Shards:
    return write_shards([(data, 5)], tmp_path_factory.mktemp("shards") / "5")


@pytest.mark.parametrize("loss", ["AP", "nDCG@5", "accuracy"])
def test_the_same_weights_are_learned(loss: str, data: RankingDataset, shards: Shards) -> None:
    svm = StructuralSVM(loss, C=10.0, tolerance=1e-3)
    here = svm.fit_dataset(data)
    there = StructuralSVM(loss, C=10.0, tolerance=1e-3, backend="local").fit_dataset(shards)
    assert [*here.coef_, here.intercept_, here.value_] == [*there.coef_, there.intercept_, there.value_]
    assert here.solution_.n_iterations == there.solution_.n_iterations > 2
    assert here.skipped_queries_ == there.skipped_queries_ != ()


def test_what_cannot_be_learned_over_shards_is_said(data: RankingDataset, shards: Shards, tmp_path: Path) -> None:
    with pytest.raises(IncompatibleError, match="n-slack processes one query after the other"):
        StructuralSVM(formulation="n-slack").fit_dataset(shards)
    with pytest.raises(IncompatibleError, match="features cannot stay on disk"):
        StructuralSVM(backend=LocalBackend(memory=10**6)).fit_dataset(shards)
    with pytest.raises(IncompatibleError, match="give Shards"):
        StructuralSVM(backend="local").fit_dataset(data)
    silent = write_shards([(data.select([2]), 1)], tmp_path / "silent")
    with pytest.raises(InvalidDataError, match="there is nothing to learn from"):
        StructuralSVM().fit_dataset(silent)
    flat = RankingDataset.from_arrays(np.ones((4, 1)), [1, 0, 1, 0], qid=[1, 1, 2, 2])
    with pytest.raises(InvalidDataError, match="no feature varies"):
        StructuralSVM().fit_dataset(write_shards([(flat, 2)], tmp_path / "flat"))
