from __future__ import annotations

import csv
from pathlib import Path

from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.metrics import AP
from rankmax.workflows.projects.project import Project


def test_training_ends_with_the_model_of_the_library(server, project: Project, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1")
    page.fill("#option-n_restarts", "2")
    page.fill("#option-seed", "3")
    page.select_option("#option-space", "simplex")
    page.click("#start")
    page.wait_for_selector(".run .keep")
    assert page.locator(".run .chart .curve").count() == 2
    page.take_picture("training-wide")
    rows = list(csv.DictReader(page.saved(".run")["CSV"].decode().splitlines()))
    assert {row["ascent"] for row in rows} == {"start 0", "start 1"}
    page.fill(".run input.name", "learned")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-model='learned.json']")
    ranker = LinearRanker(AP(), "simplex", n_restarts=2, seed=3).fit_dataset(project.data("train.npz"))
    assert (project.folder / "learned.json").read_bytes() == ranker.model_.to_json()
    assert page.locator(".run").count() == 0
    page.select_option("[data-model='learned.json'] select", "sql")
    page.wait_for_selector("#exported pre")
    with page.expect_download() as download:
        page.click("[data-model='learned.json'] >> text=download")
    assert Path(download.value.path()).read_bytes() == ranker.model_.to_json()
    page.click("[data-model='learned.json'] >> text=load")
    page.settle(lambda: ranker.value_)
    (project.folder / "learned.json").unlink()


def test_a_training_is_stopped_while_its_curves_grow(server, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1&options=n_restarts%3D100000")
    other = open_page(server, "#page=learn&metric=AP&w=f1=1")
    page.click("#start")
    page.wait_for_selector(".run .curve")
    page.click(".run .stop")
    page.wait_for_selector(".run h2:has-text('ended')")
    assert "Stopped early" in page.inner_text(".run p")
    other.reload()
    other.wait_for_selector(".run .curve")
    other.click(".run .discard")
    other.wait_for_selector(".run", state="detached")
