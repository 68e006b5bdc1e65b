"""A metric surface as a self-contained web page with explanations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmax._io.files import atomic_writer
from rankmax._pages.self_contained import self_contained_page
from rankmax.optimizers.survey import Survey

if TYPE_CHECKING:
    from rankmax.workflows.surface.metric_surface import MetricSurface

_FOLDER = Path(__file__).parent


def write_page(surface: MetricSurface, path: str | os.PathLike[str]) -> None:
    """Write a page that draws a surface and shows the value of the cell under the mouse or the arrow keys.

    Parameters
    ----------
    surface : MetricSurface
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.surface.metric_surface import metric_surface
    >>> surface = metric_surface(planted_linear(30, 10, 3, seed=1).data, ["f1", "f2", "f3"], AP(), resolution=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(surface, f"{folder}/surface.html")
    """
    with atomic_writer(path) as file:
        file.write(
            self_contained_page(_FOLDER / "surface_page.html", _FOLDER / "surface_page.js", surface_data(surface))
        )


def surface_data(surface: MetricSurface, *, plateau_share: float | None = None) -> dict[str, Any]:
    """Return a surface as plain data, as the chart of all pages takes it (``_pages/charts/surface.js``).

    Parameters
    ----------
    surface : MetricSurface
    plateau_share : float, optional
        Share of the plateau to show, where it was measured otherwise; by default the share of the cells.
    """
    return {
        "features": surface.features,
        "metric": surface.metric.name,
        "resolution": surface.cells.resolution,
        "values": np.round(surface.values, 5).tolist(),
        "plateau": np.flatnonzero(surface.plateau).tolist(),
        "plateauShare": surface.plateau_share if plateau_share is None else plateau_share,
        "outline": np.round(surface.cells.outline(surface.plateau), 5).tolist(),
        "below": None if surface.proof is None else _below(surface.proof),
        "optimum": {
            "weights": surface.optimum.weights.tolist(),
            "value": surface.optimum.value,
            "standardError": surface.optimum.standard_error,
        },
    }


def _below(proof: Survey) -> dict[str, Any]:
    """Return the region proven to be below the plateau: its share, and its triangles."""
    return {"share": 1 - proof.at_most, "triangles": np.round(proof.vertices[proof.is_below], 4).tolist()}
