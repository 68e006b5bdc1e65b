"""The order of two documents at every vertex of a cell, as the bits of one integer.

Of a pair, `high` is the document of higher class and `low` the other. Bit v is set where `high` scores more at vertex
v, bit v + 8 where it scores less, and neither where they tie. A cell has at most 6 vertices, so 8 bits do.
"""

from __future__ import annotations

from rankmax._kernels.compilation import njit

_BEHIND = 8  # the first bit of vertices at which `high` scores less
_AHEAD = 255
_MOST_VERTICES = 6

N_PATTERNS = 1 << 2 * _MOST_VERTICES
"""Orders of two documents at all vertices."""


@njit(cache=True, nogil=True)
def order_bit(order: int, v: int) -> int:
    """Return the bits of one vertex: `order` is 1, 0 or -1 where `high` scores more, the same or less there."""
    if order == 0:
        return 0
    return 1 << (v if order > 0 else v + _BEHIND)


@njit(cache=True, nogil=True)
def pattern_of(bits: int) -> int:
    """Return the number of the pattern, below N_PATTERNS."""
    return int(bits & ((1 << _MOST_VERTICES) - 1) | (bits >> _BEHIND) << _MOST_VERTICES)


@njit(cache=True, nogil=True)
def swaps_along(bits: int, a: int, b: int) -> bool:
    """Whether one document is ahead at vertex a and the other at vertex b."""
    one, other = 1 << a | 1 << (b + _BEHIND), 1 << b | 1 << (a + _BEHIND)
    return bool(bits & one == one or bits & other == other)


@njit(cache=True, nogil=True)
def ties_at(bits: int, v: int) -> bool:
    """Whether the documents tie at vertex v."""
    return bool(bits & (1 << v | 1 << (v + _BEHIND)) == 0)


@njit(cache=True, nogil=True)
def is_open(bits: int) -> bool:
    """Whether both documents are ahead somewhere, so that their order is not settled in the cell."""
    return bool(bits & _AHEAD != 0 and bits >> _BEHIND != 0)


@njit(cache=True, nogil=True)
def is_lost(bits: int, high: int, low: int) -> bool:
    """Whether a settled pair has `low` above `high`: by score, or by the order of documents where they tie."""
    return bool(bits >> _BEHIND != 0 or (bits == 0 and low < high))


@njit(cache=True, nogil=True)
def replace_vertex(bits: int, v: int, order: int) -> int:
    """Return the bits with vertex v moved to where the documents are in this order."""
    return int(bits & ~(1 << v | 1 << (v + _BEHIND)) | order_bit(order, v))


@njit(cache=True, nogil=True)
def drop_vertex(bits: int, v: int) -> int:
    """Return the bits without vertex v, those of later vertices moved down."""
    return int(_drop_bit(bits & _AHEAD, v) | _drop_bit(bits >> _BEHIND, v) << _BEHIND)


@njit(cache=True, nogil=True)
def _drop_bit(bits: int, v: int) -> int:
    return int((bits & ((1 << v) - 1)) | (bits >> (v + 1) << v))
