"""Where a metric is above some level, and where below: proven, but for a rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, U8, Bool
from rankmax.lines.objective import LinearObjective
from rankmax.optimizers.faces import Box, faces
from rankmax.optimizers.layered import Layered, largest_weights, layered
from rankmax.spaces import ParameterSpace, Simplex

_DEPTH = 16  # how often a cell is cut at most: parts are a 65,536th then
_WORK = 1 << 25  # looks at pairs of documents: a second or two
_MOST_PARTS = 1 << 16
_BELOW, _ABOVE = 0, 2


@dataclass(frozen=True, eq=False)
class Survey:
    """A space of weights cut into cells, and which of them are above a level.

    Attributes
    ----------
    level : float
    vertices : array, shape (n_cells, n_vertices, n_features)
        Of the cells, open simplexes that cover the space but for faces between them.
    shares : array, shape (n_cells,)
        What part of the space each is; they add up to 1.
    is_above : array of bool, shape (n_cells,)
        Whether all weights in the cell are proven to reach the level.
    is_below : array of bool, shape (n_cells,)
        Whether none does.
    """

    level: float
    vertices: F64
    shares: F64
    is_above: Bool
    is_below: Bool

    @property
    def at_least(self) -> float:
        """The share of the space that is proven to reach the level."""
        return float(self.shares[self.is_above].sum())

    @property
    def at_most(self) -> float:
        """The share of the space that is not proven to be below the level."""
        return float(self.shares[~self.is_below].sum())


def survey(
    objective: LinearObjective,
    level: float,
    space: ParameterSpace | Box | None = None,
    *,
    depth: int = _DEPTH,
    work: int = _WORK,
) -> Survey:
    """Cut a space of weights into cells until it is known which are above a level, or they are small.

    Bounds are those of :class:`~rankmax.optimizers.branch_and_bound.BranchAndBound`, from both sides. Shares are by
    volume on the faces of the space that have most dimensions: the simplex itself, or the sides of a box.

    Parameters
    ----------
    objective : LinearObjective
        Of 1 to 6 features, with a metric that is tables.
    level : float
    space : ParameterSpace or Box, optional
        As in :meth:`~rankmax.optimizers.branch_and_bound.BranchAndBound.prove`.
    depth : int
        How often a cell is cut at most.
    work : int
        How many times to look at a pair of documents, about; then cells are left as they are.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.0]], [1, 0], qid=[7, 7])
    >>> found = survey(LinearObjective(data, RR()), 0.75)  # reached where the second weight is larger
    >>> found.at_least, found.at_most
    (0.5, 0.5)
    """
    space = Simplex() if space is None else space
    cells = faces(space, objective.n_features)
    n_vertices = max(map(len, cells))
    largest = [vertices for vertices in cells if len(vertices) == n_vertices]
    metric = layered(objective, largest=largest_weights(largest))
    volumes = np.array([_volume(vertices) for vertices in largest])
    vertices, verdicts, shares = zip(
        *(_surveyed(metric, root, level, depth, work // len(largest)) for root in largest), strict=True
    )
    verdict = np.concatenate(verdicts)
    weighted = [volume * share for volume, share in zip(volumes / volumes.sum(), shares, strict=True)]
    return Survey(level, np.concatenate(vertices), np.concatenate(weighted), verdict == _ABOVE, verdict == _BELOW)


def _surveyed(metric: Layered, root: F64, level: float, depth: int, work: int) -> tuple[F64, U8, F64]:
    from rankmax.kernels.cell_survey import survey_cell

    vertices = np.empty((_MOST_PARTS, *root.shape))
    verdicts, depths = np.empty(_MOST_PARTS, np.uint8), np.empty(_MOST_PARTS, np.int64)
    units = math.ceil((level - metric.offset) * metric.scale)
    n = survey_cell(metric.problem, metric.settle(root), units, depth, work, vertices, verdicts, depths)
    return vertices[:n].copy(), verdicts[:n].copy(), np.ldexp(1.0, -depths[:n])


def _volume(vertices: F64) -> float:
    """Return the volume of a simplex times a factor that depends on its dimension alone."""
    edges = vertices[1:] - vertices[0]
    return float(np.linalg.det(edges @ edges.T)) ** 0.5 if edges.size else 1.0
