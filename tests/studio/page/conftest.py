"""The page in a real browser: what it shows is what the library computes, and it survives what happens to pages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlparse

import pytest

from rankmax.studio.server import StudioServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

WAIT = 240_000  # milliseconds: what is asked for may have to be compiled first, on a busy machine


class Shown:
    """A page of the studio as a browser shows it; what is not defined here is Playwright's."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)

    @property
    def weights(self) -> dict[str, float]:
        """Those in the address."""
        pairs = parse_qs(urlparse(self.page.url).fragment)["w"][0].split(",")
        return {unquote(name): float(weight) for name, weight in (pair.split("=") for pair in pairs)}

    def wait_for_address(self) -> None:
        """Wait until the address has what the page shows; it follows at a distance."""
        self.page.wait_for_selector("html:not([data-address='behind'])")

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        for _ in range(WAIT // 50):
            if condition():
                return
            self.page.wait_for_timeout(50)
        assert condition()

    def settle(self, expected: Callable[[], float], selector: str = "#value") -> None:
        """Wait until the page shows a value that the library computes from the weights in the address."""
        for _ in range(WAIT // 50):
            shown = self.page.get_attribute(selector, "data-value")
            if shown is not None and math.isclose(float(shown), expected(), abs_tol=1e-9):
                return
            self.page.wait_for_timeout(50)
        assert float(self.page.get_attribute(selector, "data-value") or "nan") == pytest.approx(expected(), abs=1e-9)

    def drag(self, selector: str, *places: tuple[float, float], steps: int = 8) -> None:
        """Press the mouse at the first of some places inside a box, given as shares, and move it to all others."""
        box = self.page.locator(selector).bounding_box()
        assert box is not None
        for number, (right, down) in enumerate(places):
            self.page.mouse.move(box["x"] + box["width"] * right, box["y"] + box["height"] * down, steps=steps)
            if number == 0:
                self.page.mouse.down()
        self.page.mouse.up()
        self.wait_for_address()

    def saved(self, scope: str) -> dict[str, bytes]:
        """Save a chart in every way, and return what was written."""
        files = {}
        for kind in ("SVG", "PNG", "CSV"):
            with self.page.expect_download() as download:
                self.page.click(f"{scope} button:text-is('{kind}')")
            files[kind] = Path(download.value.path()).read_bytes()
        assert files["SVG"].startswith(b"<svg")
        assert files["PNG"].startswith(b"\x89PNG")
        return files


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., Shown]]:
    """Return a function that opens a studio; at the end no page has complained or asked anybody else for anything."""
    complaints: list[str] = []
    contexts = []

    def opened(server: StudioServer, state: str = "#metric=AP&w=", **context: object) -> Shown:
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **context}))
        page = contexts[-1].new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        own = (server.access.origin, f"blob:{server.access.origin}")
        page.on("request", lambda request: request.url.startswith(own) or complaints.append(request.url))
        page.goto(server.access.address + state)
        page.wait_for_selector("#reading:not([aria-busy])", state="attached")
        shown = Shown(page)
        shown.wait_for_address()
        return shown

    yield opened
    for context in contexts:
        context.close()
    # What the browser itself says of a server that is gone, or of a question that is refused, as tests make happen.
    expected = re.compile(r"Failed to load resource: (net::ERR_CONNECTION_REFUSED|.*40[03])")
    assert [text for text in complaints if not expected.match(text)] == []
