"""What axe-core finds on every page, at three sizes, light and dark; and the Weights page by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.models import LinearModel
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project

WIDTHS = {"wide": 1280, "tablet": 820, "phone": 420}
THEMES = ("light", "dark")
VIEW = "#metric=AP&learner=least-squares&reference=uniform&w=f1=1,f2=-0.5,f3=2"


def pages(page: Any) -> Iterator[str]:
    """Show every page with everything open that it can show, and a question; yield the name of each."""
    page.click("nav >> text=Weights")
    page.click("summary:text-is('History')")
    page.wait_for_selector("#follow svg")
    yield "weights"
    page.click("nav >> text=Surface")
    page.wait_for_selector("#optimum")
    yield "surface"
    page.click("nav >> text=Ranking")
    page.click("[data-id] button >> nth=0")
    page.wait_for_selector("#parts")
    yield "a document"
    page.locator("[data-id] button").nth(1).click(modifiers=["Shift"])
    page.wait_for_selector("#parts:has-text('Difference of each feature')")
    yield "two documents"
    page.click("nav >> text=Learn")
    page.click("#start")
    page.wait_for_selector(".run .result")
    page.select_option("[data-model='baseline.json'] select", "sql")
    page.wait_for_selector("#exported pre")
    yield "learn"
    page.click(".roles >> text=Held out")
    page.wait_for_selector("#role.test")
    page.click("#start")
    page.wait_for_selector("dialog")
    yield "a question"
    page.keyboard.press("Escape")
    page.click("nav >> text=Weights")
    page.wait_for_selector("#follow:has-text('not chosen by these queries')")
    yield "held-out queries"
    page.click("nav >> text=Tune")
    page.wait_for_selector("#tuning-files", state="attached")
    yield "no runs to tune"
    page.click("nav >> text=Learn")
    page.wait_for_selector(".run .result")
    page.click(".run .discard")
    page.wait_for_selector(".run", state="detached")


@pytest.mark.parametrize("size", WIDTHS)
def test_every_page_is_accessible_and_fits(
    server: StudioServer, open_page, violations: Callable[[Any], list[str]], size: str
) -> None:
    page = open_page(server, VIEW, viewport={"width": WIDTHS[size], "height": 860})
    found = []
    for name in pages(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[size], name
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            found += [f"{name}, {theme}: {one}" for one in violations(page)]
    assert found == []


def test_weights_are_found_and_saved_by_keyboard_alone(server: StudioServer, project: Project, open_page) -> None:
    page = open_page(server, "#metric=AP&reference=uniform&w=f1=1,f2=1,f3=1,f4=1")
    data = project.data("train.npz")
    page.wait_for_selector("#follow svg")

    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.locator(f"{selector}:focus").count():
                return
            page.keyboard.press("Tab")
        raise AssertionError(selector)

    def mean() -> float:
        weights = [page.weights.get(name, 0.0) for name in data.feature_names]
        return float(evaluate_scores(data.scores(weights), data, ["AP"]).means[0])

    tab_to("#skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "page"
    tab_to("#find")
    page.keyboard.press("Enter")
    page.wait_for_selector(".start .result")
    tab_to(".start .use")
    page.keyboard.press("Enter")
    page.until(lambda: page.weights != {"f1": 1, "f2": 1, "f3": 1, "f4": 1})
    tab_to("[data-feature=f2] input[type=range]")
    learned = page.weights.get("f2", 0.0)
    page.keyboard.press("ArrowRight")
    page.until(lambda: page.weights.get("f2", 0.0) > learned)
    page.settle(mean)
    tab_to(".weights .skip")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "load", "what follows the sliders"
    tab_to("[data-feature=f3] button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#follow h2:has-text('f3')")
    tab_to("#follow svg")
    page.keyboard.press("Home")
    page.wait_for_address()
    page.settle(mean)
    page.keyboard.press("Control+z")
    page.wait_for_address()
    page.settle(mean)
    tab_to("[aria-label='Name for these weights']")
    page.keyboard.press("Control+A")
    page.keyboard.type("by-keys")
    page.keyboard.press("Enter")
    page.wait_for_selector("#status:has-text('saved by-keys.json')")
    saved = LinearModel.load(project.folder / "by-keys.json")
    assert dict(zip(saved.feature_names, saved.weights, strict=True)) == pytest.approx(page.weights)
    (project.folder / "by-keys.json").unlink()
