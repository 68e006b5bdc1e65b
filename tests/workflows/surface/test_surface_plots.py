from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.metrics import parse_metric
from rankmax.optimizers.survey import Survey
from rankmax.workflows.surface import surface_plots as surface_plots
from rankmax.workflows.surface.metric_surface import MetricSurface, Optimum, metric_surface
from rankmax.workflows.surface.surface_plots import surface_plot, to_plane
from rankmax.workflows.surface.triangles import SimplexCells

DATA = planted_linear(20, 8, 3, noise=0.5, seed=3).data
SURFACE = metric_surface(DATA, ["f1", "f2", "f3"], parse_metric("AP"), resolution=9)
CORNERS = {"top": (0.5, 0.75**0.5), "left": (0.0, 0.0), "right": (1.0, 0.0)}


def sloped(toward: int, resolution: int = 30) -> MetricSurface:
    """The value is the weight of one feature."""
    cells = SimplexCells(resolution)
    return MetricSurface(
        ("first", "second", "third"),
        parse_metric("AP"),
        cells,
        cells.points[:, toward],
        Optimum(np.eye(3)[toward], 1.0, 0.25),
    )


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Draw as users do, and keep the figure to look at."""
    pytest.importorskip("matplotlib")
    figures = []
    draw = surface_plots.draw_surface
    monkeypatch.setattr(
        surface_plots, "draw_surface", lambda axes, *rest: (figures.append(axes.figure), draw(axes, *rest))
    )

    def surface_figure(surface: MetricSurface):
        surface_plot(surface, tmp_path / "plot.png")
        return figures[-1]

    return surface_figure


def text_at(axes, name: str) -> np.ndarray:
    return next(np.array(text.get_position()) for text in axes.texts if text.get_text() == name)


def test_corners_of_the_picture() -> None:
    np.testing.assert_allclose(to_plane(np.eye(3)), list(CORNERS.values()))


@pytest.mark.parametrize(("toward", "corner"), list(enumerate(CORNERS)))
def test_each_feature_rules_at_the_corner_with_its_name(drawn, toward: int, corner: str) -> None:
    surface = sloped(toward)
    axes = drawn(surface).axes[0]
    expected = np.array(CORNERS[corner])
    assert np.linalg.norm(text_at(axes, surface.features[toward]) - expected) < 0.1
    heat = axes.collections[0]
    centers = np.array([path.vertices[:3].mean(axis=0) for path in heat.get_paths()])
    assert np.linalg.norm(centers[np.argmax(heat.get_array())] - expected) < 0.05
    star = next(line for line in axes.lines if line.get_marker() == "*")
    np.testing.assert_allclose(np.ravel(star.get_data()), expected)


def test_the_picture_itself_is_light_where_the_value_is_large(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    surface_plot(sloped(2), tmp_path / "plot.png")
    pixels = imread(tmp_path / "plot.png")[..., :3]
    height, width, _ = pixels.shape
    yellow = np.argwhere(np.linalg.norm(pixels - [0.993, 0.906, 0.144], axis=2) < 0.15)
    yellow = yellow[yellow[:, 1] < 0.86 * width]  # not the color bar
    row, column = np.median(yellow, axis=0) / [height, width]
    assert row > 0.8
    assert column > 0.6


def test_plateau_is_outlined_and_told(drawn) -> None:
    surface = sloped(0, resolution=20)
    figure = drawn(surface)
    outline = np.array(figure.axes[0].collections[-1].get_segments())
    # Weights of 0.75 and more of the first feature: a triangle of a quarter of the height.
    assert outline[..., 1].min() == pytest.approx(0.75 * 0.75**0.5)
    assert len(outline) == 3 * 5
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == [
        "best 1.0000 at first 1.000, second 0.000, third 0.000",
        "plateau: 6% within one standard error, 0.2500",
    ]


def test_numbers_stand_beside_the_sides_they_count(drawn) -> None:
    axes = drawn(SURFACE).axes[0]
    ticks = [np.array(text.get_position()) for text in axes.texts if text.get_text() == "0.8"]
    nearest = [{name: np.linalg.norm(tick - corner) for name, corner in CORNERS.items()} for tick in ticks]
    assert [min(distances, key=distances.get) for distances in nearest] == ["top", "left", "right"]


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".html", b"<!doctype html>")])
def test_suffix_decides_the_format_and_bytes_repeat(tmp_path: Path, suffix: str, start: bytes) -> None:
    if suffix != ".html":
        pytest.importorskip("matplotlib")
    first, second = tmp_path / f"1{suffix}", tmp_path / f"2{suffix}"
    for path in (first, second):
        surface_plot(SURFACE, path)
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()


def test_a_flat_surface_can_be_drawn(drawn, tmp_path: Path) -> None:
    data = RankingDataset.from_arrays(np.ones((4, 3)), [1, 0, 1, 0], qid=[1, 1, 2, 2])
    flat = metric_surface(data, data.feature_names, parse_metric("AP"), resolution=5)
    drawn(flat)
    surface_plot(flat, tmp_path / "flat.html")


def test_other_suffix(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"plot.pdf': the name must end in \.png, \.svg or \.html"):
        surface_plot(SURFACE, tmp_path / "plot.pdf")
    assert not list(tmp_path.iterdir())


def test_shade_lies_on_what_is_proven_to_be_below(drawn) -> None:
    surface = sloped(0)
    assert not drawn(surface).axes[0].patches
    halves = np.array([[[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]], [[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]]])
    proof = Survey(0.5, halves, np.full(2, 0.5), np.array([True, False]), np.array([False, True]))
    (shade,) = drawn(replace(surface, proof=proof)).axes[0].patches
    path = shade.get_path()
    assert path.contains_point(to_plane(np.array([0.3, 0.2, 0.5])))
    assert not path.contains_point(to_plane(np.array([0.3, 0.5, 0.2])))
    assert "50%" in shade.get_label()
