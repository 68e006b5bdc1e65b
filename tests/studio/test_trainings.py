"""A training from the page: watched, stopped, kept; the model is that of the command line."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from rankmax.cli.main import cli
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.models.model_files import load_model
from rankmax.studio.messages import KeepRun, Train
from rankmax.studio.session import Session
from rankmax.studio.training_process import TrainingProcess
from rankmax.studio.trainings import Runs

ASKED = {"data": "train.npz", "metric": "AP", "learner": "direct", "options": {"n_restarts": 2, "seed": 5}}


def test_a_run_ends_with_the_model_of_the_command_line(client, project) -> None:
    number = client.post("/api/runs", {**ASKED, "normalize": "min-max", "validation": "test.npz"}).json["run"]
    events = client.get(f"/api/runs/{number}/events").events
    steps = [content for kind, content in events if kind == "step"]
    assert {step["ascent"] for step in steps} == {"start 0", "start 1"}
    assert events[-1][0] == "end"
    assert events[-1][1]["state"] == "ended"
    assert client.post("/api/runs/keep", {"run": number, "name": "page"}).json == {"name": "page.json"}
    assert client.get("/api/runs").json == []
    files = {name: str(project.folder / name) for name in ("train.npz", "test.npz", "command.json")}
    options = ["-m", "AP", "--restarts", "2", "--seed", "5", "--normalize", "min-max"]
    cli.main(
        ["train", files["train.npz"], "-o", files["command.json"], "--validation", files["test.npz"], *options],
        standalone_mode=False,
    )
    assert (project.folder / "page.json").read_bytes() == (project.folder / "command.json").read_bytes()


def test_a_run_can_be_stopped_kept_and_discarded(project) -> None:
    runs = Runs(Session(project))
    number = runs.start(Train(**{**ASKED, "options": {"n_restarts": 100_000}}))
    run = runs._run(number)
    with pytest.raises(InvalidParameterError, match="no model yet"):
        runs.keep(KeepRun(number, "early"))
    until = time.monotonic() + 240
    while not run.steps and time.monotonic() < until:
        time.sleep(0.02)
    runs.stop(number)
    run.wait(240)
    told = runs.described(number)
    assert (told["state"], told["training"]["stopped_by"]) == ("ended", "interrupted")
    assert set(told["weights"]) == {"f1", "f2", "f3", "f4"}
    with pytest.raises(InvalidParameterError, match="cannot be a file"):
        runs.keep(KeepRun(number, "../out"))
    assert load_model(project.folder / runs.keep(KeepRun(number, "stopped"))).training.stopped_by == "interrupted"
    with pytest.raises(UnknownNameError):
        runs.described(number)


def test_there_is_a_bound_to_trainings_at_once(project, monkeypatch: pytest.MonkeyPatch) -> None:
    for method in ("start", "abandon"):
        monkeypatch.setattr(TrainingProcess, method, lambda run: None)
    runs = Runs(Session(project))
    first, second = (runs.start(Train(**ASKED)) for _ in range(2))
    with pytest.raises(InvalidParameterError, match="2 trainings are running"):
        runs.start(Train(**ASKED))
    runs.discard(first)
    assert [told["run"] for told in runs.listed()] == [second]
    assert (runs.described(second)["state"], runs.described(second)["weights"]) == ("running", None)
    assert list(runs.news(second, 0)) == []
    runs.abandon_all()


def test_the_bound_holds_when_many_ask_at_once(project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingProcess, "start", lambda run: time.sleep(0.05))  # long enough for all to get there
    runs = Runs(Session(project))
    together = Barrier(12)

    def ask(_: int) -> bool:
        together.wait()
        try:
            runs.start(Train(**ASKED))
        except InvalidParameterError as error:
            assert "2 trainings are running" in str(error)  # noqa: PT017 - most of them must raise, two must not
            return False
        return True

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(ask, range(12))) == 2
    assert len(runs.listed()) == 2
