from __future__ import annotations

import csv

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.formats.npz import write_npz
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.query_lists import ordered_queries
from rankmax.workflows.projects.side_by_side import side_by_side
from rankmax.workflows.projects.workbench import Workbench

VIEW = "#page=ranking&metric=AP&reference=uniform&w=f1=1,f2=-0.5,f3=2"


def test_rankings_are_those_of_the_library(server, project: Project, open_page) -> None:
    page = open_page(server, VIEW)
    data = project.data("train.npz")
    page.wait_for_selector("[data-id]")
    query = page.locator(".queries [aria-selected=true]").get_attribute("data-query")
    models = (LinearModel(weights, data.feature_names) for weights in (np.ones(4), [1.0, -0.5, 2.0, 0.0]))
    documents = side_by_side(data, query, *models, depth=15).documents
    for column, key in enumerate(("first", "second")):
        expected = [d.id for d in sorted(documents, key=lambda d, key=key: getattr(d, key).rank)]
        shown = page.locator(".column").nth(column).locator("[data-id]")
        assert [item.get_attribute("data-id") for item in shown.all()] == expected
    files = page.saved("#both > p")
    assert all(files["SVG"].count(f">{document.id}<".encode()) == 2 for document in documents), "both columns"
    rows = list(csv.DictReader(files["CSV"].decode().splitlines()))
    assert [(row["document"], int(row["rank_current"])) for row in rows] == [(d.id, d.second.rank) for d in documents]

    page.focus("[data-id] button >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector("#parts")
    assert page.evaluate("() => document.activeElement.parentElement.dataset.id") == documents[0].id
    rows = list(csv.DictReader(page.saved("#parts")["CSV"].decode().splitlines()))
    assert {row["feature"]: float(row["reference"]) for row in rows} == pytest.approx(documents[0].first.contributions)
    added = {row["feature"]: float(row["current"]) for row in rows if float(row["current"])}
    assert added == pytest.approx({k: v for k, v in documents[0].second.contributions.items() if v})

    page.locator("[data-id] button").nth(1).click(modifiers=["Shift"])
    page.wait_for_selector("#parts:has-text('Difference of each feature')")
    rows = list(csv.DictReader(page.saved("#parts")["CSV"].decode().splitlines()))
    first, second = documents[:2]
    assert sum(float(row["current"]) for row in rows) == pytest.approx(first.second.score - second.second.score)
    for row in rows:
        assert float(row[second.id]) == second.values[row["feature"]]


def test_queries_are_chosen_by_gain_by_words_and_by_keyboard(server, open_page) -> None:
    page = open_page(server, f"{VIEW}&order=loss")
    page.wait_for_selector("[data-id]")
    gains = [float(text.replace("\N{MINUS SIGN}", "-")) for text in page.locator(".gain").all_inner_texts()]
    assert gains == sorted(gains)
    page.focus(".queries")
    page.keyboard.press("ArrowDown")
    assert page.locator(".queries li").nth(1).get_attribute("aria-selected") == "true"
    page.fill("[aria-label='Find a query']", "number 7")
    page.wait_for_selector("#both h2:has-text('wing number 7')")
    assert page.locator(".queries li").count() == 1
    page.fill("[aria-label='Find a query']", "no such words")
    page.wait_for_selector("text=0 queries found")


def test_relevant_documents_below_are_listed_and_can_be_opened(tmp_path, open_page) -> None:
    data = planted_linear(3, 60, 3, noise=1.0, seed=6).data
    write_npz(data, tmp_path / "train.npz")
    with StudioServer(Project.at(tmp_path), port=0).in_background() as studio:
        page = open_page(studio, f"#page=ranking&metric=AP&reference=uniform&query={data.query_ids[0]}&w=f1=1")
        page.wait_for_selector(".further tbody tr")
        models = (LinearModel(weights, data.feature_names) for weights in ([1.0] * 3, [1.0, 0.0, 0.0]))
        further = side_by_side(data, data.query_ids[0], *models, depth=15).further
        rows = page.locator(".further tbody tr")
        assert [int(row.locator("td").nth(2).inner_text()) for row in rows.all()] == [d.second.rank for d in further]
        page.click(".further button >> nth=0")
        page.wait_for_selector(f".detail h2:has-text('{further[0].id}')")
        box = page.locator(".detail").bounding_box()
        assert box["y"] < 860, "the explanation is in view"


@pytest.mark.parametrize("order", ["low", "unjudged"])
def test_queries_are_listed_by_value(server, project: Project, open_page, order: str) -> None:
    page = open_page(server, f"{VIEW}&order={order}")
    page.wait_for_selector("[data-id]")
    data = project.data("train.npz")
    reference, current = (LinearModel(w, data.feature_names) for w in (np.ones(4), [1.0, -0.5, 2.0, 0.0]))
    listed = ordered_queries(Workbench(data), reference, current, AP(), order)
    shown = [item.get_attribute("data-query") for item in page.locator(".queries li").all()]
    assert shown == [query.id for query in listed]


def test_a_weight_is_dragged_beside_the_ranking(server, open_page) -> None:
    page = open_page(server, VIEW)
    page.wait_for_selector("[data-id]")
    scores = page.locator(".column >> nth=1 >> .score").all_inner_texts()
    page.drag(".dock [data-feature=f2] input[type=range]", (0.4, 0.5), (0.9, 0.5))
    page.until(lambda: page.locator(".column >> nth=1 >> .score").all_inner_texts() != scores)


def test_hostile_text_is_only_text(server, open_page) -> None:
    page = open_page(server, "#page=ranking&order=data")
    page.wait_for_selector("mark")
    page.click("[data-query=q0]")
    page.wait_for_selector("#both h2:has-text('<script>')")
    assert page.locator("main script, main img").count() == 0
    assert page.title().startswith("project")
    saved = page.saved("#both > p")["SVG"]
    assert b"<script" not in saved
    assert b"<img" not in saved
