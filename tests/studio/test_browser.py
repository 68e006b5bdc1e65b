"""The page in a real browser: what it shows is what the library computes, and it survives what happens to pages.

The pictures of the documentation are taken here: RANKMAX_SCREENSHOTS names the folder to write them to, and
RANKMAX_STUDIO_PROJECT a project to show instead of the small one.
"""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlencode, urlparse

import numpy as np
import pytest

pytest.importorskip("playwright", reason="needs playwright")

from playwright import sync_api as playwright

from rankmax.data.normalise import MinMax
from rankmax.evaluation.evaluate import evaluate
from rankmax.learners.linear_ranker import LinearRanker
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.side_by_side import side_by_side
from rankmax.workflows.surface.surface import metric_surface

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WAIT = 240_000  # milliseconds: what is asked for may have to be compiled first, on a busy machine
START = "#metric=AP&w="


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with playwright.sync_playwright() as driver:
        try:
            running = driver.chromium.launch(executable_path=path)
        except playwright.Error as error:
            pytest.skip(f"{path} does not start: {error.message.splitlines()[0]}")
        yield running
        running.close()


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., playwright.Page]]:
    """Return a function that opens a studio; at the end no page has complained or asked anybody else for anything."""
    complaints: list[str] = []
    contexts = []

    def opened(server: StudioServer, state: str = START, **context: object) -> playwright.Page:
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **context}))
        page = contexts[-1].new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        own = (server.access.origin, f"blob:{server.access.origin}")
        page.on("request", lambda request: request.url.startswith(own) or complaints.append(request.url))
        page.goto(server.access.address + state)
        page.wait_for_selector("#value")
        return page

    yield opened
    for context in contexts:
        context.close()
    gone = re.compile(r"Failed to load resource: (net::ERR_CONNECTION_REFUSED|.*403)")  # the test of just that
    assert [text for text in complaints if not gone.match(text)] == []


