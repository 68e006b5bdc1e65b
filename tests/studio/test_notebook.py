"""The studio in a frame of a notebook's page."""

from __future__ import annotations

import gc
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlparse

import pytest

import rankmax
from rankmax.data.synthetic import planted_linear
from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError
from rankmax.studio.notebook import Studio

DATA = planted_linear(12, 6, 3, seed=1).data
OTHER = planted_linear(12, 6, 3, seed=2).data


@pytest.fixture
def page(tmp_path: Path):
    opened = rankmax.studio({"train": DATA, "test": OTHER}, folder=tmp_path / "mine", port=0)
    yield opened
    opened.close()


def get(address: str, path: str, method: str = "GET", **headers: str):
    parts = urlparse(address)
    connection = HTTPConnection(parts.netloc, timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_the_frame_has_the_token_and_every_path_below_it_opens(page: Studio) -> None:
    assert f'src="{page.address}"' in page._repr_html_()
    below = urlparse(page.address).path
    for path in ("", "static/app.js", "static/charts/axes.js", "api/project"):
        assert get(page.address, below + path)[0].status == 200
    assert b"train.npz" in get(page.address, f"{below}api/project")[1]
    policy = get(page.address, below)[0].headers["content-security-policy"]
    assert policy.endswith("frame-ancestors http://127.0.0.1:* http://localhost:* vscode-webview:")


def test_without_the_token_nothing_is_shown(page: Studio) -> None:
    for path in ("/", "/api/project", "/static/app.js", "/wrong/api/project", "//api/project", "/wrong/"):
        assert get(page.address, path)[0].status == 403, path
    below = urlparse(page.address).path
    assert get(page.address, f"{below}api/runs/1", "DELETE", Origin="http://localhost:8888")[0].status == 403
    assert get(page.address, f"{below}api/project", Host="evil.example")[0].status == 421


def test_it_ends_when_it_is_closed_or_forgotten(tmp_path: Path) -> None:
    page = rankmax.studio(DATA, port=0)
    address, folder = page.address, page.folder
    assert (folder / "data.npz").is_file()
    page.close()
    assert not folder.exists()
    assert "closed" in repr(page)
    assert "closed" in page._repr_html_()
    with pytest.raises(ConnectionRefusedError):
        get(address, "/")
    page = rankmax.studio(DATA, port=0)
    folder = page.folder
    del page
    gc.collect()
    assert not folder.exists()


def test_a_cell_can_be_run_again_but_replaces_no_other_data(tmp_path: Path) -> None:
    for _ in range(2):
        rankmax.studio({"train": DATA}, folder=tmp_path, port=0).close()
    with pytest.raises(InvalidParameterError, match="exists already"):
        rankmax.studio({"train": OTHER}, folder=tmp_path, port=0)


@pytest.mark.parametrize(
    ("data", "error"), [("no-such-file.txt", DataFormatError), ({}, InvalidDataError), ({"a": 3}, InvalidDataError)]
)
def test_other_data_is_refused(data: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        rankmax.studio(data, port=0)


def test_the_name_is_callable_before_and_after_the_package_is_imported() -> None:
    import sys

    assert callable(sys.modules["rankmax.studio"])
    page = sys.modules["rankmax.studio"](DATA, port=0)
    assert isinstance(page, Studio)
    page.close()
