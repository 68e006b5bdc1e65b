from __future__ import annotations

import csv

import numpy as np
import pytest

from rankmax.models import LinearModel
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.side_by_side import side_by_side

VIEW = "#page=ranking&metric=AP&w=f1=1,f2=-0.5,f3=2"


def test_rankings_are_those_of_the_library(server, project: Project, open_page) -> None:
    page = open_page(server, VIEW)
    data = project.data("train.npz")
    page.wait_for_selector("[data-id]")
    query = page.locator(".queries [aria-selected=true]").get_attribute("data-query")
    models = (LinearModel(weights, data.feature_names) for weights in (np.ones(4), [1.0, -0.5, 2.0, 0.0]))
    documents = side_by_side(data, query, *models, depth=15)
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


def test_queries_are_chosen_by_gain_by_words_and_by_keyboard(server, open_page) -> None:
    page = open_page(server, f"{VIEW}&order=loss")
    page.wait_for_selector("[data-id]")
    gains = [float(text.strip("▲▼").replace("\N{MINUS SIGN}", "-")) for text in page.locator(".gain").all_inner_texts()]
    assert gains == sorted(gains)
    page.focus(".queries")
    page.keyboard.press("ArrowDown")
    assert page.locator(".queries li").nth(1).get_attribute("aria-selected") == "true"
    page.fill("[aria-label='Find a query']", "number 7")
    page.wait_for_selector("#both h2:has-text('wing number 7')")
    assert page.locator(".queries li").count() == 1
    page.fill("[aria-label='Find a query']", "no such words")
    page.wait_for_selector("text=0 queries found")


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
