"""A scheduler and workers started by their commands: a training survives the death of its driver and of a worker."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.shards import Shards
from rankmax.learners.linear_ranker import LinearRanker
from rankmax.models.linear import LinearModel

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


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Return the address of a scheduler and its two workers, each a process of its own."""
    contact = tmp_path / "scheduler.json"
    with ExitStack() as stack:
        options = ("--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        stack.enter_context(started(*DASK, "scheduler", "--scheduler-file", contact, *options, folder=tmp_path))
        wait_for(contact.exists, tmp_path / "log.txt")
        address = msgspec.json.decode(contact.read_bytes())["address"]
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard")
        workers = [stack.enter_context(started(*DASK, "worker", address, *options, folder=tmp_path)) for _ in range(2)]
        yield address.replace("tcp://", "dask://"), workers


def test_a_training_survives_its_driver_and_a_worker(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    data: RankingDataset,
    cut: Callable[[int], Shards],
    tmp_path: Path,
) -> None:
    address, workers = cluster
    journal, log = tmp_path / "training.journal", tmp_path / "log.txt"
    shards = Path(cut(4).files[0].file).parent
    command = (sys.executable, "-m", "rankmax", "train", shards, "-o", "model.json", "-m", "RR", "--restarts", 1)
    command = (*command, "--engine", address, "--checkpoint", journal)

    def n_answers() -> int:
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    with started(*command, folder=tmp_path):
        wait_for(lambda: n_answers() > 3, log)
    before = n_answers()
    assert not (tmp_path / "model.json").exists()
    with started(*command, folder=tmp_path) as driver:
        wait_for(lambda: n_answers() > before, log)
        workers[0].kill()
        assert driver.wait(ALIVE) == 0, log.read_text()
    here = LinearRanker("RR", n_restarts=1).fit_dataset(data)
    assert LinearModel.load(tmp_path / "model.json").weights.tolist() == here.coef_.tolist()
