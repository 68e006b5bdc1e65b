"""Evenly spaced points of the simplex."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice
from math import comb

import numpy as np

from rankmax._arrays import F64, I64

_GOLDEN = (5**0.5 - 1) / 2


def lattice_size(n_weights: int, n_steps: int) -> int:
    r"""Return the number of points of :func:`simplex_lattice`: :math:`\binom{K + d - 1}{d - 1}`.

    Parameters
    ----------
    n_weights : int
        Number of weights d.
    n_steps : int
        Number of steps K.

    Examples
    --------
    >>> lattice_size(3, 10)
    66
    """
    return comb(n_steps + n_weights - 1, n_weights - 1)


def simplex_lattice(n_weights: int, n_steps: int) -> I64:
    r"""Return all tuples of d nonnegative integers that add up to K; divided by K they cover the simplex.

    Parameters
    ----------
    n_weights : int
        Number of weights d.
    n_steps : int
        Number of steps K.

    Returns
    -------
    array of int64, shape (n_points, n_weights)
        The points in lexicographic order.

    Examples
    --------
    >>> simplex_lattice(3, 2)
    array([[0, 0, 2],
           [0, 1, 1],
           [0, 2, 0],
           [1, 0, 1],
           [1, 1, 0],
           [2, 0, 0]])
    """
    (points,) = lattice_blocks(n_weights, n_steps, lattice_size(n_weights, n_steps))
    return points


def lattice_blocks(n_weights: int, n_steps: int, n_points: int) -> Iterator[I64]:
    """Yield the points of :func:`simplex_lattice` in blocks, for a lattice too large to hold at once.

    Parameters
    ----------
    n_weights, n_steps : int
        Number of weights d and number of steps K.
    n_points : int
        Number of points per block; the last may have fewer.

    Examples
    --------
    >>> [len(block) for block in lattice_blocks(3, 10, 25)]
    [25, 25, 16]
    """
    # A point is a placement of d - 1 bars among K stars: the stars between two bars are the value of a coordinate.
    n_places = n_steps + n_weights - 1
    bars = combinations(range(n_places), n_weights - 1)
    while block := list(islice(bars, n_points)):
        inner = np.fromiter(chain.from_iterable(block), np.int64).reshape(len(block), n_weights - 1)
        edges = np.pad(inner, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n_places)))
        yield np.diff(edges, axis=1) - 1


def segment_points(n_cells: int) -> F64:
    r"""Return one point in each of n cells of the segment of two weights.

    Each is at the golden section of its cell, so that documents with round scores do not tie at it: between two scores
    scaled to [0, 1] every multiple of 1/n is a likely point for a tie, and equal weights are the likeliest.

    Parameters
    ----------
    n_cells : int
        Number of cells n.

    Examples
    --------
    >>> segment_points(4).round(3)
    array([[0.155, 0.845],
           [0.405, 0.595],
           [0.595, 0.405],
           [0.845, 0.155]])
    """
    first = (np.arange((n_cells + 1) // 2) + _GOLDEN) / n_cells
    rising = np.concatenate([first, 1 - first[: n_cells // 2][::-1]])
    return np.stack([rising, 1 - rising], axis=1)
