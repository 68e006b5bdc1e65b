"""What a training tells its parent; that it runs in another process is tested from the studio."""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.formats.registry import write_dataset
from rankmax.metrics import AP
from rankmax.models.model_files import model_from_json
from rankmax.studio.training_process import TrainingFiles, TrainingProcess, train_and_tell
from rankmax.workflows.training.training_job import TrainingJob

NOTHING_YET = "stopped before there was anything to keep"
JOB = TrainingJob("direct", AP(), "none", {"n_restarts": 2})


class Parent:
    """Takes what a training tells, and interrupts it after so many steps."""

    def __init__(self, most_steps: int = 10**6) -> None:
        self.told: list[tuple[str, Any]] = []
        self._most_steps = most_steps

    def send(self, message: tuple[str, Any]) -> None:
        self.told.append(message)
        if message[0] == "step" and len(self.told) >= self._most_steps:
            raise KeyboardInterrupt


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_dataset(planted_linear(15, 8, 3, noise=0.5, seed=1).data, tmp_path / "data.npz")
    return tmp_path / "data.npz"


def test_steps_then_a_model_are_told(data: Path) -> None:
    parent = Parent()
    train_and_tell(parent, JOB, TrainingFiles(data, data))
    _, *steps, (warned, warnings), (kind, content) = parent.told
    assert {step.ascent for _, step in steps} == {"start 0", "start 1"}
    assert (warned, warnings, kind) == ("warning", "", "model")
    assert model_from_json(content).training.n_ascents == 2


def test_only_some_queries_are_learned_from(data: Path) -> None:
    every, some = Parent(), Parent()
    train_and_tell(every, JOB, TrainingFiles(data))
    train_and_tell(some, JOB, TrainingFiles(data, queries=("1*",)))
    hashes = {model_from_json(parent.told[-1][1]).provenance.data_hash for parent in (every, some)}
    assert len(hashes) == 2


def test_an_interrupt_keeps_the_best_so_far(data: Path) -> None:
    parent = Parent(most_steps=3)
    train_and_tell(parent, JOB, TrainingFiles(data))
    assert model_from_json(parent.told[-1][1]).training.stopped_by == "interrupted"


@pytest.mark.parametrize("ignored", [False, True])
def test_an_interrupt_that_python_drops_stops_all_the_same(data: Path, ignored: bool) -> None:
    """LLVM drops it while a kernel is compiled; and a studio in the background of a shell ignores interrupts."""

    @ctypes.CFUNCTYPE(None)
    def library() -> None:
        signal.raise_signal(signal.SIGINT)

    class Interrupting(Parent):
        def send(self, message: tuple[str, Any]) -> None:
            super().send(message)
            if len(self.told) == 3:
                library()

    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        parent = Interrupting()
        train_and_tell(parent, replace(JOB, options={"n_restarts": 3000}), TrainingFiles(data))
    finally:
        signal.signal(signal.SIGINT, before)
    assert model_from_json(parent.told[-1][1]).training.stopped_by == "interrupted"


def test_mistakes_are_told(tmp_path: Path) -> None:
    (tmp_path / "broken.txt").write_text("1 qid:1 1:x\n")
    parent = Parent()
    train_and_tell(parent, JOB, TrainingFiles(tmp_path / "broken.txt"))
    [_, (kind, message)] = parent.told
    assert kind == "failed"
    assert "broken.txt:1" in message


def test_before_there_is_anything_an_interrupt_only_stops(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankmax.studio.training_process.read_dataset", interrupted)
    parent = Parent()
    train_and_tell(parent, JOB, TrainingFiles(data))
    assert parent.told == [("begun", ""), ("stopped", NOTHING_YET)]


def test_a_process_that_dies_is_noticed(data: Path) -> None:
    run = TrainingProcess(JOB, TrainingFiles(data))
    run.start()
    assert multiprocessing.active_children()
    run.abandon()
    assert (run.state, run.model) == ("stopped", None)
    assert "status -9" in run.message
    run.stop()


def test_a_process_that_has_not_begun_can_be_stopped(data: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = TrainingProcess(JOB, TrainingFiles(data))
    run.start()
    run.stop()
    run.wait(240)
    assert (run.state, run.message) == ("stopped", NOTHING_YET)
    assert "Traceback" not in capfd.readouterr().err
