"""The parts of a space of weights in which a metric is proven to be above or below a level."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, U8, Bool
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.optimizers.faces import Box, faces
from rankmax.optimizers.layered import LayeredObjective, largest_weights, layered_objective
from rankmax.spaces import ParameterSpace, Simplex

_DEPTH = 16  # maximum number of cuts of a cell, which leave parts of one 65,536th
_WORK = 1 << 25  # comparisons of document pairs: a second or two
_MOST_PARTS = 1 << 16


@dataclass(frozen=True, eq=False)
class Survey:
    """A space of weights cut into cells, each above a level, below it, or undecided.

    Attributes
    ----------
    level : float
        Value of the metric that weights must reach.
    vertices : array, shape (n_cells, n_vertices, n_features)
        Vertices of the cells, open simplexes that cover the space except for faces between them.
    shares : array, shape (n_cells,)
        Share of the space in each cell; they add up to 1.
    is_above : array of bool, shape (n_cells,)
        Whether all weights in the cell are proven to reach the level.
    is_below : array of bool, shape (n_cells,)
        Whether all weights in the cell are proven to be below the level.
    """

    level: float
    vertices: F64
    shares: F64
    is_above: Bool
    is_below: Bool

    @property
    def at_least(self) -> float:
        """Share of the space that is proven to reach the level."""
        return float(self.shares[self.is_above].sum())

    @property
    def at_most(self) -> float:
        """Share of the space that is not proven to be below the level."""
        return float(self.shares[~self.is_below].sum())


def survey(
    objective: LinearObjective,
    level: float,
    space: ParameterSpace | Box | None = None,
    *,
    depth: int = _DEPTH,
    work: int = _WORK,
) -> Survey:
    """Cut a space of weights into cells until each is known to be above or below a level, or is small.

    Bounds are those of :class:`~rankmax.optimizers.branch_and_bound.BranchAndBound`, from both sides. Shares are by
    volume on the faces of the space with the most dimensions: the simplex itself, or the sides of a box.

    Parameters
    ----------
    objective : LinearObjective
        Objective with 1 to 6 features and a metric defined by tables.
    level : float
        Value of the metric that weights must reach.
    space : ParameterSpace or Box, optional
        As in :meth:`~rankmax.optimizers.branch_and_bound.BranchAndBound.prove`.
    depth : int
        Maximum number of cuts of a cell.
    work : int
        Approximate number of comparisons of document pairs after which cells are left undecided.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.0]], [1, 0], qid=[7, 7])
    >>> found = survey(LinearObjective(data, RR()), 0.75)  # reached where the second weight is larger
    >>> found.at_least, found.at_most
    (0.5, 0.5)
    """
    from rankmax._kernels.cells.cell_survey import ABOVE, BELOW

    space = Simplex() if space is None else space
    cells = faces(space, objective.n_features)
    n_vertices = max(map(len, cells))
    largest = [vertices for vertices in cells if len(vertices) == n_vertices]
    layered = layered_objective(objective, largest=largest_weights(largest))
    volumes = np.array([_volume(vertices) for vertices in largest])
    vertices, verdicts, shares = zip(
        *(_survey_root(layered, root, level, depth, work // len(largest)) for root in largest), strict=True
    )
    verdict = np.concatenate(verdicts)
    weighted = [volume * share for volume, share in zip(volumes / volumes.sum(), shares, strict=True)]
    return Survey(level, np.concatenate(vertices), np.concatenate(weighted), verdict == ABOVE, verdict == BELOW)


def _survey_root(layered: LayeredObjective, root: F64, level: float, depth: int, work: int) -> tuple[F64, U8, F64]:
    """Return the parts of one face of the space: vertices, verdicts, and shares of the face."""
    from rankmax._kernels.cells.cell_survey import SurveyedParts, survey_cell

    parts = SurveyedParts(
        vertices=np.empty((_MOST_PARTS, *root.shape)),
        verdicts=np.empty(_MOST_PARTS, np.uint8),
        depths=np.empty(_MOST_PARTS, np.int64),
    )
    units = math.ceil((level - layered.offset) * layered.scale)
    n = survey_cell(layered.metric, layered.settled_cell(root), units, depth, work, parts)
    return parts.vertices[:n].copy(), parts.verdicts[:n].copy(), np.ldexp(1.0, -parts.depths[:n])


def _volume(vertices: F64) -> float:
    """Return the volume of a simplex times a factor that depends only on its dimension."""
    edges = vertices[1:] - vertices[0]
    return float(np.linalg.det(edges @ edges.T)) ** 0.5 if edges.size else 1.0
