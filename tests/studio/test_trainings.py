"""A training from the page: watched, stopped, kept; the model is that of the command line."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import click
import pytest

from rankmax.cli.main import cli
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.models.model_files import load_model
from rankmax.studio.messages import KeepRun, Train
from rankmax.studio.session import Session
from rankmax.studio.training_process import TrainingProcess
from rankmax.studio.trainings import Runs
from rankmax.workflows.projects.roles import HeldOutDataError

ASKED = {"data": "train.npz", "metric": "AP", "learner": "direct", "options": {"n_restarts": 2, "seed": 5}}
CONFIRMED = {"validation": "test.npz", "confirmed": True}


def test_a_run_ends_with_the_model_of_the_command_line(client, project) -> None:
    number = client.post("/api/runs", {**ASKED, "normalize": "min-max", **CONFIRMED}).json["run"]
    events = client.get(f"/api/runs/{number}/events").events
    steps = [content for kind, content in events if kind == "step"]
    assert {step["ascent"] for step in steps} == {"start 0", "start 1"}
    assert events[-1][0] == "end"
    assert events[-1][1]["state"] == "ended"
    assert client.post("/api/runs/keep", {"run": number, "name": "page"}).json == {"name": "page.json"}
    assert [(run["run"], run["kept"]) for run in client.get("/api/runs").json] == [(number, "page.json")]
    client.send("DELETE", f"/api/runs/{number}")
    assert client.get("/api/runs").json == []
    kept = client.get("/api/trainings/page.json").json  # its curve, for as long as the project is there
    assert (kept["metric"], kept["data"]) == ("AP", "train.npz")
    assert kept["steps"] == [[step["ascent"], step["n_lines"], step["value"]] for step in steps]
    assert client.get("/api/project").json["trained"] == ["page.json"]
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
    assert (runs.described(number)["kept"], len(runs.described(number)["weights"])) == ("stopped.json", 4)
    assert run.steps, "its curve is kept, too"
    runs.discard(number)
    with pytest.raises(UnknownNameError):
        runs.described(number)


def test_a_curve_goes_with_its_model_only(project, client) -> None:
    number = client.post("/api/runs", ASKED).json["run"]
    client.get(f"/api/runs/{number}/events")
    client.post("/api/runs/keep", {"run": number, "name": "own"})
    (project.folder / "own.json").write_bytes((project.folder / "baseline.json").read_bytes())
    assert "own.json" not in client.get("/api/project").json["trained"]
    assert "no training was kept" in client.get("/api/trainings/own.json").json["error"]
    (project.folder / "own.json").unlink()
    refused = client.post("/api/runs/keep", {"run": number, "name": "own"})  # never replaces what another model has
    assert (refused.status, "own.training.json exists already" in refused.json["error"]) == (400, True)
    assert not (project.folder / "own.json").exists()
    refused = client.post("/api/runs/keep", {"run": number, "name": "own.training"})
    assert "cannot be the name of a model" in refused.json["error"]
    (project.folder / "own.training.json").unlink()
    client.send("DELETE", f"/api/runs/{number}")


def test_test_queries_are_trained_on_only_after_a_confirmation(project, client) -> None:
    runs = Runs(Session(project))
    for asked in ({"data": "test.npz"}, {"validation": "test.npz"}):
        with pytest.raises(HeldOutDataError, match=r"test.npz holds the test queries: weights that are chosen by"):
            runs.start(Train(**{**ASKED, **asked}))
    told = client.post("/api/runs", {"data": "test.npz", "learner": "direct"})
    assert (told.status, "confirm" in told.json["error"]) == (409, True)
    assert runs.listed() == []


def test_the_command_of_a_training_is_told(project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingProcess, "start", lambda run: None)
    monkeypatch.chdir(project.folder)
    runs = Runs(Session(project))
    number = runs.start(Train(**ASKED, **CONFIRMED))
    words = runs.described(number)["command"].split()
    train = cli.get_command(click.Context(cli), "train")
    assert train is not None
    parsed = train.make_context("train", words[2:]).params
    assert words[:2] == ["rankmax", "train"]
    assert (parsed["data"], parsed["validation"], parsed["learner"]) == ("train.npz", "test.npz", "direct")
    assert {parsed[name] for name in parsed if name.endswith(("seed", "restarts"))} >= {2, 5}
    assert runs.described(runs.start(Train(**ASKED, queries=("q1",))))["command"] is None


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
