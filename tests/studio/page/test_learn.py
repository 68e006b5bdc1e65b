from __future__ import annotations

import csv
from pathlib import Path

import pytest

from rankmax import train
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.models import AdditiveModel, LinearModel
from rankmax.models.curve import Curve
from rankmax.workflows.projects.project import Project


def test_training_ends_with_the_model_of_the_library(server, project: Project, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1")
    page.fill("#option-n_restarts", "2")
    page.fill("#option-seed", "3")
    page.select_option("#option-space", "simplex")
    page.click("#start")
    page.wait_for_selector(".run .result")
    assert page.locator(".run .chart .curve").count() == 2
    rows = list(csv.DictReader(page.saved(".run")["CSV"].decode().splitlines()))
    assert {row["ascent"] for row in rows} == {"start 0", "start 1"}
    page.fill(".run input.name", "learned")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-model='learned.json']")
    model = train(project.data("train.npz"), "AP", space="simplex", n_restarts=2, seed=3)
    assert (project.folder / "learned.json").read_bytes() == model.to_json()
    held = f"Cross-validated AP {model.training.cross_validated_value:.4f}"
    assert held in page.inner_text(".run > p.soft")
    assert page.locator(".run .curve").count() > 0, "the curve is kept, too"
    test = project.data("test.npz")
    held_out = float(evaluate_scores(model.scores(test), test, ["AP"]).means[0])
    assert float(page.get_attribute(".run .result", "data-value")) == pytest.approx(held_out, abs=1e-9)
    assert page.inner_text(".run .verdict p").startswith("Held-out AP")
    values = [
        cell.get_attribute("data-value") for cell in page.locator("[data-model='learned.json'] [data-value]").all()
    ]
    assert [float(value) for value in values] == pytest.approx([model.training.value, held_out], abs=1e-9)
    page.select_option("[data-model='learned.json'] select", "sql")
    page.wait_for_selector("#exported pre")
    with page.expect_download() as download:
        page.click("[data-model='learned.json'] >> text=download")
    assert Path(download.value.path()).read_bytes() == model.to_json()
    page.click("[data-model='learned.json'] >> text=load")
    page.settle(lambda: model.training.value)
    page.click(".run .discard")
    page.wait_for_selector(".run", state="detached")
    page.click("[data-model='learned.json'] >> text=Training")
    page.wait_for_selector("#kept-training .curve")
    kept = list(csv.DictReader(page.saved("#kept-training")["CSV"].decode().splitlines()))
    assert kept == rows, "the curve is kept with the model, for as long as the project is there"
    (project.folder / "learned.json").unlink()
    (project.folder / "learned.training.json").unlink()


def test_a_training_is_stopped_while_its_curves_grow(server, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1&options=n_restarts%3D100000")
    other = open_page(server, "#page=learn&metric=AP&w=f1=1")
    page.click("#start")
    page.wait_for_selector(".run .curve")
    page.click(".run .stop")
    page.wait_for_selector(".run h2:has-text('ended')")
    page.wait_for_selector(".run > p:has-text('Stopped early')")
    assert 1 <= page.locator(".run .chart .curve").count() <= 36, "however many starts there were"
    other.reload()
    other.wait_for_selector(".run .curve")
    other.click(".run .discard")
    other.wait_for_selector(".run", state="detached")


def test_discarding_a_running_training_asks(server, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1&options=n_restarts%3D100000")
    page.click("#start")
    page.wait_for_selector(".run .curve")
    page.click(".run .discard")
    page.wait_for_selector("dialog:has-text('Discard the running training?')")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator(".run").count() == 1
    page.click(".run .discard")
    page.click("dialog .yes")
    page.wait_for_selector(".run", state="detached")


def test_a_learner_without_ascents_shows_its_held_out_value(server, project: Project, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&learner=least-squares&w=f1=1")
    page.click("#start")
    page.wait_for_selector(".run .result")
    model = LeastSquaresRanker().fit_dataset(project.data("train.npz")).model_
    test = project.data("test.npz")
    held_out = float(evaluate_scores(model.scores(test), test, ["AP"]).means[0])
    assert float(page.get_attribute(".run .result", "data-value")) == pytest.approx(held_out, abs=1e-9)
    page.click(".run .discard")
    page.wait_for_selector(".run", state="detached")


def test_test_queries_are_trained_on_only_after_a_confirmation(server, open_page) -> None:
    page = open_page(server, "#page=learn&data=test.npz&metric=AP&learner=least-squares&w=f1=1")
    page.click("#start")
    page.wait_for_selector("dialog:has-text('no longer tells how they do on new queries')")
    page.click("dialog .main")  # keep them held out
    page.wait_for_selector("dialog", state="detached")
    assert page.locator(".run").count() == 0
    page.click("#start")
    page.click("dialog .yes")
    page.wait_for_selector(".run .result")
    assert "Held-out" not in page.inner_text(".run .verdict p")
    assert page.locator(".run td:has-text('trained on')").count() == 1
    page.click(".run .discard")
    page.wait_for_selector(".run", state="detached")


def test_an_error_of_an_export_goes_with_the_next_success(server, project: Project, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1")
    (project.folder / "negative.json").write_bytes(LinearModel([-1.0, 0.5], ("f1", "f2")).to_json())
    page.reload()
    page.wait_for_selector("[data-model='negative.json']")
    page.select_option("[data-model='negative.json'] select", "elasticsearch-retriever")
    page.wait_for_selector("#status.error")
    page.select_option("[data-model='negative.json'] select", "sql")
    page.wait_for_selector("#exported pre")
    page.wait_for_selector("#status:not(.error)", state="attached")
    (project.folder / "negative.json").unlink()


def test_a_curve_is_moved_at_a_knot(server, project: Project, open_page, violations) -> None:
    data, path = project.data("train.npz"), project.folder / "curves.json"
    curves = [Curve([-1.0, 0.0, 1.0], [-1.0, 0.0, 2.0]), Curve([0.5], [1.0, -1.0], "constant")]
    AdditiveModel(curves, ("f1", "f2")).save(path)
    page = open_page(server, "#page=learn&metric=AP&w=f1=1")
    page.click("[data-model='curves.json'] button:text-is('Curves')")
    page.wait_for_selector("#curve-reading b")
    assert violations(page) == []
    page.select_option("#curve-feature", "f2")
    page.focus(".knot input >> nth=1")
    page.keyboard.press("End")
    end = float(page.locator(".knot input").nth(1).input_value())
    assert end == 3.0  # as far above the highest value as that is above the lowest
    model = AdditiveModel([curves[0], Curve([0.5], [1.0, end], "constant")], ("f1", "f2"))
    page.settle(lambda: float(evaluate_scores(model.scores(data), data, ["AP"]).means[0]), "#curve-reading b")
    page.click("#kept-training >> text=Save as model")
    page.wait_for_selector("[data-model='curves-moved.json']")
    saved = AdditiveModel.load(project.folder / "curves-moved.json")
    assert saved.curves[1].values.tolist() == [1.0, end]
    page.click(".roles >> text=Held out")
    page.wait_for_selector("#role.test")
    page.click("[data-model='curves.json'] button:text-is('Curves')")
    page.focus(".knot input >> nth=0")
    page.keyboard.press("End")
    page.wait_for_selector("dialog:has-text('Choose weights by test.npz?')")
    page.keyboard.press("Escape")
    for one in (path, project.folder / "curves-moved.json"):
        one.unlink()
