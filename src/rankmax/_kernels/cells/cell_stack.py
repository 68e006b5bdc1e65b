"""The records of cells: what a cell has settled and left open, and a stack of cells that wait to be cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.cells.layered_metric import LayeredMetric
from rankmax._kernels.cells.vertex_orders import N_PATTERNS
from rankmax._kernels.compilation import njit

DEPTH = 1024
"""Most cells on a stack."""

_PAIRS = 8  # a stack has room for so many times the pairs of its first cell,
_QUERIES = 64  # and so many times its queries and counts


class OpenPairs(NamedTuple):
    """Pairs of documents of different class whose order a cell does not settle.

    Attributes
    ----------
    high, low : int32
        The document of higher class, and the other.
    bits : int32
        Their order at each vertex of the cell; see vertex_orders.py.
    """

    high: I32
    low: I32
    bits: I32


class OpenQueries(NamedTuple):
    """Queries whose value is not the same in all of a cell.

    Attributes
    ----------
    query : int64
    first_pair, n_pairs : int64
        The query's open pairs, counted from the cell's first.
    first_count : int64
        Where the query's counts begin, counted from the cell's first.
    bound : int64
        In units: the most that the query can be worth.
    """

    query: I64
    first_pair: I64
    n_pairs: I64
    first_count: I64
    bound: I64


class Cells(NamedTuple):
    """Room for cells one after the other. A cell that is being worked on has one to itself, and is at place 0.

    Attributes
    ----------
    vertices : float64, (n_cells, n_features, n_features)
        The first `n_vertices` rows of each.
    n_vertices : int64, (n_cells,)
    constant : int64, (n_cells,)
        In units: the sum of the values of the queries that are constant in the cell.
    floor, bound : int64, (n_cells,)
        In units: the least and the most that all queries together can be worth.
    pairs : OpenPairs
        Those of all cells.
    first_pair, n_pairs : int64, (n_cells,)
    queries : OpenQueries
        Those of all cells.
    first_query, n_queries : int64, (n_cells,)
    above : int32
        The counts of all cells: for each open query, how many documents are settled above each document that gains
        something, by document and layer.
    first_count, n_counts : int64, (n_cells,)
    """

    vertices: F64
    n_vertices: I64
    constant: I64
    floor: I64
    bound: I64
    pairs: OpenPairs
    first_pair: I64
    n_pairs: I64
    queries: OpenQueries
    first_query: I64
    n_queries: I64
    above: I32
    first_count: I64
    n_counts: I64


class Scratch(NamedTuple):
    """Room to work in.

    Attributes
    ----------
    orders : int8, (n_pairs,)
        The order of each open pair at some weights: 1, 0 or -1 where `high` scores more, the same or less.
    more : int32, (n_counts,)
        Documents above each beyond those that are settled, by document and layer, of one query.
    none : int32, (n_counts,)
        Zeros in place of these.
    histogram : int64, (n_documents,)
        Zeros; used by :func:`query_value`.
    scores : float64, (n_documents,)
    patterns : int64, (N_PATTERNS,)
        Zeros; counts pairs by their order at the vertices.
    """

    orders: NDArray[np.int8]
    more: I32
    none: I32
    histogram: I64
    scores: F64
    patterns: I64


def room_for_cells(n_cells: int, n_features: int, n_pairs: int, n_queries: int, n_counts: int) -> Cells:
    """Return room for so many cells with so many pairs, queries and counts together."""
    return Cells(
        vertices=np.zeros((n_cells, n_features, n_features)),
        n_vertices=np.zeros(n_cells, np.int64),
        constant=np.zeros(n_cells, np.int64),
        floor=np.zeros(n_cells, np.int64),
        bound=np.zeros(n_cells, np.int64),
        pairs=OpenPairs(np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32)),
        first_pair=np.zeros(n_cells, np.int64),
        n_pairs=np.zeros(n_cells, np.int64),
        queries=OpenQueries(
            np.empty(n_queries, np.int64),
            np.empty(n_queries, np.int64),
            np.empty(n_queries, np.int64),
            np.empty(n_queries, np.int64),
            np.empty(n_queries, np.int64),
        ),
        first_query=np.zeros(n_cells, np.int64),
        n_queries=np.zeros(n_cells, np.int64),
        above=np.empty(n_counts, np.int32),
        first_count=np.zeros(n_cells, np.int64),
        n_counts=np.zeros(n_cells, np.int64),
    )


_room_for_cells = njit(cache=True, nogil=True)(room_for_cells)


@njit(cache=True, nogil=True)
def new_stack(metric: LayeredMetric, first: Cells) -> tuple[Cells, Cells, Scratch]:
    """Return a stack with one cell, room for a cell that is being cut, and scratch for its pairs and counts."""
    # Typed integers: numba compiles what is called with a literal once more for it.
    place, one, depth = int(np.int64(0)), int(np.int64(1)), int(np.int64(DEPTH))
    n_features = first.vertices.shape[2]
    n_pairs, n_queries, n_counts = first.n_pairs[0], first.n_queries[0], first.n_counts[0]
    stack = _room_for_cells(depth, n_features, _PAIRS * n_pairs, _QUERIES * n_queries, _QUERIES * n_counts)
    copy_cell(first, place, stack)
    scratch = Scratch(
        orders=np.empty(n_pairs, np.int8),
        more=np.zeros(n_counts, np.int32),
        none=np.zeros(n_counts, np.int32),
        histogram=np.zeros(metric.rows.shape[0], np.int64),
        scores=np.empty(metric.rows.shape[0]),
        patterns=np.zeros(N_PATTERNS, np.int64),
    )
    return stack, _room_for_cells(one, n_features, n_pairs, n_queries, n_counts), scratch


@njit(cache=True, nogil=True)
def has_room(stack: Cells, t: int) -> bool:
    """Whether the three parts of the cell at place t fit in its place."""
    return bool(
        t + 3 <= stack.bound.size
        and stack.first_pair[t] + 3 * stack.n_pairs[t] <= stack.pairs.high.size
        and stack.first_query[t] + 3 * stack.n_queries[t] <= stack.queries.query.size
        and stack.first_count[t] + 3 * stack.n_counts[t] <= stack.above.size
    )


@njit(cache=True, nogil=True)
def begin_cell(stack: Cells, t: int, constant: int) -> None:
    """Begin a cell at place t, behind the one before it, with the sum over constant queries and no open ones yet."""
    if t > 0:
        stack.first_pair[t] = stack.first_pair[t - 1] + stack.n_pairs[t - 1]
        stack.first_query[t] = stack.first_query[t - 1] + stack.n_queries[t - 1]
        stack.first_count[t] = stack.first_count[t - 1] + stack.n_counts[t - 1]
    else:
        stack.first_pair[t] = stack.first_query[t] = stack.first_count[t] = 0
    stack.n_pairs[t] = stack.n_queries[t] = stack.n_counts[t] = 0
    stack.constant[t] = stack.floor[t] = stack.bound[t] = constant


@njit(cache=True, nogil=True)
def copy_cell(source: Cells, t: int, target: Cells) -> None:
    """Copy the cell at place t to place 0 of another room."""
    target.n_vertices[0] = source.n_vertices[t]
    target.constant[0], target.floor[0], target.bound[0] = source.constant[t], source.floor[t], source.bound[t]
    for v in range(source.n_vertices[t]):
        for j in range(source.vertices.shape[2]):
            target.vertices[0, v, j] = source.vertices[t, v, j]
    target.first_pair[0], target.n_pairs[0] = 0, source.n_pairs[t]
    for p in range(source.n_pairs[t]):
        from_pair = source.first_pair[t] + p
        target.pairs.high[p] = source.pairs.high[from_pair]
        target.pairs.low[p] = source.pairs.low[from_pair]
        target.pairs.bits[p] = source.pairs.bits[from_pair]
    target.first_query[0], target.n_queries[0] = 0, source.n_queries[t]
    for s in range(source.n_queries[t]):
        from_query = source.first_query[t] + s
        target.queries.query[s] = source.queries.query[from_query]
        target.queries.first_pair[s] = source.queries.first_pair[from_query]
        target.queries.n_pairs[s] = source.queries.n_pairs[from_query]
        target.queries.first_count[s] = source.queries.first_count[from_query]
        target.queries.bound[s] = source.queries.bound[from_query]
    target.first_count[0], target.n_counts[0] = 0, source.n_counts[t]
    for at in range(source.n_counts[t]):
        target.above[at] = source.above[source.first_count[t] + at]
