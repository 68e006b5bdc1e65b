"""The bits of a pair beside the list of its orders at the vertices that they stand for."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from rankmax._kernels.cells.vertex_orders import (
    N_PATTERNS,
    drop_vertex,
    is_lost,
    is_open,
    order_bit,
    pattern_of,
    replace_vertex,
    swaps_along,
    ties_at,
)

ORDERS = st.lists(st.sampled_from([1, 0, -1]), min_size=2, max_size=6)


def bits_of(orders: list[int]) -> int:
    return sum(order_bit(order, v) for v, order in enumerate(orders))


def test_patterns_are_numbered() -> None:
    every = [bits_of(list(orders)) for orders in product([1, 0, -1], repeat=6)]
    assert len({pattern_of(bits) for bits in every}) == len(every)
    assert all(0 <= pattern_of(bits) < N_PATTERNS for bits in every)


@given(ORDERS)
def test_a_pair_is_open_unless_one_document_is_nowhere_behind(orders: list[int]) -> None:
    bits = bits_of(orders)
    assert is_open(bits) == (1 in orders and -1 in orders)
    if not is_open(bits):
        assert is_lost(bits, 4, 7) == (-1 in orders)
        assert is_lost(bits, 7, 4) == (1 not in orders)  # where they tie, the earlier document is above


@given(ORDERS, st.data())
def test_vertices_are_moved_and_dropped(orders: list[int], data: st.DataObject) -> None:
    v = data.draw(st.integers(0, len(orders) - 1))
    order = data.draw(st.sampled_from([1, 0, -1]))
    bits = bits_of(orders)
    assert replace_vertex(bits, v, order) == bits_of([*orders[:v], order, *orders[v + 1 :]])
    assert drop_vertex(bits, v) == bits_of([*orders[:v], *orders[v + 1 :]])
    assert ties_at(bits, v) == (orders[v] == 0)
    for u in range(len(orders)):
        assert swaps_along(bits, u, v) == (orders[u] * orders[v] < 0)
