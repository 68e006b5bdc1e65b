"""A scheduler and workers started by their commands, and what the death of each of them means."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from rankmax.backends import dask
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.registry import backend_named
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError
from rankmax.formats.shards import Shards
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.models.linear_model import LinearModel

DASK = (sys.executable, "-m", "dask")
ALIVE = 120.0  # seconds that anything may take on a machine that is busy with other things


@contextmanager
def started(*command: object, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with open(folder / "log.txt", "ab") as log:
        process = subprocess.Popen([*map(str, command)], cwd=folder, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(condition: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + ALIVE
    while not condition():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


@dataclass(frozen=True)
class Cluster:
    """Processes, and the address of the backend that they are."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a scheduler and its two workers."""
    contact = tmp_path / "scheduler.json"
    with ExitStack() as stack:
        options = ("--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        scheduler = started(*DASK, "scheduler", "--scheduler-file", contact, *options, folder=tmp_path)
        process = stack.enter_context(scheduler)
        wait_for(contact.exists, tmp_path / "log.txt")
        address = msgspec.json.decode(contact.read_bytes())["address"]
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard")
        workers = [stack.enter_context(started(*DASK, "worker", address, *options, folder=tmp_path)) for _ in range(2)]
        yield Cluster(address.replace("tcp://", "dask://"), process, workers)


def test_a_training_survives_its_driver_and_a_worker(
    cluster: Cluster,
    data: RankingDataset,
    cut: Callable[[int], Shards],
    tmp_path: Path,
) -> None:
    journal, log = tmp_path / "training.journal", tmp_path / "log.txt"
    shards = Path(cut(4).files[0].file).parent
    command = (sys.executable, "-m", "rankmax", "train", shards, "-o", "model.json", "-m", "RR", "--restarts", 1)
    command = (*command, "--smoothing", 0)  # which takes long enough to be interrupted
    command = (*command, "--backend", cluster.address, "--checkpoint", journal)

    def n_answers() -> int:
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    with started(*command, folder=tmp_path):
        wait_for(lambda: n_answers() > 3, log)
    before = n_answers()
    assert not (tmp_path / "model.json").exists()
    with started(*command, folder=tmp_path) as driver:
        wait_for(lambda: n_answers() > before, log)
        cluster.workers[0].kill()
        assert driver.wait(ALIVE) == 0, log.read_text()
    here = LinearRanker("RR", n_restarts=1, smoothing=0.0).fit_dataset(data)
    assert LinearModel.load(tmp_path / "model.json").weights.tolist() == here.coef_.tolist()


def test_without_workers_or_scheduler_the_work_ends_with_a_sentence(
    cluster: Cluster, cut: Callable[[int], Shards], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dask, "_SECONDS_WITHOUT_WORKERS", 0.5)
    monkeypatch.setattr(dask, "_SECONDS_BETWEEN_LOOKS", 0.2)
    with backend_named(cluster.address) as backend:
        data = DistributedDataset(backend, cut(4))
        for worker in cluster.workers:
            worker.kill()
        with pytest.raises(IncompatibleError, match=r"all workers of .* at tcp://\S+ are gone, and none came"):
            _ = data.query_ids
        said = [record.message for record in caplog.records if record.name == "rankmax.backends"]
        assert len(said) == 1
        assert "are gone; waiting 0.5 s for another one (dask worker tcp://" in said[0]
        cluster.scheduler.kill()
        with pytest.raises(IncompatibleError, match=r"the Dask scheduler at tcp://\S+ is gone"):
            _ = data.query_ids
    assert {record.name for record in caplog.records} == {"rankmax.backends"}  # and no traceback of anybody else
