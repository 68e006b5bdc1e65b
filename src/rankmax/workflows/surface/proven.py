"""Proven parts of a surface: on its plateau, and below it."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.optimizers.survey import survey
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.surface.metric_surface import MetricSurface

_FINER = 2  # further cuts below the size of a surface's cells
_DEEPEST = 14  # more triangles would make pages large, and be too small to see


def with_proof(
    surface: MetricSurface, data: RankingDataset, *, normalization: str | Normalization = "none"
) -> MetricSurface:
    """Return a surface with a proof of where all weights reach its plateau's level, and where none does.

    The surface's own values are means over segments of lines. The proof covers every weight: cells, cut to about a
    quarter of the surface's own, are bounded from both sides. Undecided cells lie along the plateau's border.

    Parameters
    ----------
    surface : MetricSurface
        Surface without fixed weights. For a metric that is not tabular nothing is proven, and it is returned unchanged.
    data : RankingDataset
        Data of the surface.
    normalization : Normalization or its name
        Normalization of the surface.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.surface.metric_surface import metric_surface
    >>> data = planted_linear(30, 10, 4, noise=0.5, seed=1).data
    >>> surface = with_proof(metric_surface(data, ["f1", "f3", "f4"], AP(), resolution=20), data)
    >>> 0 < surface.proof.at_least < surface.proof.at_most < 1
    True
    """
    prepared = Normalization.named(normalization).apply(data.select_features(surface.features))
    level = surface.optimum.value - surface.optimum.standard_error - SAME_VALUE
    depth = min(math.ceil(2 * math.log2(surface.cells.resolution)) + _FINER, _DEEPEST)
    with suppress(IncompatibleError):
        found = survey(LinearObjective(prepared, surface.metric), level, depth=depth)
        return replace(surface, proof=found)
    return surface
