"""What a tuning tells its parent; that it runs in another process is tested from the studio."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracles.run_files import write_runs
from rankmax.api.tune import tune
from rankmax.errors import CannotWriteError
from rankmax.models import LinearModel
from rankmax.studio.background_job import NOTHING_YET
from rankmax.studio.tuning_process import TuningJob, TuningProcess, tune_and_tell
from rankmax.workflows.projects.kept_tuning import read_kept_model, read_kept_page


class Parent:
    """Takes what a tuning tells, and interrupts it after so many messages."""

    def __init__(self, most: int = 10**6) -> None:
        self.told: list[tuple[str, Any]] = []
        self._most = most

    def send(self, message: tuple[str, Any]) -> None:
        self.told.append(message)
        if len(self.told) == self._most:
            raise KeyboardInterrupt


@pytest.fixture
def job(tmp_path: Path) -> TuningJob:
    write_runs(tmp_path, ("bm25", "e5"))
    systems = {name: str(tmp_path / f"{name}.run") for name in ("bm25", "e5")}
    return TuningJob(systems, str(tmp_path / "qrels.txt"), ("AP",), folds=2)


def test_steps_then_a_result_are_told(job: TuningJob, tmp_path: Path) -> None:
    parent = Parent()
    tune_and_tell(parent, job)  # type: ignore[arg-type]
    (begun, _), *steps, (kind, content) = parent.told
    assert (begun, kind) == ("begun", "result")
    assert {told for told, _ in steps} == {"step"}
    path = tmp_path / "a.tuning.json"
    path.write_bytes(content)
    assert read_kept_model(path).to_json() == tune(job.systems, job.qrels, "AP", folds=2).model.to_json()


def test_a_model_may_be_the_current_fusion(job: TuningJob, tmp_path: Path) -> None:
    parent, model = Parent(), LinearModel([0.5, 0.5], ("bm25", "e5"))
    tune_and_tell(parent, replace(job, current_model=model.to_json()))  # type: ignore[arg-type]
    path = tmp_path / "a.tuning.json"
    path.write_bytes(parent.told[-1][1])
    summary = read_kept_page(path)["summary"]
    assert summary["current"]["weights"] == {"bm25": 0.5, "e5": 0.5}
    assert summary["rows"] == tune(job.systems, job.qrels, "AP", current=model, folds=2).table


def test_what_the_data_does_not_allow_is_told(job: TuningJob) -> None:
    parent = Parent()
    assert isinstance(job.systems, dict)
    tune_and_tell(parent, replace(job, systems={"bm25": job.systems["bm25"]}))  # type: ignore[arg-type]
    kind, message = parent.told[-1]
    assert kind == "failed"
    assert "give at least two" in message


def test_an_interrupt_leaves_nothing(job: TuningJob) -> None:
    parent = Parent(most=5)
    tune_and_tell(parent, job)  # type: ignore[arg-type]
    assert parent.told[-1] == ("stopped", NOTHING_YET)


def test_a_result_that_cannot_be_kept_is_a_failure(job: TuningJob) -> None:
    def full(_: bytes) -> str:
        raise CannotWriteError("a.tuning.json", "the disk is full")

    process = TuningProcess(job, full)
    process._take("result", b"{}")
    assert process.state == "failed"
    assert "the disk is full" in process.message
