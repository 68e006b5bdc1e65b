"""Tunings from the page: the numbers of the command, kept in the project, and nothing outside it can be named."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oracles.run_files import write_runs
from rankmax.cli.tune import tune as tune_command
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project

from .conftest import Client

TWO = {"runs": ["bm25.run", "e5.run"], "qrels": "qrels.txt", "metrics": ["AP", "P@1"], "folds": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_runs(folder)
    LinearModel([0.5, 0.5], ("bm25", "e5")).save(folder / "in-use.json")
    return folder


@pytest.fixture(scope="module")
def tuner(folder: Path) -> Iterator[Client]:
    with StudioServer(Project.at(folder), port=0).in_background() as serving:
        yield Client(serving.access)


@pytest.fixture(scope="module")
def kept(tuner: Client) -> str:
    number = tuner.post("/api/tunings", TWO).json["tuning"]
    *steps, (kind, end) = tuner.get(f"/api/tunings/jobs/{number}/events").events
    stages = [step["stage"] for _, step in steps]
    assert (stages[0], stages[-1]) == ("Reading", "Drawing")
    assert max(step["done"] for _, step in steps if step["stage"] == "Cross-validating") == 10
    assert (kind, end["state"], end["message"]) == ("end", "ended", "")
    name: str = end["kept"]
    return name


def test_the_numbers_are_those_of_the_command(
    tuner: Client, kept: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tuner.get(f"/api/tunings/kept/{kept}").json
    command = page["provenance"]["facts"][0][1]
    assert command == "rankmax tune --qrels qrels.txt bm25.run e5.run -m AP -m P@1 --folds 2"
    monkeypatch.chdir(folder)
    tune_command([*shlex.split(command)[2:], "--json"], standalone_mode=False)
    assert page["summary"] == json.loads(capsys.readouterr().out)
    assert len(page["queries"]) == page["summary"]["queries"] == 12


def test_weights_that_fit_the_query(
    tuner: Client, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    number = tuner.post("/api/tunings", {**TWO, "metrics": ["AP"], "by": "auto"}).json["tuning"]
    *_, (_, end) = tuner.get(f"/api/tunings/jobs/{number}/events").events
    page = tuner.get(f"/api/tunings/kept/{end['kept']}").json
    command = page["provenance"]["facts"][0][1]
    assert command == "rankmax tune --qrels qrels.txt bm25.run e5.run -m AP --by auto --folds 2"
    monkeypatch.chdir(folder)
    tune_command([*shlex.split(command)[2:], "--json"], standalone_mode=False)
    assert page["summary"] == json.loads(capsys.readouterr().out)
    assert page["summary"]["varying"]["query_features"] is not None


def test_what_can_be_chosen(tuner: Client, kept: str) -> None:
    choices = tuner.get("/api/tunings/choices").json
    assert choices["runs"] == ["bm25.run", "e5.run", "splade.run"]
    assert (choices["qrels"], choices["models"], choices["project"]) == (["qrels.txt"], ["in-use.json"], None)
    assert kept in choices["kept"]
    assert choices["running"] == []
    project = tuner.get("/api/project").json
    assert (project["tunable"], project["data"], project["models"]) == (True, [], ["in-use.json"])


def test_the_fusion_can_be_exported_and_saved(tuner: Client, kept: str, folder: Path) -> None:
    exported = tuner.post("/api/tunings/export", {"tuning": kept, "target": "sql"}).json
    assert (exported["target"], exported["refused"]) == ("sql", None)
    assert tuner.post("/api/tunings/export", {"tuning": kept, "target": "fax"}).status == 400
    assert tuner.post("/api/tunings/model", {"tuning": kept, "name": "tuned"}).json == {"name": "tuned.json"}
    model = Project.at(folder).model("tuned.json")
    assert isinstance(model, LinearModel)
    assert export_model(model, "sql").text == exported["text"]
    assert "exists already" in tuner.post("/api/tunings/model", {"tuning": kept, "name": "tuned"}).json["error"]


def test_a_report_is_a_file_to_save(tuner: Client, kept: str) -> None:
    answer = tuner.get(f"/api/tunings/kept/{kept}/report")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.body.startswith(b"<!doctype html>")
    assert answer.body.count(b"<script") == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": ["bm25.run", "../bm25.run"]}, "unknown run"),
        ({"runs": ["bm25.run", "qrels.txt"]}, "unknown run"),
        ({"qrels": "/etc/passwd"}, "unknown qrels"),
        ({"qrels": None}, "choose the judgments"),
        ({"metrics": ["nDGC"]}, "nDGC"),
        ({"engine": "fax"}, "unknown engine"),
        ({"current": "/etc/passwd"}, "choose a model of the project"),
        ({"current_model": "../x.json"}, "unknown model"),
        ({"from_project": True}, "no rankmax.toml"),
        ({"folds": 1}, "folds"),
        ({"by": "year"}, "by"),
        ({"weights": 1}, "weights"),
    ],
)
def test_a_wrong_request_is_refused_at_once(tuner: Client, change: dict[str, Any], message: str) -> None:
    answer = tuner.post("/api/tunings", {**TWO, **change})
    assert answer.status == 400
    assert message in answer.json["error"]


def test_one_at_a_time_and_it_can_be_stopped(tuner: Client) -> None:
    number = tuner.post("/api/tunings", TWO).json["tuning"]
    assert "a tuning is running" in tuner.post("/api/tunings", TWO).json["error"]
    assert tuner.post(f"/api/tunings/jobs/{number}/stop", {}).status == 200
    *_, (_, end) = tuner.get(f"/api/tunings/jobs/{number}/events").events
    assert (end["state"], end["kept"]) == ("stopped", None)
    assert tuner.get("/api/tunings/jobs/99/events").status == 400
    assert tuner.get("/api/tunings/kept/..%2Fqrels").status in (400, 404)
    assert tuner.post("/api/tunings", TWO, Origin="http://evil.example").status == 403
