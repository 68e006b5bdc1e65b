"""A data set of small integers, where documents tie and rounding matters, and ways to cut it into shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from rankmax.backends.dask import DaskBackend
from rankmax.data.dataset import RankingDataset
from rankmax.formats.shards import Shards, write_shards


def made_up(n_queries: int = 40, n_features: int = 4, seed: int = 0) -> RankingDataset:
    """Return queries of very different length; the last grade is in few of them."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 25, n_queries)
    X = np.round(rng.normal(size=(lengths.sum(), n_features)) * [1, 10, 100, 1000][:n_features], 1)
    hidden = X @ (np.array([1, 0.1, -0.01, 0.002])[:n_features]) + rng.normal(size=len(X))
    grades = np.digitize(hidden, [0.5, 1.5, 3.0])
    return RankingDataset.from_arrays(X, grades, qid=np.repeat(np.arange(n_queries), lengths))


@pytest.fixture(scope="session")
def data() -> RankingDataset:
    return made_up()


@pytest.fixture(scope="session")
def cut(data: RankingDataset, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Shards]:
    """Return what cuts the data into so many shards."""
    folder = tmp_path_factory.mktemp("shards")

    def cut_into(n_shards: int, *, suffix: str = ".npz") -> Shards:
        target = Path(folder / f"{n_shards}{suffix}")
        return Shards.at(target) if target.exists() else write_shards([(data, n_shards)], target, suffix=suffix)

    return cut_into


@pytest.fixture(scope="session")
def dask_backend() -> Iterator[DaskBackend]:
    """Return two workers; starting them takes seconds."""
    with DaskBackend(n_workers=2) as backend:
        yield backend
