"""Parts of a cell beside the same cells settled afresh, and parts that are given up."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax._kernels.cells.bisection import BETWEEN, EdgeCut, find_middle, push_part
from rankmax._kernels.cells.cell_points import order_pairs
from rankmax._kernels.cells.cell_stack import new_stack
from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers.layered import layered_objective

DATA = planted_linear(6, 30, 3, noise=0.5, seed=4).data
NOTHING = -(1 << 62)


@pytest.mark.parametrize("weights", [np.ones(6), np.array([1.0, 1.0, -0.5, 1.0, -0.5, 1.0])])
def test_a_part_is_given_up_only_where_its_bound_is_low_enough(weights: np.ndarray) -> None:
    layered = layered_objective(LinearObjective(DATA, AP(), query_weights=weights))
    metric = layered.metric
    cell = layered.settled_cell(np.eye(3) / 4 + 0.25)
    stack, _, scratch = new_stack(metric, cell)
    cut = EdgeCut(0, 2, np.empty(3))
    assert find_middle(cell, cut)
    n_given_up = 0
    for part in range(3):
        order_pairs(metric, cell, cut.middle, scratch)
        push_part(metric, stack, 0, cell, cut, part, NOTHING, scratch)
        bound, n_queries = int(stack.bound[0]), int(stack.n_queries[0])
        vertices = stack.vertices[0, : 2 if part == BETWEEN else 3].copy()
        assert bound == min(int(layered.settled_cell(vertices).bound[0]), int(cell.bound[0]))
        for enough in np.linspace(bound - 1000, int(cell.bound[0]) - 1, 20).astype(np.int64):
            push_part(metric, stack, 0, cell, cut, part, enough, scratch)
            assert bound <= stack.bound[0]
            if stack.bound[0] > enough:
                assert (stack.bound[0], stack.n_queries[0]) == (bound, n_queries)
            n_given_up += stack.n_queries[0] < n_queries
    assert n_given_up > 0
