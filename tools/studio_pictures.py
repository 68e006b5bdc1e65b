"""Take the studio's pictures of the documentation, on the runs of DL19: python tools/studio_pictures.py.

RANKMAX_DATA names the folder of real data. Pictures are written to docs/images/studio.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from chromium import find_browser
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

ROOT = Path(__file__).parent.parent
RUNS = Path(os.environ.get("RANKMAX_DATA") or ROOT.parent / "shared" / "data") / "runs" / "dl19-passage"
PICTURES = ROOT / "docs" / "images" / "studio"
TUNED = ("bm25", "e5", "splade")
WAIT = 300_000  # milliseconds: a tuning takes a minute


def write_project(folder: Path) -> None:
    """Write three runs to tune, and all six as the features of training and test queries."""
    for name in TUNED:
        (folder / f"{name}.run").write_bytes(gzip.decompress((RUNS / f"{name}.run.gz").read_bytes()))
    (folder / "qrels.txt").write_bytes(gzip.decompress((RUNS / "qrels.trec.gz").read_bytes()))
    runs = sorted(map(str, RUNS.glob("*.run.gz")))
    with tempfile.TemporaryDirectory() as elsewhere:
        joined = f"{elsewhere}/joined.npz"
        parts = [str(folder / "train.npz"), str(folder / "test.npz"), "--fraction", "0.8", "--fraction", "0.2"]
        for command in (
            ["join", str(RUNS / "qrels.trec.gz"), *runs, "--missing", "minimum", "-o", joined],
            ["split", joined, *parts],
        ):
            subprocess.run([sys.executable, "-m", "rankmax", "data", *command], check=True, capture_output=True)


def take(page: Page, name: str, ready: str) -> None:
    """Take a picture when something is shown."""
    page.wait_for_selector(ready)
    page.wait_for_selector("[aria-busy]", state="detached")
    page.mouse.move(0, 0)
    page.screenshot(path=PICTURES / f"{name}.png")


def take_verdict(page: Page) -> None:
    """Take a picture of a tuning from its heading to the end of the table of all fusion methods."""
    top, table = (page.locator(part).first.bounding_box() for part in ("#tuning-heading", ".tuning .numbers"))
    assert top is not None
    assert table is not None
    upper, lower = top["y"] - 12, table["y"] + table["height"] + 6
    clip: FloatRect = {"x": top["x"] - 32, "y": upper, "width": top["width"] + 64, "height": lower - upper}
    page.screenshot(path=PICTURES / "tune-wide.png", full_page=True, clip=clip)


def take_all(browser: Browser, address: str) -> None:
    """Take the pictures of every page."""
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(WAIT)
    page.goto(f"{address}#page=weights")
    take(page, "weights-wide", "#follow svg")
    page.click("nav >> text=Surface")
    take(page, "surface-wide", "#optimum")
    page.click("nav >> text=Ranking")
    page.click("[data-id] button >> nth=0")
    page.locator("[data-id] button").nth(1).click(modifiers=["Shift"])
    take(page, "ranking-wide", "#parts:has-text('Difference')")
    page.click("nav >> text=Learn")
    page.fill("#option-n_restarts", "3")
    page.click("#start")
    take(page, "training-wide", ".run .result")
    page.click(".run .keep")
    page.select_option("[data-model='direct-1.json'] select", "sql")
    page.wait_for_selector("#exported pre")
    page.locator("[aria-label='Saved models']").evaluate("panel => panel.scrollIntoView({ block: 'end' })")
    take(page, "learn-wide", "#models")
    page.click("nav >> text=Tune")
    page.click("#tune")
    page.wait_for_selector("#tuning-heading")
    page.reload()  # without the message that it is kept
    page.wait_for_selector("svg[aria-label^='gain in']")
    take_verdict(page)
    phone = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    phone.goto(f"{address}#page=surface")
    take(phone, "surface-phone", "#optimum")


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as parent, sync_playwright() as driver:
        folder = Path(parent) / "dl19"
        folder.mkdir()
        write_project(folder)
        with StudioServer(Project.at(folder), port=0).in_background() as server:
            take_all(driver.chromium.launch(executable_path=find_browser()), server.access.address)


if __name__ == "__main__":
    main()
