"""The whole way from runs and qrels to the verdict and the export, by mouse and by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oracles.run_files import NASTY, write_runs
from rankmax.api.tune import tune
from rankmax.engines.registry import export_model
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project

FILES = ("qrels.txt", "bm25.run", "e5.run", "splade.run")
WIDTHS = {"wide": 1280, "tablet": 820, "phone": 420}
THEMES = ("light", "dark")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_runs(folder)
    return folder


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """Serve an empty project, to which the first test adds runs."""
    with StudioServer(Project.at(tmp_path_factory.mktemp("project")), port=0).in_background() as serving:
        yield serving


@pytest.fixture(scope="module")
def summary(files: Path) -> dict[str, Any]:
    return tune([files / name for name in FILES[1:]], files / FILES[0], ["AP", "P@1"], current="e5").summary


def shown_rows(page: Any) -> dict[str, list[str]]:
    """Return the table of held-out values as it is shown, by the name of the row."""
    cells = page.locator("table:has(caption:text('all fusion methods')) tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )
    return {name: numbers for name, *numbers in cells}


def test_by_mouse_from_files_to_export(studio: StudioServer, files: Path, summary: dict[str, Any], open_page) -> None:
    page = open_page(studio, "")
    assert page.is_disabled("#tune")
    page.set_input_files("#tuning-files", [files / name for name in FILES])
    page.wait_for_selector("#tune:enabled")
    page.fill("#tuning-metric", "AP")
    page.fill("#tuning-second", "P@1")
    page.fill("#current", "e5")
    page.click("#tune")
    page.wait_for_selector("#tuning-heading")
    verdict = summary["verdict"]
    assert page.inner_text(".pill").lower() == verdict["word"]
    assert verdict["text"].partition(": ")[2] in page.inner_text(".verdict")
    rows = shown_rows(page)
    for row in summary["rows"][2:]:
        assert rows[row["name"]][0] == f"{row['mean']:.4f}"
        assert rows[row["name"]][2] == f"{row['gain']:+.4f}{row['marker']}".replace("-", "\N{MINUS SIGN}")
    assert f"{summary['best']['value']:.4f}" in page.inner_text("section:has(> h2:text('over all weights'))")
    assert page.locator(".surface-picture").get_attribute("aria-label").startswith("AP over the weights of")
    page.select_option("#target", "sql")
    model = tune([files / name for name in FILES[1:]], files / FILES[0], ["AP", "P@1"], current="e5").model
    page.wait_for_selector(".code pre:has-text('SELECT')")
    assert page.inner_text(".code pre").strip() == export_model(model, "sql").text.strip()
    assert NASTY in page.inner_text("section:has(> h2:text('Winners'))")
    assert page.title() == f"{page.inner_text('#project')} - rankmax studio"


def test_by_keyboard_alone_and_two_tunings_compared(studio: StudioServer, summary: dict[str, Any], open_page) -> None:
    page = open_page(studio, "")
    page.wait_for_selector("#tuning-heading")

    def tab_to(selector: str) -> None:
        for _ in range(60):
            if page.locator(f"{selector}:focus").count():
                return
            page.keyboard.press("Tab")
        raise AssertionError(selector)

    tab_to("[value='splade.run']")
    page.keyboard.press("Space")
    tab_to("#tuning-metric")
    page.keyboard.press("Control+A")
    page.keyboard.type("AP")
    tab_to("#tune")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tuning >> text=tuning-2", state="attached")
    page.wait_for_selector("#tuning-heading:focus")
    tab_to("svg[aria-label^='gain in AP']")
    page.keyboard.press("ArrowDown")
    assert page.inner_text(".plot-tip:not(:empty)").startswith("pick: ")
    tab_to("svg[aria-label^='difference in AP']")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    last = page.locator(".rankings option").last.get_attribute("value")
    assert page.input_value(".rankings select") == last
    tab_to(".copy")
    page.keyboard.press("Enter")
    page.wait_for_selector(".copy:text-matches('Copied|Selected')")
    page.select_option("#against", "tuning-1")
    compared = page.inner_text("table:has(caption:text('side by side'))")
    assert f"{summary['rows'][0]['mean']:.4f}" in compared
    assert "weight of splade" in compared


def test_a_mistake_is_told_and_a_tuning_stopped(studio: StudioServer, open_page) -> None:
    page = open_page(studio, "")
    page.wait_for_selector("#tune:enabled")
    page.fill("#tuning-metric", "nDGC")
    page.click("#tune")
    page.wait_for_selector("#status.error:has-text('did you mean')")
    page.fill("#tuning-metric", "AP")
    page.click("#tune")
    page.click("#tuning-progress button")
    page.wait_for_selector("#status.error:has-text('stopped')")
    page.wait_for_selector("#tune:enabled")


@pytest.mark.parametrize("size", WIDTHS)
def test_nothing_is_wrong_for_those_who_cannot_see(
    studio: StudioServer, open_page, browser, violations: Callable[[Any], list[str]], tmp_path: Path, size: str
) -> None:
    """At every size, in light and dark: the page, and the report that is saved from it."""
    view = {"viewport": {"width": WIDTHS[size], "height": 860}}
    page = open_page(studio, "", **view)
    page.wait_for_selector("#tuning-heading")
    with page.expect_download() as download:
        page.click("#save-report")
    path = tmp_path / "tuning.html"
    download.value.save_as(path)
    report = browser.new_page(**view)
    try:
        report.goto(path.as_uri())
        report.wait_for_selector(".banner")
        for shown in (page, report):
            assert shown.evaluate("document.documentElement.scrollWidth") <= WIDTHS[size]
            for theme in THEMES:
                shown.emulate_media(color_scheme=theme)
                assert violations(shown) == []
    finally:
        report.close()
