"""Installation of engines: what cannot be had is named, and what is there is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import opensearch, solr, vespa

ENGINES = {"opensearch": opensearch.install, "solr": solr.install, "vespa": vespa.install}
MARKERS = {"opensearch": ("node.json", "plugins.json"), "solr": ("solr.json",), "vespa": ("vespa.json",)}


@pytest.mark.parametrize("name", ["solr", "vespa"])
def test_without_java_the_reason_is_given(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not installed: there is no Java development kit" in ENGINES[name](tmp_path / name)
    assert not (tmp_path / name).exists()


def test_without_sources_the_node_has_no_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "node.json").touch()
    monkeypatch.setenv(opensearch.SOURCES, str(tmp_path / "nothing"))
    assert "without plugins: git failed: " in opensearch.install(tmp_path)
    assert opensearch.has_node(tmp_path)
    assert not opensearch.has_plugins(tmp_path)


@pytest.mark.parametrize("name", ENGINES)
def test_what_is_installed_is_left_as_it_is(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for marker in MARKERS[name]:
        (tmp_path / marker).touch()
    monkeypatch.setenv("PATH", "")  # with which nothing could be installed
    assert "not installed" not in ENGINES[name](tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(MARKERS[name])
