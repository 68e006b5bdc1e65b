from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from rankmax.evaluation.comparison import compare_systems
from rankmax.metrics import AP
from rankmax.workflows.demo.demo_page import finding, write_report
from rankmax.workflows.demo.demonstration import BASELINE, METRICS, Demo


@pytest.fixture(scope="module")
def page(small_demo: tuple[Demo, Path]) -> str:
    demo, folder = small_demo
    write_report(demo, folder)
    written = folder / "report.html"
    text = written.read_text()
    written.unlink()
    return text


@pytest.fixture(scope="module")
def content(page: str) -> dict:
    return json.loads(re.search(r'<script id="report" type="application/json">(.*?)</script>', page, re.S)[1])


def test_it_loads_nothing(page: str) -> None:
    for loading in (
        r"<(script|img|iframe|link)[^>]*(src|href)=(?![\"']?data:)",
        r"@import",
        r"url\(",
        r"fetch\(",
    ):
        assert not re.search(loading, page), loading
    assert set(re.findall(r"https?://[\w.]+", page)) <= {"http://www.w3.org"}  # the name of SVG
    assert "{{" not in page


@pytest.mark.parametrize("width", [1280, 820, 420])
def test_it_is_accessible_and_fits(page: str, browser, violations, tmp_path: Path, width: int) -> None:
    (tmp_path / "report.html").write_text(page)
    shown = browser.new_page(viewport={"width": width, "height": 860})
    try:
        shown.goto((tmp_path / "report.html").as_uri())
        shown.wait_for_selector("svg")
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        for theme in ("light", "dark"):
            shown.emulate_media(color_scheme=theme)
            assert violations(shown) == []
    finally:
        shown.close()


def test_what_it_draws_is_what_was_found(content: dict, small_demo: tuple[Demo, Path]) -> None:
    demo, _ = small_demo
    assert [one["metric"] for one in content["comparisons"]] == [metric.name for metric in METRICS]
    for shown, metric in zip(content["comparisons"], METRICS, strict=True):
        assert shown["baselineMean"] == pytest.approx(demo.values[metric][BASELINE].mean())
        for row in shown["rows"]:
            gains = np.array(content["gains"]["values"][metric.name][row["system"]])
            assert gains.mean() == pytest.approx(row["difference"], abs=1e-4)
            assert len(gains) == len(content["gains"]["queries"]) == len(demo.test)
    for model, learned in zip(content["models"], demo.learned, strict=True):
        assert [feature["weight"] for feature in model["features"]] == learned.model.weights.tolist()
    for curve in content["tuning"]:
        places = [place for place, _ in curve["points"]]
        assert places == sorted(places)
        assert max(value for _, value in curve["points"]) <= curve["value"] + 1e-5


def test_the_overview_of_steps_encloses_the_close_up(content: dict) -> None:
    profile = content["profile"]
    edges, lowest, highest = (np.array(profile["overview"][name]) for name in ("edges", "lowest", "highest"))
    assert (lowest <= highest).all()
    close = profile["close"]
    middles = (np.array(close["edges"])[1:] + np.array(close["edges"])[:-1]) / 2
    for middle, value in zip(middles, close["values"], strict=True):
        column = np.searchsorted(edges, middle) - 1
        if 0 <= column < len(lowest):
            assert lowest[column] - 1e-5 <= value <= highest[column] + 1e-5


def test_findings_say_what_is_not_known_too() -> None:
    rng = np.random.default_rng(1)
    base = rng.random(50)
    values = {"lm": base, "up": base + 0.1, "down": base - 0.1, "same": base + 0.01 * rng.standard_normal(50)}
    said = finding(AP(), compare_systems(values, "lm"))
    assert said == (
        "By AP, up ranks held-out queries better than the tuned lm; down ranks them worse; for same, the difference is "
        "not significant."
    )


@pytest.mark.skipif(shutil.which("node") is None, reason="node checks the script's syntax")
def test_the_script_is_a_script(page: str, tmp_path: Path) -> None:
    import subprocess

    script = page.rsplit("<script>", 1)[1].split("</script>")[0]
    (tmp_path / "page.js").write_text(script)
    assert subprocess.run(["node", "--check", tmp_path / "page.js"], check=False).returncode == 0
