from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from rankmax.studio.server import StudioServer
from rankmax.workflows.projects import embedded as embedded
from rankmax.workflows.projects.project import Project


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the addresses that a browser is told to open; the server ends at once."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setattr(StudioServer, "run", lambda server: server._socket.close())
    return addresses


def test_prints_the_address_and_opens_it(rankmax, letor_files: Path, opened: list[str]) -> None:
    done = rankmax("studio", "data.txt", "--port", "0")
    assert done.status == 0
    assert opened == [done.out.strip()]
    assert done.out.startswith("http://127.0.0.1:")
    assert "?token=" in done.out


def test_opens_nothing_if_told_so(rankmax, letor_files: Path, opened: list[str]) -> None:
    assert rankmax("studio", ".", "--no-browser", "--port", "0").status == 0
    assert opened == []


def test_makes_a_project_where_none_is_given(
    rankmax, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    monkeypatch.setattr(
        embedded, "embedded_project", lambda folder, say: made.append(folder) or Project(tmp_path, None)
    )
    assert rankmax("studio", "--port", "0").status == 0
    assert made == [Path("studio-project")]


def test_mistakes(rankmax, letor_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "does not exist" in rankmax("studio", "no-such").err
    assert "the name tells no format" in rankmax("studio", "good.scores").err
    monkeypatch.setitem(sys.modules, "rankmax.studio.server", None)
    assert "pip install 'rankmax[studio]'" in rankmax("studio", "data.txt").err
