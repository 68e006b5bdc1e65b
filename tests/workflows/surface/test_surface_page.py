from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import DataFormatError
from rankmax.metrics import parse_metric
from rankmax.workflows.surface.metric_surface import MetricSurface, metric_surface
from rankmax.workflows.surface.proven import with_proof
from rankmax.workflows.surface.surface_page import surface_data, write_page

DATA = planted_linear(20, 8, 3, noise=0.5, seed=3).data
SURFACE = metric_surface(DATA, ["f1", "f2", "f3"], parse_metric("AP"), resolution=9)


def page_of(surface: MetricSurface, folder: Path) -> str:
    write_page(surface, folder / "surface.html")
    return (folder / "surface.html").read_text(encoding="utf-8")


def content_of(page: str) -> dict:
    return json.loads(re.search(r'<script id="surface" type="application/json">(.*?)</script>', page, re.DOTALL)[1])


def test_holds_the_surface(tmp_path: Path) -> None:
    content = content_of(page_of(SURFACE, tmp_path))
    np.testing.assert_allclose(content["values"], SURFACE.values, atol=1e-5)
    assert content["plateau"] == np.flatnonzero(SURFACE.plateau).tolist()
    assert content["optimum"]["weights"] == SURFACE.optimum.weights.tolist()
    assert (content["features"], content["metric"], content["resolution"]) == (["f1", "f2", "f3"], "AP", 9)
    np.testing.assert_allclose(content["outline"], SURFACE.cells.outline(SURFACE.plateau), atol=1e-5)


def test_holds_what_is_proven(tmp_path: Path) -> None:
    assert content_of(page_of(SURFACE, tmp_path))["below"] is None
    proven = with_proof(SURFACE, DATA)
    assert proven.proof is not None
    content = content_of(page_of(proven, tmp_path))["below"]
    np.testing.assert_allclose(content["triangles"], proven.proof.vertices[proven.proof.is_below], atol=1e-4)
    assert content["share"] == 1 - proven.proof.at_most


def test_loads_nothing(tmp_path: Path) -> None:
    page = page_of(SURFACE, tmp_path)
    addresses = set(re.findall(r"\w+://[^\"' )]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "a name, not an address"
    assert not re.search(r"\b(src|href|import|fetch|url)\s*[=(]", page)


def test_the_finest_is_below_a_megabyte(tmp_path: Path) -> None:
    surface = metric_surface(
        planted_linear(10, 5, 3, noise=1.0, seed=3).data, ["f1", "f2", "f3"], parse_metric("AP"), resolution=300
    )
    assert len(page_of(surface, tmp_path)) < 1_000_000


def test_no_name_can_end_the_script(tmp_path: Path) -> None:
    names = ["</script><script>alert(1)</script>", "<!--", 'a"b']
    data = planted_linear(10, 5, 3, seed=3).data
    data = RankingDataset(data.features, tuple(names), data.judgments, data.rows)
    page = page_of(metric_surface(data, names, parse_metric("AP"), resolution=3), tmp_path)
    assert content_of(page)["features"] == names
    assert page.count("<script") == page.count("</script>") == 2


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="no folder"):
        write_page(SURFACE, tmp_path / "gone" / "surface.html")


def test_a_share_measured_elsewhere() -> None:
    assert surface_data(SURFACE, plateau_share=0.25)["plateauShare"] == 0.25
    assert surface_data(SURFACE)["plateauShare"] == SURFACE.plateau_share
