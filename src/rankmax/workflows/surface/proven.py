"""Which part of a surface is proven to be on its plateau, and which below."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import IncompatibleError
from rankmax.lines.objective import LinearObjective
from rankmax.optimizers.survey import survey
from rankmax.workflows.surface.surface import MetricSurface

_FINER = 2  # cuts beyond the size of a surface's cells
_DEEPEST = 14  # more triangles would make pages large, and nobody sees them
_SAME = 1e-9  # values that differ by less are the same, rounded differently


def with_proof(
    surface: MetricSurface, data: RankingDataset, *, normalisation: str | Normalisation = "none"
) -> MetricSurface:
    """Return a surface with what is proven of it: where all weights reach its plateau's level, and where none does.

    The surface's own values are means over stretches of lines. Here every weight counts: cells, cut to about a quarter
    of the surface's own, are bounded from both sides. What is left open lies along the plateau's border.

    Parameters
    ----------
    surface : MetricSurface
        With no weights held. Of a metric without tables nothing is proven, and it is returned as it is.
    data : RankingDataset
        What it was made for.
    normalisation : Normalisation or its name
        As it was made with.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.surface.surface import metric_surface
    >>> data = planted_linear(30, 10, 4, noise=0.5, seed=1).data
    >>> surface = with_proof(metric_surface(data, ["f1", "f3", "f4"], AP(), resolution=20), data)
    >>> 0 < surface.proof.at_least < surface.proof.at_most < 1
    True
    """
    prepared = Normalisation.named(normalisation).apply(data.select_features(surface.features))
    level = surface.optimum.value - surface.optimum.standard_error - _SAME
    depth = min(math.ceil(2 * math.log2(surface.cells.resolution)) + _FINER, _DEEPEST)
    with suppress(IncompatibleError):
        found = survey(LinearObjective(prepared, surface.metric), level, depth=depth)
        return replace(surface, proof=found)
    return surface
