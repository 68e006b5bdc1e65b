"""Whole trainings over shards have the bits of those on the joined data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax.backends.dask import DaskBackend
from rankmax.backends.local import LocalBackend
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError
from rankmax.formats.shards import Shards
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.optimizers.ascent import Budget
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.iterated_ascent import IteratedAscent

QUICK = IteratedAscent(budget=Budget(lines=20))


def same(a: LinearRanker, b: LinearRanker) -> bool:
    ours, theirs = ([r.value_, r.validation_value_, *r.coef_, *(x.value for x in r.ascents_)] for r in (a, b))
    return ours == theirs


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "AP"},
        {"metric": "nDCG@5", "n_restarts": 2, "normalization": "min-max", "optimizer": QUICK},
        {"metric": "AP", "n_bags": 2, "optimizer": CoordinateAscent(budget=Budget(lines=6)), "space": "simplex"},
    ],
    ids=["default", "restarts", "bags"],
)
def test_a_training_over_shards_is_the_training(
    options: dict[str, Any], data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    here = LinearRanker(**options).fit_dataset(data)
    assert same(LinearRanker(**options, backend="local").fit_dataset(cut(5)), here)


def test_dask_learns_the_same_and_so_does_a_limit_of_memory(
    dask_backend: DaskBackend, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    options: dict[str, Any] = {"metric": "AP", "n_restarts": 1, "optimizer": QUICK}
    weights = {query: 1.0 + int(query) % 2 for query in data.query_ids}
    validation = data.select(np.arange(0, 20))
    here = LinearRanker(**options).fit_dataset(data, validation=validation, query_weights=weights)
    for backend in (dask_backend, LocalBackend(memory=10**6)):
        there = LinearRanker(**options, backend=backend)
        assert same(there.fit_dataset(cut(5), validation=validation, query_weights=weights), here)


def test_a_stopped_training_goes_on_from_its_checkpoint(
    data: RankingDataset, cut: Callable[[int], Shards], tmp_path: Path
) -> None:
    ranker = LinearRanker("AP", n_restarts=2, optimizer=CoordinateAscent(budget=Budget(lines=8)), shrinkage=0.0)
    here, journal = ranker.fit_dataset(data), tmp_path / "training.journal"

    def stop(progress: Any) -> None:
        if progress.n_lines >= 5:
            raise RuntimeError("as good as killed")

    with pytest.raises(RuntimeError, match="as good as killed"):
        LinearRanker(**ranker.get_params()).fit_dataset(cut(3), callback=stop, checkpoint=journal)
    assert 2 < len(journal.read_bytes().splitlines()) < 15
    assert same(LinearRanker(**ranker.get_params()).fit_dataset(cut(3), checkpoint=journal), here)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n_jobs": 2}, "n_jobs=2 is not for shards"), ({"space": "augmented-simplex"}, "use another space")],
)
def test_what_shards_cannot_do_is_refused(options: dict[str, Any], message: str, cut: Callable[[int], Shards]) -> None:
    with pytest.raises(IncompatibleError, match=message):
        LinearRanker(**options).fit_dataset(cut(3))


def test_an_backend_takes_shards_only(data: RankingDataset) -> None:
    with pytest.raises(IncompatibleError, match="give Shards"):
        LinearRanker(backend="local").fit_dataset(data)


def test_too_little_memory_is_said_at_once(cut: Callable[..., Shards]) -> None:
    with pytest.raises(IncompatibleError, match=r"GB were allowed\. Allow more memory"):
        LinearRanker(backend=LocalBackend(memory=1000)).fit_dataset(cut(3))
    with pytest.raises(IncompatibleError, match="needs features in memory"):
        LinearRanker(backend=LocalBackend(memory=10**6), normalization="z-score").fit_dataset(cut(3))
    with pytest.raises(IncompatibleError, match=r"write shards as \.npz"):
        LinearRanker(backend=LocalBackend(memory=10**6)).fit_dataset(cut(3, suffix=".txt"))
