"""Ascents in other processes: the same bits, the same reports, and ends that leave nothing behind."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.direct.training_progress import TrainingProgress
from rankmax.optimizers.coordinate_ascent import CoordinateAscent


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    return planted_linear(15, 8, 4, noise=0.7, seed=2).data


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> object:
    threads, others = os.environ.get("NUMBA_NUM_THREADS"), multiprocessing.active_children()
    yield
    assert set(multiprocessing.active_children()) <= set(others)
    assert os.environ.get("NUMBA_NUM_THREADS") == threads


def test_same_model_reports_and_checkpoint_as_in_one_process(data: RankingDataset, tmp_path: Path) -> None:
    models, last = [], []
    for n_jobs in (1, 2):
        told: list[TrainingProgress] = []
        ranker = LinearRanker("AP", n_bags=3, optimizer=CoordinateAscent(shuffled=True), n_jobs=n_jobs)
        ranker.fit_dataset(data, callback=told.append, checkpoint=tmp_path / f"{n_jobs}.journal")
        models.append(ranker.model_.to_json())
        last.append((told[-1].value, told[-1].n_lines, told[-1].n_finished, told[-1].n_ascents, len(told)))
        assert [p.value for p in told] == sorted(p.value for p in told)
    assert models[0] == models[1]
    assert last[0] == last[1]
    ranker.set_params(n_jobs=1).fit_dataset(data, checkpoint=tmp_path / "2.journal")
    assert ranker.model_.to_json() == models[0]
    sizes = [len((tmp_path / f"{n_jobs}.journal").read_bytes().splitlines()) for n_jobs in (1, 2)]
    assert sizes[0] == sizes[1]


def test_an_interrupt_keeps_what_the_workers_have_found(data: RankingDataset) -> None:
    def interrupt(progress: TrainingProgress) -> None:
        if progress.n_finished == 1:
            raise KeyboardInterrupt

    ranker = LinearRanker("AP", n_restarts=50, shrinkage=0.0, n_jobs=2).fit_dataset(data, callback=interrupt)
    assert ranker.stopped_by_ == "interrupted"
    assert 1 <= len(ranker.ascents_) < 50
    assert ranker.value_ == max(ascent.value for ascent in ranker.ascents_)


def test_errors_come_back() -> None:
    nothing_relevant = RankingDataset.from_arrays(np.eye(4), np.zeros(4), qid=[1, 1, 2, 2])
    with pytest.raises(InvalidDataError, match="no query has documents of different gain"):
        LinearRanker("AP", n_jobs=2).fit_dataset(nothing_relevant)


def test_what_other_processes_cannot_import_is_refused(data: RankingDataset) -> None:
    @dataclass(frozen=True)
    class Local(CoordinateAscent):
        pass

    with pytest.raises(IncompatibleError, match=r"cannot be sent to another process .* or train with n_jobs=1"):
        LinearRanker("AP", optimizer=Local(), n_jobs=2).fit_dataset(data)


def test_a_worker_that_dies_is_reported(data: RankingDataset) -> None:
    others = multiprocessing.active_children()

    def kill(progress: TrainingProgress) -> None:
        for process in set(multiprocessing.active_children()) - set(others):
            process.kill()

    with pytest.raises(IncompatibleError, match=r"worker process ended unexpectedly \(exit code -9\)"):
        LinearRanker("AP", n_restarts=50, n_jobs=2).fit_dataset(data, callback=kill)


def test_time_is_up_in_every_worker(data: RankingDataset) -> None:
    ranker = LinearRanker("AP", n_restarts=10_000, n_jobs=2, time_limit=0.01).fit_dataset(data)
    assert ranker.stopped_by_ == "seconds"
    assert 1 <= len(ranker.ascents_) <= 2
