"""Sums over a line's steps from which its smoothed metric follows, without sorting or keeping the steps.

Smoothed by Gaussian noise of width s, a step of height c at t becomes c Phi((mu - t) / s). The steps are counted into
cells of width h, small beside s: with x the middle of t's cell and u = (t - x) / h,

    Phi((mu - t) / s) = sum_m (-u h / s)^m / m! Phi^(m)((mu - x) / s)

so the moments sum c u^m of the steps in each cell are all that has to be known of them. Moments are sums of integers,
each step's contribution rounded once, so neither threads nor parts of the data change a bit.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit


@njit(cache=True, nogil=True)
def count_moments(
    first: int, stop: int, steps: F64, changes: I64, n_steps: I64, low: float, cell: float, before: I64, moments: I64
) -> None:
    """Fill the moments of the steps in each cell, for some groups of tasks.

    Parameters
    ----------
    first, stop : int
        The groups; group g has the tasks g, g + n_groups, ...
    steps, changes : float64 and int64, (n_tasks, capacity)
    n_steps : int64, (n_tasks,)
    low : float
        Lower end of the first cell.
    cell : float
        Width of a cell.
    before : int64, (n_groups,)
        Receives the sum of the changes below the first cell.
    moments : int64, (n_groups, n_cells, n_moments)
    """
    n_groups, n_cells, n_moments = moments.shape
    for group in range(first, stop):
        mine = moments[group]
        mine[:] = 0
        before[group] = 0
        for task in range(group, n_steps.size, n_groups):
            for e in range(n_steps[task]):
                place = (steps[task, e] - low) / cell
                change = changes[task, e]
                if place < 0.0:
                    before[group] += change
                elif place < n_cells:
                    b = int(place)
                    u = place - b - 0.5
                    mine[b, 0] += change
                    moment = float(change)
                    for m in range(1, n_moments):
                        moment *= u
                        mine[b, m] += np.int64(np.rint(moment))


@njit(cache=True)
def smooth_cells(moments: I64, before: int, table: F64, values: F64) -> None:
    """Fill the smoothed sum at the middle of each inner cell, in units.

    Parameters
    ----------
    moments : int64, (n_values + n_table - 1, n_moments)
        Cells beside the inner ones are needed as far as a step is felt.
    before : int
        The sum below the first cell.
    table : float64, (n_table, n_moments)
        Effect of each cell's moments on the middle of the inner cell, from the left; a step further left has its full
        effect, one further right none.
    values : float64, (n_values,)
    """
    n_table, n_moments = table.shape
    passed = before
    for k in range(values.size):
        felt = 0.0
        for d in range(n_table):
            for m in range(n_moments):
                felt += moments[k + d, m] * table[d, m]
        values[k] = passed + felt
        passed += moments[k, 0]
