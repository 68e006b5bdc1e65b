"""Dask's workers: the same bits as here, also when a worker dies, and clear errors."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax.backends.dask import DaskBackend
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.distributed_objective import DistributedObjective
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.shards import Shards
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces import Euclidean


def test_an_ascent_has_the_same_bits_though_a_worker_is_killed(
    dask_backend: DaskBackend, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    metric, axes = parse_metric("AP"), np.eye(4)
    objective = DistributedObjective(DistributedDataset(dask_backend, cut(4)), metric)
    a, b = (
        CoordinateAscent().maximize(one, Euclidean(), start=np.ones(4), rng=np.random.default_rng(0))
        for one in (LinearObjective(data, metric), objective)
    )
    assert (a.value, a.n_lines, *a.weights) == (b.value, b.n_lines, *b.weights)
    victim = next(iter(dask_backend.client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    here = LinearObjective(data, metric)
    for weights in (axes[0], axes[1] + 0.5):
        best, same = here.line_search(here.at(weights), axes[2]), objective.line_search(objective.at(weights), axes[2])
        assert (best.value, *best.weights) == (same.value, *same.weights)
    assert victim not in dask_backend.client.run(os.getpid).values()


def test_surrogates_cutting_planes_and_values_have_the_same_bits(
    dask_backend: DaskBackend, data: RankingDataset, cut: Callable[[int], Shards]
) -> None:
    learners: list[tuple[type[Any], dict[str, Any]]] = [
        (SurrogateRanker, {"loss": "cosine", "max_iterations": 5, "metric": "AP"}),
        (StructuralSVM, {"loss": "AP", "C": 1.0, "tolerance": 1e-2, "normalization": "z-score"}),
    ]
    for learner, options in learners:
        here, there = learner(**options).fit_dataset(data), learner(**options, backend=dask_backend).fit_dataset(cut(4))
        assert [here.value_, *here.coef_.ravel()] == [there.value_, *there.coef_.ravel()]
        values = DistributedDataset(dask_backend, cut(4)).values(
            there.model_, [parse_metric("AP"), parse_metric("Bpref")]
        )
        np.testing.assert_array_equal(values, evaluate_scores(here.model_.scores(data), data, ["AP", "Bpref"]).values)


def test_a_shard_that_does_not_parse_is_named_with_its_line(
    dask_backend: DaskBackend, cut: Callable[..., Shards], tmp_path: Path
) -> None:
    good = Path(cut(2, suffix=".txt").files[0].file)
    bad = tmp_path / "bad.txt"
    bad.write_text("1 qid:90 1:0.5 2:1 3:2 4:0\n1 qid:90 1:a\n")
    with pytest.raises(DataFormatError, match=r"bad\.txt:2: ") as caught:
        DistributedDataset(dask_backend, Shards.at([good, bad]))
    assert caught.value.line == 2


def test_without_a_scheduler_it_is_said_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.backends.dask._SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(IncompatibleError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1,"):
        DaskBackend("tcp://127.0.0.1:1")