def take_picture(page: playwright.Page, name: str) -> None:
    if folder := os.environ.get("RANKMAX_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def weights_in_address(page: playwright.Page) -> dict[str, float]:
    pairs = parse_qs(urlparse(page.url).fragment)["w"][0].split(",")
    return {unquote(name): float(weight) for name, weight in (pair.split("=") for pair in pairs)}


def settled(page: playwright.Page, expected: Callable[[], float], selector: str = "#value") -> None:
    """Wait until the page shows a value that the library computes from the weights in the page's address."""
    for _ in range(WAIT // 50):
        shown = page.get_attribute(selector, "data-value")
        if shown is not None and math.isclose(float(shown), expected(), abs_tol=1e-9):
            return
        page.wait_for_timeout(50)
    assert float(page.get_attribute(selector, "data-value")) == pytest.approx(expected(), abs=1e-9)


def test_moving_a_weight_changes_metric_and_ranking(server, project: Project, open_page) -> None:
    page = open_page(server)
    data = project.data("train.npz")

    def model() -> LinearModel:
        weight_of = weights_in_address(page)
        return LinearModel([weight_of.get(name, 0.0) for name in data.feature_names], data.feature_names)

    def mean() -> float:
        return float(evaluate(model().scores(data), data, ["AP"]).means[0])

    before = mean()
    slider = page.locator("[data-feature=f2] input[type=range]")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    settled(page, mean)
    assert weights_in_address(page)["f2"] < 0
    assert mean() != before
    page.fill("[data-feature=f1] input[type=number]", "2.5")
    page.keyboard.press("Enter")
    settled(page, mean)
    assert weights_in_address(page)["f1"] == 2.5
    by_hand = mean()
    page.click("[data-feature=f3] button")  # best along this weight
    page.wait_for_selector("#follow svg")
    settled(page, mean)
    assert mean() >= by_hand

    page.click("nav >> text=Ranking")
    page.wait_for_selector("[data-id]")
    query = page.locator(".queries [aria-selected=true]").get_attribute("id").removeprefix("query-")
    reference = LinearModel(np.ones(4), data.feature_names)
    documents = side_by_side(data, query, reference, model(), depth=15)
    for column, key in enumerate(("first", "second")):
        expected = [d.id for d in sorted(documents, key=lambda d, key=key: getattr(d, key).rank)]
        shown = page.locator(".column").nth(column).locator("[data-id]")
        assert [item.get_attribute("data-id") for item in shown.all()] == expected
    page.click("[data-id] button >> nth=0")
    assert page.locator("#parts tbody tr").count() == 4


def test_hostile_text_is_only_text(server, open_page) -> None:
    page = open_page(server, "#page=ranking&order=data")
    page.wait_for_selector("mark")
    page.click("#query-q0")
    page.wait_for_selector("#both h2:has-text('<script>')")
    assert page.locator("main script, main img").count() == 0
    assert page.title().startswith("project")


def test_the_surface_can_be_dragged(server, project: Project, open_page) -> None:
    page = open_page(server, "#metric=AP&normalise=min-max&features=f1,f2,f3&w=f1=1,f2=1,f3=1&page=surface")
    data = project.data("train.npz")
    expected = metric_surface(data, ["f1", "f2", "f3"], AP(), normalisation="min-max", resolution=63)
    page.wait_for_selector("#optimum")
    assert float(page.get_attribute("#optimum", "data-value")) == pytest.approx(expected.optimum.value, abs=1e-9)

    def mean() -> float:
        weight_of = weights_in_address(page)
        scores = MinMax().apply(data).scores([weight_of.get(name, 0.0) for name in data.feature_names])
        return float(evaluate(scores, data, ["AP"]).means[0])

    box = page.locator(".simplex canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.62, box["y"] + box["height"] * 0.6, steps=5)
    page.mouse.up()
    dragged = weights_in_address(page)
    assert dragged["f3"] > dragged["f2"]
    assert sum(dragged.values()) == pytest.approx(3)
    settled(page, mean)
    page.focus(".simplex")
    page.keyboard.press("ArrowUp")
    assert weights_in_address(page)["f1"] > dragged["f1"]
    page.keyboard.press("Home")
    settled(page, lambda: expected.optimum.value)
    assert page.locator("progress").is_hidden(), "moving the point computes nothing anew"
    saved = {}
    for kind in ("SVG", "PNG", "CSV"):
        with page.expect_download() as download:
            page.click(f"#facts button:text-is('{kind}')")
        saved[kind] = Path(download.value.path()).read_bytes()
    assert saved["SVG"].startswith(b"<svg")
    assert saved["SVG"].count(b"<path") > 63**2
    assert saved["PNG"].startswith(b"\x89PNG")
    table = np.loadtxt(saved["CSV"].decode().splitlines(), delimiter=",", skiprows=1)
    np.testing.assert_allclose(table, np.column_stack([expected.points, expected.values]), atol=1e-6)
    page.select_option("#feature2", "")
    page.wait_for_selector(".picture > svg .steps")


def test_training_ends_with_the_model_of_the_library(server, project: Project, open_page) -> None:
    page = open_page(server, "#page=learn&metric=AP&w=f1=1")
    page.fill("#option-n_restarts", "2")
    page.fill("#option-seed", "3")
    page.select_option("#option-space", "simplex")
    page.click("#start")
    page.wait_for_selector(".run .keep")
    assert page.locator(".run .chart .curve").count() == 2
    take_picture(page, "training-wide")
    page.fill(".run input.name", "learned")
    page.click(".run .keep")
    page.wait_for_selector("[data-model='learned.json']")
    ranker = LinearRanker(AP(), "simplex", n_restarts=2, seed=3).fit_dataset(project.data("train.npz"))
    assert (project.folder / "learned.json").read_bytes() == ranker.model_.to_json()
    assert page.locator(".run").count() == 0
    page.select_option("[data-model='learned.json'] select", "sql")
    page.wait_for_selector("#exported pre")
    page.click("[data-model='learned.json'] >> text=load")
    page.wait_for_url(re.compile("#.*w="))
    settled(page, lambda: ranker.value_)
    (project.folder / "learned.json").unlink()


def test_two_tabs_and_a_server_that_goes_and_comes_back(project: Project, open_page) -> None:
    with StudioServer(project, port=0).in_background() as first:
        access = first.access
        tab, other = open_page(first), open_page(first, "#metric=RR&w=f2=1")
        assert tab.get_attribute("#value", "data-value") != other.get_attribute("#value", "data-value")
        assert tab.is_hidden("#trouble")
    tab.fill("[data-feature=f1] input[type=number]", "3")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#trouble")
    with StudioServer(project, port=access.port, token=access.token).in_background():
        tab.wait_for_selector("#trouble", state="hidden")
        assert weights_in_address(tab)["f1"] == 3
        data = project.data("train.npz")
        settled(tab, lambda: float(evaluate(data.scores([3, 1, 1, 1]), data, ["AP"]).means[0]))
    with StudioServer(project, port=access.port).in_background():  # with another token
        tab.fill("[data-feature=f1] input[type=number]", "4")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#trouble:has-text('started anew')")


LOOKS = {
    "wide": {"viewport": {"width": 1280, "height": 860}},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
READY = {"weights": "#follow svg", "surface": "#optimum", "ranking": ".document", "learn": "#models"}


def address(weights: dict[str, float], **parts: str) -> str:
    """Return a view as the page writes it into its address, the first three features drawn."""
    names = [quote(name, safe="") for name in weights]
    listed = ",".join(f"{name}={weight}" for name, weight in zip(names, weights.values(), strict=True))
    return f"#{urlencode({**parts, 'features': ','.join(names[:3]), 'w': listed})}"


@pytest.fixture
def shown(server: StudioServer) -> Iterator[tuple[StudioServer, str]]:
    """Return the studio to take pictures of, and the view to begin with."""
    if folder := os.environ.get("RANKMAX_STUDIO_PROJECT"):
        weights = {"dirichlet": 0.8, "ordered": 0.1, "unordered(most=57)": 0.1, "bm25:name": 0.05}
        with StudioServer(Project.at(folder), port=0).in_background() as other:
            yield other, address(weights, follow="bm25:name", reference="feature:dirichlet")
    else:
        yield server, address({"f1": 1.0, "f2": 2.0, "f3": 1.0}, follow="f2")


@pytest.mark.parametrize("look", LOOKS)
def test_pages_fit(shown: tuple[StudioServer, str], open_page, look: str) -> None:
    page = open_page(*shown, **LOOKS[look])
    for name, ready in READY.items():
        page.click(f"nav >> text={name.capitalize()}")
        page.wait_for_selector(ready)
        assert page.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
        take_picture(page, f"{name}-{look}")
