"""Division of the simplex of three weights into small triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, Bool

_UP = np.eye(3, dtype=np.int64)  # corners of a cell that points to the first feature, relative to its lowest weights
_DOWN = 1 - _UP


@dataclass(frozen=True)
class SimplexCells:
    r"""The simplex of three weights cut into K^2 equal triangles, in K rows of equal first weight.

    Row i holds the weights with :math:`i/K \le \theta_1 \le (i + 1)/K`. Its middle line,
    :math:`\theta_1 = (i + 1/2)/K`, crosses its 2(K - i) - 1 cells one after the other, each along a segment of the
    same length, 1/(2K) in the second weight.

    Parameters
    ----------
    resolution : int
        K, the number of rows.

    Examples
    --------
    >>> cells = SimplexCells(2)
    >>> cells.points
    array([[0.25 , 0.125, 0.625],
           [0.25 , 0.375, 0.375],
           [0.25 , 0.625, 0.125],
           [0.75 , 0.125, 0.125]])
    >>> cells.corners[3]
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ],
           [0.5, 0. , 0.5]])
    """

    resolution: int

    @property
    def points(self) -> F64:
        """Middle of each cell's segment of its row's middle line, shape (n_cells, 3); row by row."""
        origins, down = self._origins()
        shift = np.where(down, 0.75, 0.25)
        points: F64 = (origins + np.column_stack([np.full(shift.size, 0.5), shift, shift])) / self.resolution
        return points

    @property
    def corners(self) -> F64:
        """Weights at the corners of each cell, shape (n_cells, 3, 3)."""
        return self._corners() / self.resolution

    def stretches(self, row: int) -> F64:
        """Return the second weights at which the middle line of a row enters and leaves its cells.

        Parameters
        ----------
        row : int

        Examples
        --------
        >>> SimplexCells(2).stretches(0)
        array([0.  , 0.25, 0.5 , 0.75])
        """
        return np.arange(2 * (self.resolution - row)) / (2 * self.resolution)

    def outline(self, chosen: Bool) -> F64:
        """Return the sides that chosen cells do not share with each other, shape (n_sides, 2, 3).

        Parameters
        ----------
        chosen : array of bool, shape (n_cells,)

        Examples
        --------
        >>> len(SimplexCells(2).outline(np.ones(4, bool))), len(SimplexCells(2).outline(np.zeros(4, bool)))
        (6, 0)
        """
        corners = self._corners()[chosen]
        sides = corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2, 3)
        ends = np.sort(sides[:, :, 0] * (self.resolution + 1) + sides[:, :, 1], axis=1)
        _, first, count = np.unique(ends, axis=0, return_index=True, return_counts=True)
        outer: F64 = sides[first[count == 1]] / self.resolution
        return outer

    def _origins(self) -> tuple[I64, Bool]:
        """Return each cell's lowest weights in units of 1/K, and whether it points away from the first feature."""
        k = self.resolution
        cells_by_row = 2 * (k - np.arange(k)) - 1
        row = np.repeat(np.arange(k), cells_by_row)
        place = np.arange(k * k) - np.repeat(np.cumsum(cells_by_row) - cells_by_row, cells_by_row)
        down = place % 2
        second = place // 2
        return np.column_stack([row, second, k - 1 - down - row - second]), down == 1

    def _corners(self) -> I64:
        origins, down = self._origins()
        return origins[:, None, :] + np.where(down[:, None, None], _DOWN, _UP)
