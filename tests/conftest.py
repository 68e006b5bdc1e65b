"""What every test may rely on: the oracles and tools on the path, hypothesis profiles, the folder of real data."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

# `from oracles.x import y`, and the parts of the project outside the package
sys.path[:0] = [str(ROOT / folder) for folder in ("", "tests", "tools", "docs/extensions")]

# The first example of a test may compile a kernel, so no example has a deadline and slowness is no fault.
settings.register_profile("default", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), max_examples=15, derandomize=True, print_blob=True)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))


@pytest.fixture(autouse=True)
def heed_interrupts() -> None:
    """Heed Ctrl-C, which background jobs of a shell ignore, and commands that have ended: tests send it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def use_threads(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what sets how many threads work from then on, whatever the machine has."""
    return lambda n: monkeypatch.setattr("numba.config.NUMBA_NUM_THREADS", n)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data: RANKMAX_DATA, else shared/data beside the repository."""
    folder = Path(os.environ.get("RANKMAX_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (set RANKMAX_DATA to its folder)")
    return folder


@pytest.fixture
def deployed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Write a project file into tmp_path, with a search engine that is running."""
    from oracles.deployed_project import deployed_project

    monkeypatch.setattr("rankmax.workflows.deployment.parallel_requests.FIRST_PAUSE", 0.01)
    for name in ("RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    with deployed_project(tmp_path) as project:
        yield project


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return a running Chromium."""
    pytest.importorskip("playwright", reason="needs playwright")
    from playwright.sync_api import Error, sync_playwright

    from chromium import NAMES, find_browser

    path = find_browser()
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed (`python tools/chromium.py` tries to)")
    with sync_playwright() as driver:
        try:
            running = driver.chromium.launch(executable_path=path)
        except Error as error:
            pytest.skip(f"{path} does not start: {error.message.splitlines()[0]}")
        yield running
        running.close()


@pytest.fixture(scope="session")
def violations() -> Callable[[Any], list[str]]:
    """Return a function that lists what axe-core finds wrong with a page, by rule and element."""
    source = ROOT / "tools" / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
    if not source.exists():
        pytest.skip("axe-core is not installed (`python tools/check_javascript.py` does)")
    axe = source.read_text(encoding="utf-8")

    def found(page: Any) -> list[str]:
        page.evaluate(axe)
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [f"{one['id']}: {node['html'][:120]}" for one in result["violations"] for node in one["nodes"]]

    return found
