"""A metric surface at increasing resolution, row by row: a first view at once, and nothing computed twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankmax._arrays import F64
from rankmax.workflows.surface.surface_lines import SurfaceLines
from rankmax.workflows.surface.triangles import SimplexCells

RESOLUTIONS = (7, 21, 63)
"""Rows at each level. With three times as many rows, a row's middle line is that of the middle one of its three."""


@dataclass(frozen=True, eq=False)
class SurfaceRow:
    """A row of cells with their values.

    Attributes
    ----------
    resolution : int
        Number of rows at its level.
    row : int
    values : array
        Mean of the metric over each cell's segment of the row's middle line.
    """

    resolution: int
    row: int
    values: F64


def surface_levels(lines: SurfaceLines, resolutions: tuple[int, ...] = RESOLUTIONS) -> Iterator[SurfaceRow]:
    """Yield the rows of a surface at several resolutions, the coarsest first.

    The last level has the values that :func:`~rankmax.workflows.surface.metric_surface.metric_surface` gives at its
    resolution. Every line is searched once: the lines of a coarse level are also lines of the last one, and its cells
    consist of whole cells there.

    Parameters
    ----------
    lines : SurfaceLines
        Lines over three features.
    resolutions : tuple of int
        Numbers of rows, each an odd multiple of the one before.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> lines = SurfaceLines(planted_linear(30, 10, 3, seed=1).data, ["f1", "f2", "f3"], AP())
    >>> [(row.resolution, row.row, row.values.size) for row in surface_levels(lines, (1, 3))]
    [(1, 0, 1), (3, 0, 5), (3, 1, 3), (3, 2, 1)]
    """
    lines.require(3)
    finest = SimplexCells(resolutions[-1])
    followed: dict[int, F64] = {}
    for resolution in resolutions:
        n_parts = finest.resolution // resolution
        for row in range(resolution):
            middle = row * n_parts + n_parts // 2
            if middle not in followed:
                followed[middle] = lines.row_values(finest, middle)
            yield SurfaceRow(resolution, row, followed[middle].reshape(-1, n_parts).mean(axis=1))
