"""Plots of metric surfaces, on axes or as PNG, SVG or a web page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64
from rankmax._io.figures import figure_file, plain
from rankmax.errors import InvalidParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmax.workflows.surface.metric_surface import MetricSurface

_CORNERS = np.array([[0.5, 0.75**0.5], [0.0, 0.0], [1.0, 0.0]])  # where a weight is 1: the first is at the top
_TICKS = (0.2, 0.4, 0.6, 0.8)
_GREY = "0.35"
_SHADE = 0.3


def surface_plot(surface: MetricSurface, path: str | os.PathLike[str]) -> None:
    """Draw a surface as a triangle whose corners give one feature all the weight.

    Cells are colored by value, the plateau is outlined, the optimum is a star, and the region proven to be below the
    plateau is shaded. Colors (viridis) grow lighter with the value, so they also work in gray and for every kind of
    color vision.

    Parameters
    ----------
    surface : MetricSurface
    path : path
        File to write; its suffix, .png, .svg or .html, selects the format. A page shows the value under the mouse or
        the arrow keys and is self-contained. The same input gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.surface.metric_surface import metric_surface
    >>> data = planted_linear(30, 10, 4, noise=0.5, seed=1).data
    >>> surface = metric_surface(data, ["f1", "f3", "f4"], AP(), resolution=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     surface_plot(surface, Path(folder, "surface.html"))
    ...     Path(folder, "surface.html").read_text()[:15]
    '<!doctype html>'
    """
    require_picture(path)
    if Path(path).suffix.lower() == ".html":
        from rankmax.workflows.surface.surface_page import write_page

        write_page(surface, path)
        return
    with figure_file(path, "drawing a surface", size=(7.4, 6.6)) as figure:
        draw_surface(figure.add_subplot(), surface)
        figure.legend(loc="outside upper left", frameon=False, fontsize=9)


def require_picture(path: str | os.PathLike[str]) -> None:
    """Raise an error for a name whose suffix is not a known format; to be called before anything is computed.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> require_picture("surface.pdf")
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: cannot draw 'surface.pdf': the name must end in .png, .svg or .html
    """
    if Path(path).suffix.lower() not in (".png", ".svg", ".html"):
        raise InvalidParameterError(f"cannot draw {os.fspath(path)!r}: the name must end in .png, .svg or .html")


def to_plane(weights: F64) -> F64:
    """Return the coordinates of weights in the picture: the weighted mean of the corners.

    Parameters
    ----------
    weights : array, shape (..., 3)

    Examples
    --------
    >>> to_plane(np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 0.5]]))
    array([[1. , 0. ],
           [0.5, 0. ]])
    """
    placed: F64 = weights @ _CORNERS
    return placed


def draw_surface(axes: Axes, surface: MetricSurface) -> None:
    """Draw a surface on axes, with a bar of its colors.

    Parameters
    ----------
    axes : matplotlib axes
    surface : MetricSurface
    """
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    # Without antialiasing, which would let the background through between cells; one image in an SVG.
    heat = PolyCollection(
        list(to_plane(surface.cells.corners)), array=surface.values, cmap="viridis", antialiased=False, rasterized=True
    )
    axes.add_collection(heat)
    if surface.proof is not None and surface.proof.is_below.any():
        below = to_plane(surface.proof.vertices[surface.proof.is_below])
        # One path, so that no side between two triangles is drawn twice.
        shade = Outline.make_compound_path(*(Outline([*corners, corners[0]], closed=True) for corners in below))
        axes.add_patch(
            PathPatch(
                shade,
                facecolor="black",
                edgecolor="none",
                alpha=_SHADE,
                antialiased=False,
                rasterized=True,
                label=f"shaded: {1 - surface.proof.at_most:.0%}, proven to be below the plateau",
            )
        )
    best = surface.optimum
    weights = ", ".join(f"{plain(name)} {w:.3f}" for name, w in zip(surface.features, best.weights, strict=True))
    axes.plot(
        *to_plane(best.weights),
        linestyle="none",
        marker="*",
        markersize=15,
        color="white",
        markeredgecolor="black",
        zorder=4,
        label=f"best {best.value:.4f} at {weights}",
    )
    outline = list(to_plane(surface.cells.outline(surface.plateau)))
    share = f"plateau: {surface.plateau_share:.0%} within one standard error, {best.standard_error:.4f}"
    for color, width, label in (("white", 3.2, None), ("black", 1.2, share)):
        axes.add_collection(
            LineCollection(outline, color=color, linewidth=width, capstyle="round", zorder=3, label=label)
        )
    _frame(axes, surface.features)
    axes.figure.colorbar(heat, ax=axes, shrink=0.7, pad=0.02, label=f"mean {plain(surface.metric.name)}")


def _frame(axes: Axes, features: tuple[str, ...]) -> None:
    """Draw the sides, the grid lines with their weights, and the names at the corners."""
    axes.plot(*np.vstack([_CORNERS, _CORNERS[:1]]).T, color="black", linewidth=0.8)
    placements = (("center", "bottom"), ("center", "top"), ("center", "top"))
    outward = _CORNERS - _CORNERS.mean(axis=0)
    for j, (horizontal, vertical) in enumerate(placements):
        x, y = _CORNERS[j] + 0.07 * outward[j]
        axes.text(x, y, plain(features[j]), ha=horizontal, va=vertical, weight="bold")
        for tick in _TICKS:
            # From the side toward the next corner, where the previous weight is 0, to the other side.
            ends = np.zeros((2, 3))
            ends[:, j] = tick
            ends[0, (j + 1) % 3] = ends[1, (j + 2) % 3] = 1 - tick
            line = to_plane(ends)
            axes.plot(*line.T, color="white", linewidth=0.5, alpha=0.35)
            x, y = line[0] + 0.03 * (line[0] - line[1]) / np.linalg.norm(line[0] - line[1])
            axes.text(x, y, f"{tick:g}", ha="center", va="center", fontsize=7.5, color=_GREY)
    axes.set_aspect("equal")
    axes.set_axis_off()
