"""Orders and values inside a cell beside exact fractions, and the edge to cut beside its definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from rankmax._kernels.cells.bisection import choose_edge
from rankmax._kernels.cells.cell_points import find_center, order_pairs, value_of_orders
from rankmax._kernels.cells.cell_stack import new_stack
from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers.layered import layered_objective

DATA = planted_linear(6, 30, 3, noise=0.5, seed=4).data
LAYERED = layered_objective(LinearObjective(DATA, AP()))


def test_pairs_are_ordered_as_by_fractions_and_give_the_value() -> None:
    """Of the whole space many pairs are open, of a small cell few: both ways to compare scores are taken."""
    sizes = []
    for vertices in (np.eye(3), np.eye(3) * 2.0**-9 + np.array([0.25, 0.5, 0.25])):
        first = LAYERED.settled_cell(vertices)
        _, _, scratch = new_stack(LAYERED.metric, first)
        center = np.empty(3)
        find_center(first, center)
        order_pairs(LAYERED.metric, first, center, scratch)
        n_pairs = int(first.n_pairs[0])
        sizes.append(n_pairs)
        for p in range(n_pairs):
            rows = (LAYERED.metric.rows[first.pairs.high[p]], LAYERED.metric.rows[first.pairs.low[p]])
            high, low = (sum(Fraction(w) * Fraction(x) for w, x in zip(center, row, strict=True)) for row in rows)
            assert scratch.orders[p] == (high > low) - (high < low)
        assert value_of_orders(LAYERED.metric, first, scratch) == LAYERED.at(center)
    assert sizes[0] > DATA.n_documents > sizes[1] > 0


def test_the_edge_to_cut_swaps_pairs() -> None:
    """Documents differ in the first two features only, so the edge between these is worth most, whatever its number."""
    features = np.array(DATA.features)
    features[:, 2] = features[:, :2].mean(axis=1)
    flat = type(DATA).from_arrays(features, DATA.grades, qid=DATA.judgments.query_of_document)
    layered = layered_objective(LinearObjective(flat, AP()))
    for order, edge in (((0, 1, 2), 0), ((0, 2, 1), 1), ((2, 0, 1), 2)):
        first = layered.settled_cell(np.eye(3)[list(order)])
        _, _, scratch = new_stack(layered.metric, first)
        assert choose_edge(first, scratch)[2] == edge
        assert not scratch.patterns.any()
