"""Installation of engines: what cannot be had is named, and what is there is left as it is."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from engines import opensearch, solr, vespa
from engines.maven import NotInstalledError

ENGINES = {"opensearch": opensearch.install, "solr": solr.install, "vespa": vespa.install}
INSTALLED = {"version": opensearch.VERSION, "plugins": {"opensearch-knn": "Knn"}}
MARKERS = {"opensearch": "installed.json", "solr": "solr.json", "vespa": "vespa.json"}


@pytest.mark.parametrize("name", ["solr", "vespa"])
def test_without_java_the_reason_is_given(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not installed: there is no Java development kit" in ENGINES[name](tmp_path / name)
    assert not (tmp_path / name).exists()


def archive(folder: Path, version: str) -> None:
    """Write a plugin as OpenSearch releases it."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "opensearch-ltr.zip", "w") as content:
        lines = ["# a plugin", "name=opensearch-ltr", "classname=a.Plugin", f"opensearch.version={version}"]
        content.writestr("plugin-descriptor.properties", "\n".join(lines))
        content.writestr("own.jar", "own")
        content.writestr("shared.jar", "that of the plugin")
        content.writestr("../outside.jar", "no jar of a plugin")


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Return the folder of an installed node."""
    folder = tmp_path / "opensearch"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "shared.jar").write_text("that of the node")
    (folder / "installed.json").write_text(json.dumps(INSTALLED))
    return folder


def test_a_released_plugin_is_added_from_a_folder(node: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(tmp_path / "plugins", opensearch.VERSION)
    monkeypatch.setattr(opensearch, "copy_jars", lacks_the_plugin)
    told = opensearch.install(node)
    assert f"without opensearch-ltr; {opensearch.PLUGINS} may name a folder with its archive: it lacks ltr" in told
    monkeypatch.setenv(opensearch.PLUGINS, str(tmp_path / "plugins"))
    for _ in range(2):
        assert opensearch.install(node).endswith("with opensearch-knn and opensearch-ltr")
    assert opensearch.plugins(node) == {"opensearch-knn": "Knn", "opensearch-ltr": "a.Plugin"}
    found = {path.name: path.read_text() for path in (node / "lib").iterdir()}
    assert found == {"own.jar": "own", "shared.jar": "that of the node"}


def lacks_the_plugin(coordinates: Iterable[str], folder: Path, alone: Iterable[str]) -> None:
    """Fail as a repository without the plugin does."""
    raise NotInstalledError("it lacks ltr")


def test_a_released_plugin_is_added_from_a_repository(node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def copy_jars(coordinates: Iterable[str], folder: Path, alone: Iterable[str]) -> None:
        asked.extend([*coordinates, *alone])
        archive(folder, opensearch.VERSION)

    monkeypatch.delenv(opensearch.PLUGINS, raising=False)
    monkeypatch.setattr(opensearch, "copy_jars", copy_jars)
    for _ in range(2):
        assert opensearch.install(node).endswith("with opensearch-knn and opensearch-ltr")
    assert asked == [f"org.opensearch:ltr:{opensearch.VERSION}.0:zip"]
    assert (node / "lib" / "own.jar").read_text() == "own"


def test_a_plugin_of_another_version_is_refused(node: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(tmp_path / "plugins", "2.19.1")
    monkeypatch.setattr(opensearch, "copy_jars", lacks_the_plugin)
    monkeypatch.setenv(opensearch.PLUGINS, str(tmp_path / "plugins"))
    assert "is a plugin of OpenSearch 2.19.1, and the node is" in opensearch.install(node)
    assert "opensearch-ltr" not in opensearch.plugins(node)


@pytest.mark.parametrize("name", ENGINES)
def test_what_is_installed_is_left_as_it_is(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / MARKERS[name]).write_text(json.dumps(INSTALLED))
    monkeypatch.setenv("PATH", "")  # with which nothing could be installed
    assert "not installed" not in ENGINES[name](tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [MARKERS[name]]
