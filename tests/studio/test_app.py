"""What the page may ask, what it is answered, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankmax._pages.scripts import CHARTS
from rankmax.cli import cli
from rankmax.engines.registry import TARGETS
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.studio.app import STATIC

VIEW = {"data": "train.npz", "metric": "AP"}
SCRIPTS = {
    f"{address}/{path.relative_to(folder).as_posix()}": path
    for address, folder in {"/static": STATIC, "/static/charts": CHARTS}.items()
    for path in folder.rglob("*.js")
}
READ = {**VIEW, "current": {"weights": {"f1": 1, "f3": 2}}, "reference": {"model": "baseline.json"}}


def test_the_page_and_all_it_needs_is_served(client) -> None:
    assert client.get("/").headers["content-type"].startswith("text/html")
    for address, path in SCRIPTS.items():
        answer = client.get(address)
        assert answer.body == path.read_bytes()
        assert (answer.status, answer.headers["content-type"]) == (200, "text/javascript; charset=utf-8")


def test_the_project_is_described(client) -> None:
    told = client.get("/api/project").json
    assert told["data"] == ["train.npz", "test.npz"]
    assert told["models"] == ["baseline.json"]
    assert told["chosen"] == "train.npz"
    assert client.post("/api/describe", VIEW).json["features"] == ["f1", "f2", "f3", "f4"]


def test_a_reading_has_the_numbers_of_the_library(client, project) -> None:
    told = client.post("/api/read", READ).json
    data = project.data("train.npz")
    ours = evaluate_scores(data.scores([1, 0, 2, 0]), data, ["AP"])
    theirs = evaluate_scores(data.scores([1, 0.5, 0, 0]), data, ["AP"])
    assert told["value"] == ours.means[0]
    assert told["interval"] == pytest.approx(ours.intervals()[0].tolist(), abs=1e-12)
    assert told["difference"] == pytest.approx((ours.means - theirs.means)[0], abs=1e-12)


def test_a_surface_is_told_in_rows(client) -> None:
    answer = client.post("/api/survey", {**VIEW, "current": {}, "features": ["f1", "f2", "f3"]})
    assert answer.headers["content-type"].startswith("text/event-stream")
    kinds = [kind for kind, _ in answer.events]
    assert kinds == ["begin", *["row"] * (7 + 21 + 63), "optimum"]


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/api/read", {**READ, "data": "nothing.npz"}, "unknown data file"),
        ("/api/read", {**READ, "metric": "nDGC"}, "did you mean"),
        ("/api/read", {**READ, "queries": ["x*"]}, "no query matches"),
        ("/api/read", {**READ, "current": {"weights": {"g1": 1}}}, "unknown feature"),
        ("/api/read", {**READ, "current": {"weights": {}, "normalize": "loud"}}, "unknown normalization"),
        ("/api/read", {**READ, "reference": {"model": "no.json"}}, "unknown model"),
        ("/api/read", VIEW, "missing required field"),
        ("/api/read", {**READ, "extra": 1}, "unknown field"),
        ("/api/read", {**READ, "current": {"weights": {"f1": "1"}}}, "Expected `float`"),
        ("/api/read", b"\xff{", "invalid request"),
        ("/api/read", b"[" * 100_000, "invalid request"),
        ("/api/export", {"model": "baseline.json", "target": "paper"}, "unknown"),
        ("/api/export", {"model": "no.json", "target": "sql"}, "unknown model"),
        ("/api/follow", {**VIEW, "current": {}, "feature": "g"}, "unknown feature"),
        ("/api/ranking", {**READ, "query": "q99"}, "unknown query"),
        ("/api/runs", {**VIEW, "learner": "magic"}, "unknown learner"),
        ("/api/runs", {**VIEW, "learner": "direct", "options": {"checkpoint": "/tmp/x"}}, "unknown option"),
        ("/api/runs", {**VIEW, "learner": "direct", "validation": "../secret.npz"}, "unknown data file"),
        ("/api/runs/keep", {"run": 7, "name": "x"}, "unknown run"),
    ],
)
def test_mistakes_are_explained(client, path: str, body: object, said: str) -> None:
    answer = client.post(path, body)
    assert answer.status == 400
    assert said in answer.json["error"]
    assert "Traceback" not in answer.json["error"]


@pytest.mark.parametrize(
    "name", ["../secret.npz", "..%2Fsecret.npz", "/etc/passwd", "link.npz", "index/meta.json", ".hidden", "x\0.npz", ""]
)
def test_no_file_outside_the_project_is_read(client, name: str) -> None:
    for body in ({**READ, "data": name}, {**READ, "reference": {"model": name}}):
        answer = client.post("/api/read", body)
        assert (answer.status, "unknown" in answer.json["error"]) == (400, True)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_no_file_beside_the_page_is_served(client, path: str) -> None:
    assert client.get(f"/static/{path}").status == 404


def test_unknown_addresses_and_methods_are_errors(client) -> None:
    assert client.get("/api/nothing").status == 404
    assert client.get("/api/read").status == 405
    assert client.get("/api/runs/99/events").status == 400


@pytest.mark.parametrize("target", TARGETS)
def test_a_model_is_exported_as_the_command_does(client, project, target: str) -> None:
    answer = client.post("/api/export", {"model": "baseline.json", "target": target})
    path = project.folder / "baseline.json"
    done = CliRunner().invoke(cli, ["export", str(path), "--to", target])
    if done.exception is None:
        assert answer.json == {"text": done.output}
    else:
        assert answer.json == {"error": str(done.exception)}


def test_no_script_reads_text_as_html() -> None:
    """The one way in for hostile text: every file of the page builds nodes, and has no inline script or style."""
    dangerous = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc")
    for path in SCRIPTS.values():
        assert not dangerous.search(path.read_text()), path.name
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


def test_the_page_names_no_other_host() -> None:
    allowed = {"http://www.w3.org/2000/svg"}
    for path in (path for folder in (STATIC, CHARTS) for path in folder.rglob("*") if path.is_file()):
        assert set(re.findall(r"(?:https?:)?//[\w.-]+\.[\w/.-]+", path.read_text())) <= allowed, path.name


def test_answers_are_plain_json_numbers(client) -> None:
    """A weight along which nothing changes has a best interval without ends: null, not Infinity."""
    body = {**VIEW, "current": {"weights": {"f1": 1}}, "feature": "f2"}
    told = client.post("/api/follow", body).json
    assert told["best"]["value"] >= told["value"]
    assert np.isfinite(told["best"]["middle"])


def test_pages_are_part_of_the_package() -> None:
    assert {path.name for path in STATIC.iterdir()} >= {"index.html", "app.js", "style.css", "pages"}
    assert Path(STATIC).parent.name == "studio"


@pytest.mark.parametrize("queries", [["[" * 400_000], ["q*"] * 1001])
def test_patterns_are_bounded(client, queries: list[str]) -> None:
    answer = client.post("/api/describe", {"data": "train.npz", "queries": queries})
    assert (answer.status, "queries" in answer.json["error"]) == (400, True)
