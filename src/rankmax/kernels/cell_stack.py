"""Cells that wait to be cut, on a stack that holds all they have settled and all they have left open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from rankmax.arrays import F64, I32, I64

DEPTH = 1024
"""Most cells on a stack."""

_PAIRS = 8  # times those of the first cell
_QUERIES = 64


class Cells(NamedTuple):
    """Room for cells one after the other.

    Attributes
    ----------
    vertices : float64, (n_cells, n_features, n_features)
    constant, floor, bound : int64, (n_cells,)
        In units: the sum over constant queries, and the least and the most that all can be worth.
    sizes, starts : int64, (n_cells, 4)
        Number of vertices, pairs, segments and counts of each cell; where they begin (but the vertices).
    high, low, signs, segments, above
        What :func:`settle_cell` writes, cell after cell. Segments count from the cell's first pair and count.
    """

    vertices: F64
    constant: I64
    floor: I64
    bound: I64
    sizes: I64
    starts: I64
    high: I32
    low: I32
    signs: I32
    segments: I64
    above: I32


@njit(cache=True, nogil=True)
def new_stack(first: Cells) -> tuple[Cells, Cells]:
    """Return a stack with one cell, and room for a cell that is being cut."""
    n_features = first.vertices.shape[2]
    n_pairs, n_segments, n_counts = first.sizes[0, 1], first.sizes[0, 2], first.sizes[0, 3]
    stack = _room(DEPTH, n_features, _PAIRS * n_pairs, _QUERIES * n_segments, _QUERIES * n_counts)
    copy_cell(first, 0, stack)
    return stack, _room(1, n_features, n_pairs, n_segments, n_counts)


@njit(cache=True, nogil=True)
def _room(n_cells: int, n_features: int, n_pairs: int, n_segments: int, n_counts: int) -> Cells:
    return Cells(
        np.empty((n_cells, n_features, n_features)),
        np.empty(n_cells, np.int64),
        np.empty(n_cells, np.int64),
        np.empty(n_cells, np.int64),
        np.empty((n_cells, 4), np.int64),
        np.empty((n_cells, 4), np.int64),
        np.empty(n_pairs, np.int32),
        np.empty(n_pairs, np.int32),
        np.empty(n_pairs, np.int32),
        np.empty((n_segments, 4), np.int64),
        np.empty(n_counts, np.int32),
    )


@njit(cache=True, nogil=True)
def has_room(stack: Cells, t: int) -> bool:
    """Whether the three parts of the cell at t fit in its place."""
    starts, sizes = stack.starts[t], stack.sizes[t]
    return (
        t + 3 <= stack.bound.size
        and starts[1] + 3 * sizes[1] <= stack.high.size
        and starts[2] + 3 * sizes[2] <= stack.segments.shape[0]
        and starts[3] + 3 * sizes[3] <= stack.above.size
    )


@njit(cache=True, nogil=True)
def follow(stack: Cells, t: int) -> None:
    """Let the cell at t begin where the one before it ends."""
    for i in range(4):
        stack.starts[t, i] = stack.starts[t - 1, i] + stack.sizes[t - 1, i] if t > 0 else 0


@njit(cache=True, nogil=True)
def copy_cell(source: Cells, s: int, target: Cells) -> None:
    """Copy the cell at place s to place 0 of another room."""
    sizes, starts = source.sizes[s], source.starts[s]
    for i in range(4):
        target.sizes[0, i], target.starts[0, i] = sizes[i], 0
    target.constant[0], target.floor[0], target.bound[0] = source.constant[s], source.floor[s], source.bound[s]
    for v in range(sizes[0]):
        for j in range(source.vertices.shape[2]):
            target.vertices[0, v, j] = source.vertices[s, v, j]
    for p in range(sizes[1]):
        target.high[p] = source.high[starts[1] + p]
        target.low[p] = source.low[starts[1] + p]
        target.signs[p] = source.signs[starts[1] + p]
    for i in range(sizes[2]):
        for column in range(4):
            target.segments[i, column] = source.segments[starts[2] + i, column]
    for i in range(sizes[3]):
        target.above[i] = source.above[starts[3] + i]
