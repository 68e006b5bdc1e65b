from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, RR, nDCG
from rankmax.metrics.metric import TabularMetric
from rankmax.optimizers.layered import layered_objective
from rankmax.workflows.proofs.cell_values import OpenCell, Pairs


def best_way(pairs: Pairs, cell: OpenCell) -> float:
    """Return the bound where pairs that tie on the same plane stand together, the best of all ways to stand."""
    planes: dict[tuple[Fraction, ...], int] = {}
    side, plane = np.empty(cell.pairs.size, np.int8), np.empty(cell.pairs.size, np.int64)
    rows = pairs._features.tolist()
    for i, (high, low) in enumerate(zip(pairs.high[cell.pairs], pairs.low[cell.pairs], strict=True)):
        difference = [Fraction(x) - Fraction(y) for x, y in zip(rows[high], rows[low], strict=True)]
        first = next(x for x in difference if x != 0)
        plane[i] = planes.setdefault(tuple(x / first for x in difference), len(planes))
        side[i] = 1 if first > 0 else -1
    if len(planes) > 5:
        return np.inf
    ways = (np.array(way, np.int8) for way in product((-1, 0, 1), repeat=len(planes)))
    return max(pairs.bound(pairs.settled(cell._replace(signs=(side * way[plane])[:, None]))) for way in ways)


@given(st.integers(0, 2**20), st.sampled_from([AP(), nDCG(cutoff=2), RR()]), st.sampled_from([2, 4, 10]), st.booleans())
@settings(max_examples=40)
def test_is_what_the_definition_says(seed: int, metric: TabularMetric, n_values: int, shared: bool) -> None:
    from rankmax._kernels.cells.cell_stack import Scratch
    from rankmax._kernels.cells.plane_sides import bound_by_sides

    rng = np.random.default_rng(seed)
    features = rng.integers(0, n_values, (8, 3)).astype(np.float64)
    if shared:
        features = rng.normal(size=(3, 3))[rng.integers(0, 3, 8)]
    data = RankingDataset.from_arrays(features, rng.integers(0, 3, 8), qid=np.repeat([1, 2], 4))
    bounded = layered_objective(LinearObjective(data, metric))
    middle = rng.integers(1, 30, 3)
    vertices = (middle + np.eye(3) * rng.integers(1, 8)) / 64
    cell = bounded.settled_cell(vertices)
    scratch = Scratch(*(np.zeros(64, kind) for kind in (np.int8, np.int32, np.int32, np.int64, np.float64, np.int64)))
    bound, tied = bound_by_sides(bounded.metric, cell, scratch)
    pairs = Pairs(data, metric)
    whole = pairs.whole(vertices)
    expected = min(pairs.bound(whole), best_way(pairs, whole))
    assert abs(bounded.value(bound) - expected) < 1e-9
    assert -1 <= tied < cell.n_pairs[0]
